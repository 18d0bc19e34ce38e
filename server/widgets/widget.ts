import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { html } from '../http/html.ts';

/** What the build writes beside a widget's script. */
const Manifest = z.object({
  file: z.string(),
  version: z.string(),
  bytes: z.int(),
  integrity: z.string().startsWith('sha384-'),
});

/** A built widget: one script at one version. */
export interface Widget {
  readonly name: string;
  readonly version: string;
  /** For the integrity attribute: `sha384-…`. */
  readonly integrity: string;
  /** Where the server has the script. */
  readonly path: string;
  /** The files below `/widgets/<name>/<version>/`, by name. */
  readonly files: ReadonlyMap<string, WidgetFile>;
}

interface WidgetFile {
  readonly type: string;
  readonly identity: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

const packages = join(import.meta.dirname, '../../packages');

/** Reads the build of a widget; undefined when it was not built. */
export function readWidget(packageName: string): Widget | undefined {
  const folder = join(packages, packageName, 'dist');
  let text: string;
  try {
    text = readFileSync(join(folder, 'integrity.json'), 'utf8');
  } catch {
    return undefined;
  }
  const { file, version, integrity } = Manifest.parse(JSON.parse(text));
  const name = file.replace(/\.js$/, '');
  return {
    name,
    version,
    integrity,
    path: `/widgets/${name}/${version}/${file}`,
    files: new Map([
      [file, compress('text/javascript; charset=utf-8', readFileSync(join(folder, file)))],
      ['integrity.json', compress('application/json; charset=utf-8', Buffer.from(text))],
    ]),
  };
}

/** A version never changes, so it is compressed once and as well as it goes. */
function compress(type: string, identity: Buffer): WidgetFile {
  return { type, identity, br: brotliCompressSync(identity), gzip: gzipSync(identity, { level: 9 }) };
}

/** The script tag of a widget as a site owner pastes it. */
export function writeScriptTag(widget: Widget, baseUrl: string): string {
  return `${html`<script src="${baseUrl}${widget.path}" integrity="${widget.integrity}" crossorigin="anonymous" defer></script>`}`;
}
