import { hash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

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

/** A static site in a folder: only what was in it when it was opened is ever served, so no path leads out of it. */
export class BuiltSite {
  readonly #folder: string;
  readonly #paths: ReadonlySet<string>;
  readonly #files = new Map<string, SiteFile>();
  readonly #compressed = new Map<string, Buffer>();

  private constructor(folder: string, paths: ReadonlySet<string>) {
    this.#folder = folder;
    this.#paths = paths;
  }

  /** Opens a site; null when the folder holds none. */
  static open(folder: string): BuiltSite | null {
    const found = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = new Set(
      found.map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(folder.length + 1)
          .replaceAll(sep, '/'),
      ),
    );
    return paths.has('index.html') ? new BuiltSite(folder, paths) : null;
  }

  /** Finds what stands at a path below the root, which has no slash at its beginning. */
  find(path: string): Found {
    if (path === '' || path.endsWith('/')) {
      const index = `${path}index.html`;
      if (this.#paths.has(index)) return { kind: 'file', file: this.#read(index) };
    } else if (this.#paths.has(path)) return { kind: 'file', file: this.#read(path) };
    else if (this.#paths.has(`${path}/index.html`)) return { kind: 'moved', path: `${path}/` };
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

  #read(path: string): SiteFile {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const bytes = readFileSync(join(this.#folder, path));
    const file = {
      type: types[extname(path)] ?? 'application/octet-stream',
      caching: isPinned(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
      tag: tagOf(bytes),
      bytes,
    };
    this.#files.set(path, file);
    return file;
  }

  /** Links of the page are written as from the root: from a deeper path the way there comes first. */
  #writeMissing(path: string): SiteFile {
    const page = this.#paths.has('404.html') ? this.#read('404.html') : null;
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

/** What has a hash or a version in its name never changes. */
function isPinned(path: string): boolean {
  return path.startsWith('assets/') || /^live\/[\w-]+\/\d/.test(path);
}

function tagOf(bytes: Buffer): string {
  return hash('sha256', bytes).slice(0, 16);
}
