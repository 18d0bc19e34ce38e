import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  findBuild,
  type PackageName,
  type WidgetKind,
  type WidgetName,
  type WidgetPlaces,
  widgetKinds,
  widgetPlaces,
} from './catalogue.ts';
import { type BuiltFile, manifestName, parseManifest } from './manifest.ts';
import { WidgetFile } from './widget-file.ts';

/** A widget at one version. */
export interface Widget {
  readonly name: WidgetName;
  readonly packageName: PackageName;
  readonly version: string;
  /** Whether it is among the releases. The bytes of a version that is still being worked on change with its build. */
  readonly isReleased: boolean;
  /** Of the script in the tag, for the integrity attribute: `sha384-…`. */
  readonly integrity: string;
  /** Where the server has that script. */
  readonly path: string;
  /** Every file that the widget is made of, the script of the tag first. */
  readonly built: readonly BuiltFile[];
  /** The files below `/widgets/<name>/<version>/`, by name: those, and `integrity.json`. */
  readonly files: ReadonlyMap<string, WidgetFile>;
}

/** Reads the version of a widget that this server gives out: its build, else the latest release; undefined without both. */
export function readWidget(packageName: PackageName, places = widgetPlaces): Widget | undefined {
  return readVersions(packageName, places).find(({ isCurrent }) => isCurrent)?.widget;
}

/** Reads every version of every widget, the newest of each first. */
export function readWidgets(places = widgetPlaces): readonly Widget[] {
  return widgetKinds.flatMap(({ packageName }) => readVersions(packageName, places).map(({ widget }) => widget));
}

interface FoundWidget {
  readonly widget: Widget;
  readonly isCurrent: boolean;
}

function readVersions(packageName: PackageName, places: WidgetPlaces): readonly FoundWidget[] {
  const kind = widgetKinds.find((one) => one.packageName === packageName) as WidgetKind;
  const releases = listReleases(kind.name, places).map((folder) => readFolder(kind, folder, true));
  const folder = findBuild(packageName, places);
  const build = existsSync(join(folder, manifestName)) ? readFolder(kind, folder, false) : undefined;
  // A version that was released keeps the bytes that it was released with.
  const isNew = build !== undefined && !releases.some(({ version }) => version === build.version);
  const versions = isNew ? [build, ...releases] : releases;
  const sorted = versions.toSorted((one, other) => compareVersions(other.version, one.version));
  const current = build?.version ?? sorted[0]?.version;
  return sorted.map((widget) => ({ widget, isCurrent: widget.version === current }));
}

/** The folders of the released versions of a widget. */
function listReleases(name: WidgetName, { releases }: WidgetPlaces): readonly string[] {
  const folder = join(releases, name);
  const versions = existsSync(folder) ? readdirSync(folder).map((version) => join(folder, version)) : [];
  return versions.filter((version) => existsSync(join(version, manifestName)));
}

function readFolder({ name, packageName }: WidgetKind, folder: string, isReleased: boolean): Widget {
  const text = readFileSync(join(folder, manifestName));
  const { version, script, files } = parseManifest(text.toString());
  const read = files.map(({ file }) => [file, new WidgetFile(file, readFileSync(join(folder, file)))] as const);
  return {
    name,
    packageName,
    version,
    isReleased,
    integrity: script.integrity,
    path: `/widgets/${name}/${version}/${script.file}`,
    built: files,
    files: new Map([...read, [manifestName, new WidgetFile(manifestName, text)]]),
  };
}

/** Compares two versions number by number (Semantic Versioning 2.0.0, item 11). */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [one, other].map((version) => version.split('.').map(Number)) as [number[], number[]];
  const index = left.findIndex((part, place) => part !== right[place]);
  return index < 0 ? 0 : (left[index] as number) - (right[index] as number);
}
