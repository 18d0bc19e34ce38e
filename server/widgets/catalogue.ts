import { join } from 'node:path';

/** Every widget that there is to embed: its element, and the folder of its package. */
export const widgetKinds = [
  { name: 'svc-consent', packageName: 'consent-banner' },
  { name: 'svc-trust-badge', packageName: 'trust-badge' },
] as const;

export type WidgetKind = (typeof widgetKinds)[number];
/** The name of an element, and of the folder that its script is served from. */
export type WidgetName = WidgetKind['name'];
export type PackageName = WidgetKind['packageName'];

/** Where widgets are found. */
export interface WidgetPlaces {
  /** Every released version stands here for good, as `<name>/<version>/`: pages have pinned them. */
  readonly releases: string;
  /** The packages, each with its build in `dist`. */
  readonly packages: string;
}

/** The places of this installation. */
export const widgetPlaces: WidgetPlaces = {
  releases: join(import.meta.dirname, 'releases'),
  packages: join(import.meta.dirname, '../../packages'),
};

/** Where the build of a package is. */
export function findBuild(packageName: PackageName, { packages } = widgetPlaces): string {
  return join(packages, packageName, 'dist');
}
