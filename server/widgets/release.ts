import { hash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { manifestName, parseManifest } from './manifest.ts';

/** Why a build cannot be released. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError';
}

/** What became of a build. */
export interface Release {
  readonly version: string;
  /** False when the release was there before, with the very same bytes. */
  readonly isNew: boolean;
}

/**
 * Copies a build to where its version stays for good.
 * @param build a folder with an `integrity.json` and the files that it names.
 * @param releases the folder of all releases of this widget.
 * @throws {ReleaseError} for a version that was released with other bytes, and for a build that is not what it says.
 */
export function releaseWidget(build: string, releases: string): Release {
  const { version, names } = checkFolder(build);
  const release = join(releases, version);
  // The manifest is copied last: without it an earlier attempt was cut short.
  if (existsSync(join(release, manifestName))) {
    if (isSame(build, release, names)) return { version, isNew: false };
    throw new ReleaseError(`${version} was released with other bytes. Raise the version in package.json.`);
  }
  for (const name of names) {
    mkdirSync(dirname(join(release, name)), { recursive: true });
    cpSync(join(build, name), join(release, name));
  }
  return { version, isNew: true };
}

/**
 * Checks that a build or a release has the files of its manifest, with the bytes that it says.
 * @throws {ReleaseError}
 */
export function checkFolder(folder: string): { readonly version: string; readonly names: readonly string[] } {
  if (!existsSync(join(folder, manifestName)))
    throw new ReleaseError(`There is no build in ${folder}: npm run build:widgets`);
  const { version, files } = parseManifest(readFileSync(join(folder, manifestName), 'utf8'));
  for (const { file, bytes, integrity } of files) {
    const content = existsSync(join(folder, file)) ? readFileSync(join(folder, file)) : undefined;
    const found = content && `sha384-${hash('sha384', content, 'base64')}`;
    if (content?.length !== bytes || found !== integrity)
      throw new ReleaseError(`${join(folder, file)} is not what ${manifestName} says.`);
  }
  return { version, names: [...files.map(({ file }) => file), manifestName] };
}

function isSame(build: string, release: string, names: readonly string[]): boolean {
  return names.every(
    (name) =>
      existsSync(join(release, name)) && readFileSync(join(build, name)).equals(readFileSync(join(release, name))),
  );
}
