import { hash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { widgetPlaces } from '../widgets/catalogue.ts';

/** A file of a site as it is sent. */
export interface SiteFile {
  readonly type: string;
  readonly caching: string;
  readonly tag: string;
  readonly bytes: Buffer;
}

/** What stands at a path: a file, another path to go to, or nothing, for which there is a page that says so. */
export type Found =
  | { readonly kind: 'file'; readonly file: SiteFile }
  | { readonly kind: 'moved'; readonly path: string }
  | { readonly kind: 'missing'; readonly file: SiteFile };

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** What the build notes for itself: no file of the site. */
const buildNote = 'built-from';

/**
 * A static site in a folder, as it was when it was opened: a later build of the folder changes nothing of it, and no path
 * leads out of it.
 */
export class BuiltSite {
  readonly #files: ReadonlyMap<string, SiteFile>;
  readonly #compressed = new Map<string, Buffer>();

  private constructor(files: ReadonlyMap<string, SiteFile>) {
    this.#files = files;
  }

  /** Opens a site and reads all of it; null when the folder holds none. */
  static open(folder: string): BuiltSite | null {
    const files = new Map<string, SiteFile>();
    for (const entry of globSync('**/*', { cwd: folder, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll(sep, '/');
      const bytes = entry.isFile() && path !== buildNote ? readIfThere(join(folder, path)) : null;
      if (bytes !== null) files.set(path, describeFile(path, bytes));
    }
    return files.has('index.html') ? new BuiltSite(files) : null;
  }

  /** Finds what stands at a path below the root, which has no slash at its beginning. */
  find(path: string): Found {
    const file = this.#files.get(path === '' || path.endsWith('/') ? `${path}index.html` : path);
    if (file !== undefined) return { kind: 'file', file };
    if (this.#files.has(`${path}/index.html`)) return { kind: 'moved', path: `${path}/` };
    return { kind: 'missing', file: this.#writeMissing(path) };
  }

  /** The bytes of a file in an encoding; compressed once. */
  encode({ tag, bytes }: SiteFile, encoding: 'br' | 'gzip'): Buffer {
    const key = `${encoding} ${tag}`;
    const known = this.#compressed.get(key);
    if (known !== undefined) return known;
    const made =
      encoding === 'gzip'
        ? gzipSync(bytes)
        : brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
    this.#compressed.set(key, made);
    return made;
  }

  /** Links of the page are written as from the root: from a deeper path the way there comes first. */
  #writeMissing(path: string): SiteFile {
    const page = this.#files.get('404.html');
    const up = '../'.repeat(Math.min(path.split('/').length - 1, 20));
    const text = (page?.bytes.toString() ?? 'There is no such page.').replace(
      /( (?:href|src|data-root|data-index)=")(?![a-z]+:|#)/g,
      `$1${up}`,
    );
    return {
      type: types['.html'] as string,
      caching: 'no-cache',
      tag: tagOf(Buffer.from(text)),
      bytes: Buffer.from(text),
    };
  }
}

function describeFile(path: string, bytes: Buffer): SiteFile {
  return {
    type: types[extname(path)] ?? 'application/octet-stream',
    caching: isPinned(path, bytes) ? 'public, max-age=31536000, immutable' : 'no-cache',
    tag: tagOf(bytes),
    bytes,
  };
}

/** What has a hash in its name never changes, nor does a file of a widget that is the same as the released one. */
function isPinned(path: string, bytes: Buffer): boolean {
  if (path.startsWith('assets/')) return true;
  const [folder, ...released] = path.split('/');
  if (folder !== 'live' || released.length !== 3) return false;
  return readIfThere(join(widgetPlaces.releases, ...released))?.equals(bytes) === true;
}

/** Null for a file that is not there, or not any more: a build may run beside. */
function readIfThere(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function tagOf(bytes: Buffer): string {
  return hash('sha256', bytes).slice(0, 16);
}
