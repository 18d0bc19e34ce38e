import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { immutable, StaticFile } from '../../http/static-file.ts';
import { widgetPlaces } from '../widgets/widget.ts';

/**
 * Headers of every page. The pages restrict what they load in a `<meta>` element, so that it holds on any host; only a
 * header can restrict who may frame them.
 */
export const documentationHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};

/** Written by the build for itself; not served. */
const buildNote = 'built-from';

/** A static site, read into memory when it is opened: later builds do not change it, and no path leads out of it. */
export class BuiltSite {
  readonly #files: ReadonlyMap<string, StaticFile>;

  private constructor(files: ReadonlyMap<string, StaticFile>) {
    this.#files = files;
  }

  /** Reads the site in a folder; null if the folder has none. */
  static open(folder: string, { releases } = widgetPlaces): BuiltSite | null {
    const files = new Map<string, StaticFile>();
    for (const name of globSync('**/*', { cwd: folder, exclude: [buildNote] })) {
      const path = name.replaceAll(sep, '/');
      const bytes = readFile(join(folder, name));
      if (bytes !== null)
        files.set(path, new StaticFile(path, bytes, isPinned(path, bytes, releases) ? immutable : 'no-cache'));
    }
    return files.has('index.html') ? new BuiltSite(files) : null;
  }

  /** Finds the file at a path below the root, without a leading slash; that of a folder is at its path with a slash. */
  find(path: string): StaticFile | undefined {
    return this.#files.get(path === '' || path.endsWith('/') ? `${path}index.html` : path);
  }

  /** The page for missing files. Its links are relative to the root: from a deeper path they need a prefix. */
  writeMissing(path: string): StaticFile {
    const page = this.#files.get('404.html')?.bytes.toString() ?? 'There is no such page.';
    const up = '../'.repeat(Math.min(path.split('/').length - 1, 20));
    const text = page.replace(/( (?:href|src|data-root|data-index)=")(?![a-z]+:|#)/g, `$1${up}`);
    return new StaticFile('404.html', text, 'no-cache');
  }
}

/** True if a file never changes: its name contains a hash, or it equals the file of a released widget. */
function isPinned(path: string, bytes: Buffer, releases: string): boolean {
  if (path.startsWith('assets/')) return true;
  const [folder, ...released] = path.split('/');
  if (folder !== 'live' || released.length !== 3) return false;
  return readFile(join(releases, ...released))?.equals(bytes) === true;
}

/** Null for a folder, and for a missing file: a build can run at the same time. */
function readFile(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (['ENOENT', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
