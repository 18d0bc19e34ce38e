import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { immutable, StaticFile } from '../../http/static-file.ts';

/** Every widget: the name of its element, which is also the folder of its script, and the folder of its package. */
export const widgetKinds = [
  { name: 'svc-consent', packageName: 'consent-banner' },
  { name: 'svc-trust-badge', packageName: 'trust-badge' },
] as const;

type WidgetKind = (typeof widgetKinds)[number];
export type WidgetName = WidgetKind['name'];
type PackageName = WidgetKind['packageName'];

export interface WidgetPlaces {
  /** Every released version, as `<name>/<version>/`, kept for good: pages pin them. */
  readonly releases: string;
  /** The packages, each with its build in `dist`. */
  readonly packages: string;
}

/** The places of this installation. */
export const widgetPlaces: WidgetPlaces = {
  releases: join(import.meta.dirname, 'releases'),
  packages: join(import.meta.dirname, '../../../packages'),
};

export function findBuild(packageName: PackageName, { packages } = widgetPlaces): string {
  return join(packages, packageName, 'dist');
}

export const manifestName = 'integrity.json';

const BuiltFile = z.object({
  /** A name, or a folder and a name; never a path out of the folder of the version. */
  file: z.string().regex(/^(?:[\w-]+\/)?[\w-]+(?:\.[\w-]+)*\.(?:js|json)$/),
  bytes: z.int(),
  integrity: z.string().regex(/^sha384-[A-Za-z0-9+/]{64}$/),
});
type BuiltFile = Readonly<z.infer<typeof BuiltFile>>;

/** `integrity.json`: the script of the tag, and every file. */
const Manifest = BuiltFile.extend({
  version: z.string().regex(/^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/),
  files: z.array(BuiltFile).readonly(),
});

/**
 * Reads the `integrity.json` in a folder.
 * @returns every file, the script of the tag first.
 * @throws if the build cannot have written it.
 */
export function readManifest(folder: string) {
  const text = readFileSync(join(folder, manifestName), 'utf8');
  const { version, files, ...script } = Manifest.parse(JSON.parse(text));
  const all: readonly BuiltFile[] = [script, ...files.filter(({ file }) => file !== script.file)];
  return { version, script, files: all };
}

/** A widget at one version. */
export type Widget = ReturnType<typeof readFolder>;

/** Reads the current version of a widget: its build, or the latest release; undefined without either. */
export function readWidget(packageName: PackageName, places = widgetPlaces): Widget | undefined {
  return readVersions(packageName, places).current;
}

/** Reads every version of every widget, the newest of each first. */
export function readWidgets(places = widgetPlaces): readonly Widget[] {
  return widgetKinds.flatMap(({ packageName }) => readVersions(packageName, places).versions);
}

function readVersions(packageName: PackageName, places: WidgetPlaces) {
  const kind = widgetKinds.find((one) => one.packageName === packageName) as WidgetKind;
  const read = (folder: string, isReleased: boolean) =>
    existsSync(join(folder, manifestName)) ? [readFolder(kind, folder, isReleased)] : [];
  const folder = join(places.releases, kind.name);
  const releases = globSync('*', { cwd: folder }).flatMap((version) => read(join(folder, version), true));
  const builds = read(findBuild(packageName, places), false);
  // A released version keeps the bytes of its release.
  const byVersion = new Map([...builds, ...releases].map((widget) => [widget.version, widget]));
  const versions = [...byVersion.values()].sort((one, other) => compareVersions(other.version, one.version));
  return { versions, current: byVersion.get(builds[0]?.version ?? '') ?? versions[0] };
}

/** Precedence by Semantic Versioning 2.0.0, item 11, of versions such as `1.10.0` and `1.0.0-rc.1`. */
function compareVersions(one: string, other: string): number {
  const [core = '', candidate] = one.split('-');
  const [otherCore = '', otherCandidate] = other.split('-');
  const byNumber = (left: string, right: string) => left.localeCompare(right, 'en', { numeric: true });
  if (core !== otherCore) return byNumber(core, otherCore);
  if (candidate === undefined || otherCandidate === undefined)
    return Number(candidate === undefined) - Number(otherCandidate === undefined);
  return byNumber(candidate, otherCandidate);
}

function readFolder(kind: WidgetKind, folder: string, isReleased: boolean) {
  const { version, script, files } = readManifest(folder);
  const caching = isReleased ? immutable : 'no-cache';
  const names = [...files.map(({ file }) => file), manifestName];
  return {
    ...kind,
    version,
    /** True if it is among the releases; otherwise its bytes change with the next build. */
    isReleased,
    /** The integrity attribute of the script: `sha384-…`. */
    integrity: script.integrity,
    path: `/widgets/${kind.name}/${version}/${script.file}`,
    /** Every file of the widget, the script of the tag first. */
    built: files,
    /** Those files and `integrity.json`, by their path below `/widgets/<name>/<version>/`. */
    files: new Map(names.map((name) => [name, new StaticFile(name, readFileSync(join(folder, name)), caching)])),
  };
}
