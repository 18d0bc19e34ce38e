import { z } from 'zod';

/** What the manifest is called, in every build and every release. */
export const manifestName = 'integrity.json';

/** Below the folder of its version: a name, or a folder and a name. Nothing that leads out of it. */
const FileName = z.string().regex(/^(?:[\w-]+\/)?[\w-]+(?:\.[\w-]+)*\.(?:js|json)$/);

const BuiltFile = z.object({
  file: FileName,
  bytes: z.int(),
  integrity: z.string().regex(/^sha384-[A-Za-z0-9+/]{64}$/),
});

/** A file of a widget, as the build tells of it. */
export type BuiltFile = Readonly<z.infer<typeof BuiltFile>>;

/** What the build writes beside a widget's script as `integrity.json`: the script of the tag, and every file there is. */
const Manifest = BuiltFile.extend({
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  files: z.array(BuiltFile).readonly().optional(),
});

/** What stands in the `integrity.json` of a widget. */
export interface Manifest {
  readonly version: string;
  /** The script of the tag. */
  readonly script: BuiltFile;
  /** Every file, the script first. */
  readonly files: readonly BuiltFile[];
}

/**
 * Reads an `integrity.json`. The first version had one file and did not list it.
 * @throws for one that the build cannot have written.
 */
export function parseManifest(text: string): Manifest {
  const { version, files = [], ...script } = Manifest.parse(JSON.parse(text));
  const others = files.filter(({ file }) => file !== script.file);
  return { version, script, files: [script, ...others] };
}
