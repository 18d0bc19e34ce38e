import { hash } from 'node:crypto';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'koa';
import { sendTag } from './entity-tag.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** Cache-Control of a file whose address changes with its bytes. */
export const immutable = 'public, max-age=31536000, immutable';

/** Content codings, the smallest result first. */
const encodings = ['br', 'gzip'] as const;

/** Above this size, in bytes, brotli's highest quality takes seconds. */
const largestThorough = 200_000;

const compressors = {
  br: (bytes: Buffer) => {
    const quality = bytes.length > largestThorough ? 9 : constants.BROTLI_MAX_QUALITY;
    return promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
  },
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
} as const;

/** A file in memory. Each coding of it is compressed once, at the first request. */
export class StaticFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Cache-Control. */
  readonly caching: string;
  /** A hash of the bytes. */
  readonly tag: string;
  readonly #compressed: Partial<Record<keyof typeof compressors, Promise<Buffer>>> = {};

  /** @param name decides the media type by its extension. */
  constructor(name: string, content: Buffer | string, caching: string) {
    this.type = types[extname(name)] ?? 'application/octet-stream';
    this.bytes = Buffer.from(content);
    this.caching = caching;
    this.tag = hash('sha256', this.bytes).slice(0, 16);
  }

  /** Answers with the file, compressed if the client accepts it, or with 304 if the client has it. */
  async send(ctx: Context, status: 200 | 404 = 200): Promise<void> {
    // One by one, because among equals Koa would choose the first that the client names.
    const encoding = encodings.find((one) => ctx.acceptsEncodings(one) === one);
    ctx.status = status;
    ctx.set('Cache-Control', this.caching);
    ctx.vary('Accept-Encoding');
    // Each coding needs its own tag (RFC 9110 section 8.8.3.3), which must not look like what a proxy made of another.
    if (status === 200 && !sendTag(ctx, `"${this.tag}${encoding === undefined ? '' : `.${encoding}`}"`)) return;
    ctx.type = this.type;
    if (encoding !== undefined) ctx.set('Content-Encoding', encoding);
    if (encoding !== undefined) this.#compressed[encoding] ??= compressors[encoding](this.bytes);
    ctx.body = encoding === undefined ? this.bytes : await this.#compressed[encoding];
  }
}
