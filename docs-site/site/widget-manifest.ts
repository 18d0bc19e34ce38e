import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifestName, widgetPlaces } from '../../server/site/widgets/widget.ts';

/** An attribute, a property or a part of an element, as custom-elements.json has it. */
export interface Member {
  readonly name: string;
  readonly description?: string;
  readonly default?: string;
  readonly type?: { readonly text: string };
}

/** A built widget: its files with their hashes, and the members of its element. */
export interface WidgetBuild {
  /** The name of the element. */
  readonly name: string;
  readonly version: string;
  /** True if it was released. The bytes of an unreleased version change with its build. */
  readonly isReleased: boolean;
  /** The file of the tag. */
  readonly file: string;
  /** Of the tag's file, for its integrity attribute. */
  readonly integrity: string;
  /** The folder of the build. */
  readonly folder: string;
  /** Every file that is served, below the folder. */
  readonly files: readonly string[];
  readonly attributes: readonly Member[];
  readonly properties: readonly Member[];
  readonly parts: readonly Member[];
  readonly slots: readonly Member[];
}

const packages = join(import.meta.dirname, '../../packages');
const widgetPackages = ['consent-banner', 'trust-badge'];

/** Reads what was built of both widgets. @throws when one was not built, or has no manifest of its element. */
export function readWidgetBuilds(): readonly WidgetBuild[] {
  return widgetPackages.map((name) => readWidgetBuild(join(packages, name, 'dist')));
}

interface Manifest {
  readonly file: string;
  readonly version: string;
  readonly integrity: string;
  readonly files?: readonly { readonly file: string }[];
}

function readWidgetBuild(build: string): WidgetBuild {
  const built = readJson(build, manifestName) as Manifest;
  const name = built.file.replace(/\.js$/, '');
  const release = join(widgetPlaces.releases, name, built.version);
  const isReleased = existsSync(join(release, manifestName));
  // A released version keeps its bytes, which are those that the server sends.
  const folder = isReleased ? release : build;
  const { file, version, integrity, files } = isReleased ? (readJson(release, manifestName) as Manifest) : built;
  const element = findElement(readJson(build, 'custom-elements.json'));
  return {
    name,
    version,
    isReleased,
    file,
    integrity,
    folder,
    files: files?.map((one) => one.file) ?? [file],
    attributes: element.attributes ?? [],
    properties: element.cssProperties ?? [],
    parts: element.cssParts ?? [],
    slots: element.slots ?? [],
  };
}

function readJson(folder: string, file: string): unknown {
  try {
    return JSON.parse(readFileSync(join(folder, file), 'utf8'));
  } catch (cause) {
    throw new Error(`${join(folder, file)} cannot be read: build the widgets first (npm run build:widgets).`, {
      cause,
    });
  }
}

interface ElementDeclaration {
  readonly customElement?: boolean;
  readonly attributes?: readonly Member[];
  readonly cssProperties?: readonly Member[];
  readonly cssParts?: readonly Member[];
  readonly slots?: readonly Member[];
}

function findElement(manifest: unknown): ElementDeclaration {
  const { modules } = manifest as {
    readonly modules: readonly { readonly declarations: readonly ElementDeclaration[] }[];
  };
  const found = modules.flatMap(({ declarations }) => declarations).find(({ customElement }) => customElement === true);
  if (found === undefined) throw new Error('custom-elements.json describes no element');
  return found;
}
