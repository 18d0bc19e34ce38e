import { dirname } from 'node:path/posix';

/** An entry of a lockfile of npm, version 3. */
interface LockedPackage {
  readonly version?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}
type Packages = Readonly<Record<string, LockedPackage>>;

/**
 * The lockfile of one workspace with what it needs to run, for a project of its own: the versions that the tests ran with.
 * npm can only make one by resolving the versions again.
 * @param packages the `packages` of the lockfile of the repository.
 * @param manifest the `package.json` of the workspace, as it is published.
 */
export function extractLockfile(
  packages: Packages,
  workspace: string,
  manifest: LockedPackage & { readonly name: string },
) {
  /** The place of each package in the repository, by its place in the project. */
  const placed = new Map([['', workspace]]);
  const waiting = [''];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const origin = placed.get(place) as string;
    const { needed, peers } = listNeeded(place === '' ? manifest : (packages[origin] as LockedPackage));
    for (const name of [...needed, ...peers]) {
      const source = resolve(name, origin, (candidate) => packages[candidate] !== undefined);
      if (source === undefined) continue; // for another platform
      const found = resolve(name, place, (candidate) => placed.has(candidate));
      // A peer is the one that the others use.
      if (found !== undefined && (placed.get(found) === source || peers.includes(name))) continue;
      // At the top, where others find it, too, or else just for this one.
      const target = found === undefined ? `node_modules/${name}` : `${place}/node_modules/${name}`;
      placed.set(target, source);
      waiting.push(target);
    }
  }
  const { name, version = '' } = manifest;
  const entries = [...placed].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: Object.fromEntries(entries.map(([place, from]) => [place, place === '' ? manifest : packages[from]])),
  };
}

function listNeeded({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }: LockedPackage) {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta?.[name]?.optional !== true);
  const needed = [...Object.keys(dependencies ?? {}), ...Object.keys(optionalDependencies ?? {})].sort();
  return { needed, peers };
}

/** Finds a package as Node does: beside the one that needs it, and then in each folder above. */
function resolve(name: string, from: string, exists: (place: string) => boolean): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const root = folder === '.' ? '' : folder;
    const place = root === '' ? `node_modules/${name}` : `${root}/node_modules/${name}`;
    if (exists(place)) return place;
    if (root === '') return undefined;
  }
}
