import { hash } from 'node:crypto';
import { extname } from 'node:path';
import type { Context } from 'koa';
import { compressOnce, pickCoding } from './compression.ts';
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

/** A file in memory, compressed once in each coding, at the first request. */
export class StaticFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Cache-Control. */
  readonly caching: string;
  /** A hash of the bytes. */
  readonly tag: string;

  /** @param name decides the media type by its extension. */
  constructor(name: string, content: Buffer | string, caching: string) {
    this.type = types[extname(name)] ?? 'application/octet-stream';
    this.bytes = Buffer.from(content);
    this.caching = caching;
    this.tag = hash('sha256', this.bytes).slice(0, 16);
  }

  /** Answers with the file, compressed if the client accepts it, or with 304 if the client has it. */
  async send(ctx: Context, status: 200 | 404 = 200): Promise<void> {
    const coding = pickCoding(ctx);
    ctx.status = status;
    ctx.set('Cache-Control', this.caching);
    ctx.vary('Accept-Encoding');
    // Each coding needs its own tag (RFC 9110 section 8.8.3.3), which must not look like what a proxy made of another.
    if (status === 200 && !sendTag(ctx, `"${this.tag}${coding === undefined ? '' : `.${coding}`}"`)) return;
    ctx.type = this.type;
    if (coding !== undefined) ctx.set('Content-Encoding', coding);
    ctx.body = coding === undefined ? this.bytes : await compressOnce(this.bytes, coding);
  }
}
