// npm run release:widgets: copies the current build of every widget to the releases, to be committed.
import { hash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findBuild, manifestName, readManifest, widgetKinds, widgetPlaces } from '../../server/site/widgets/widget.ts';

/** Why a build cannot be released. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError';
}

/**
 * Copies a build to the folder of its version.
 * @param build a folder with an `integrity.json` and the files that it names.
 * @param releases the folder of all releases of the widget.
 * @returns `isNew` false if the version was already released with the same bytes.
 * @throws {ReleaseError} for a version that was released with other bytes, and for an incomplete or damaged build.
 */
export function releaseWidget(build: string, releases: string): { readonly version: string; readonly isNew: boolean } {
  const { version, names } = checkFolder(build);
  const release = join(releases, version);
  // The manifest is copied last: without it, an earlier attempt was interrupted.
  if (existsSync(join(release, manifestName))) {
    const isSame = (name: string) => readFileSync(join(build, name)).equals(readFileSync(join(release, name)));
    if (names.every((name) => existsSync(join(release, name)) && isSame(name))) return { version, isNew: false };
    throw new ReleaseError(`${version} was released with other bytes. Raise the version in package.json.`);
  }
  for (const name of names) {
    mkdirSync(dirname(join(release, name)), { recursive: true });
    cpSync(join(build, name), join(release, name));
  }
  return { version, isNew: true };
}

/**
 * Checks that the files of a build or a release match its manifest.
 * @returns the names of its files, the manifest last.
 * @throws {ReleaseError}
 */
export function checkFolder(folder: string): { readonly version: string; readonly names: readonly string[] } {
  if (!existsSync(join(folder, manifestName)))
    throw new ReleaseError(`There is no build in ${folder}: npm run build:widgets`);
  const { version, files } = readManifest(folder);
  for (const { file, bytes, integrity } of files) {
    const path = join(folder, file);
    const content = existsSync(path) ? readFileSync(path) : undefined;
    if (content?.length !== bytes || `sha384-${hash('sha384', content, 'base64')}` !== integrity)
      throw new ReleaseError(`${path} does not match ${manifestName}.`);
  }
  return { version, names: [...files.map(({ file }) => file), manifestName] };
}

if (import.meta.main)
  for (const { name, packageName } of widgetKinds) {
    try {
      const { version, isNew } = releaseWidget(findBuild(packageName), join(widgetPlaces.releases, name));
      console.log(
        `${name} ${version} ${isNew ? 'is released: commit server/site/widgets/releases' : 'was already released'}`,
      );
    } catch (error) {
      if (!(error instanceof ReleaseError)) throw error;
      console.error(`${name}: ${error.message}`);
      process.exitCode = 1;
    }
  }
