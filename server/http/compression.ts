import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { Context, Middleware } from 'koa';

const { BROTLI_PARAM_QUALITY, BROTLI_MAX_QUALITY } = constants;

/** Quality of answers that are compressed each time: higher ones of brotli cost more than they save. */
const quality = { br: 4, gzip: 6 } as const;

/** Above this size, in bytes, brotli's highest quality takes seconds. */
const largestThorough = 200_000;

const codings = {
  br: {
    compress: (bytes: Buffer, level: number) =>
      promisify(brotliCompress)(bytes, {
        params: { [BROTLI_PARAM_QUALITY]: level, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
      }),
    thorough: (size: number) => (size > largestThorough ? 9 : BROTLI_MAX_QUALITY),
    stream: () => createBrotliCompress({ params: { [BROTLI_PARAM_QUALITY]: quality.br } }),
  },
  gzip: {
    compress: (bytes: Buffer, level: number) => promisify(gzip)(bytes, { level }),
    thorough: () => 9,
    stream: () => createGzip({ level: quality.gzip }),
  },
} as const;

export type ContentCoding = keyof typeof codings;

/** The best coding that the client accepts; undefined for none. */
export function pickCoding(ctx: Context): ContentCoding | undefined {
  if (ctx.req.headers['accept-encoding'] === undefined) return undefined;
  // One by one, because among equals Koa would choose the first that the client names.
  return (['br', 'gzip'] as const).find((one) => ctx.acceptsEncodings(one) === one);
}

const kept = { br: new WeakMap<Buffer, Promise<Buffer>>(), gzip: new WeakMap<Buffer, Promise<Buffer>>() };

/** Compresses bytes that are sent many times as well as it can, once for as long as the caller keeps them. */
export function compressOnce(bytes: Buffer, coding: ContentCoding): Promise<Buffer> {
  let compressed = kept[coding].get(bytes);
  if (compressed === undefined) {
    const { compress, thorough } = codings[coding];
    compressed = compress(bytes, thorough(bytes.length));
    kept[coding].set(bytes, compressed);
  }
  return compressed;
}

/** Shorter bodies fit one packet anyway. */
const smallest = 1024;

const compressibleType = /^(?:text\/|image\/svg\+xml|application\/(?:[a-z]+\+)?json)/;

/**
 * Compresses the answers of 1 kB and more whose client accepts it, streams as they are made. Not those with
 * `ctx.state.holdsSecret`: beside text that somebody else chose, the length of an answer would reveal the secret (BREACH).
 */
export function compressAnswers(): Middleware {
  return async (ctx, next) => {
    await next();
    if (ctx.state.holdsSecret === true || ctx.res.hasHeader('Content-Encoding')) return;
    if (ctx.status === 304) return describeUnchanged(ctx);
    const { body } = ctx;
    // A stored file is sent as it is, with its length.
    if (body instanceof Readable && ctx.res.hasHeader('Content-Length')) return;
    if (!(Buffer.isBuffer(body) || typeof body === 'string' || body instanceof Readable)) return;
    if (!compressibleType.test(ctx.response.get('Content-Type'))) return;
    if (isStorable(ctx)) ctx.vary('Accept-Encoding');
    if (!(body instanceof Readable) && body.length < smallest) return;
    const coding = pickCoding(ctx);
    if (coding === undefined) return;
    ctx.set('Content-Encoding', coding);
    // The tag names the content, and no longer these bytes alone (RFC 9110 section 8.8.1).
    const tag = ctx.response.get('ETag') as string | undefined;
    if (tag?.startsWith('"')) ctx.set('ETag', `W/${tag}`);
    if (body instanceof Readable) ctx.body = pipeline(body, codings[coding].stream(), () => undefined);
    // Bytes in a buffer are those of something kept in memory.
    else if (Buffer.isBuffer(body)) ctx.body = await compressOnce(body, coding);
    else ctx.body = await codings[coding].compress(Buffer.from(body), quality[coding]);
  };
}

/** A 304 has the headers that the 200 would have, so that caches recognize what they stored. */
function describeUnchanged(ctx: Context): void {
  ctx.vary('Accept-Encoding');
  const tag = ctx.response.get('ETag');
  if (ctx.get('If-None-Match').includes(`W/${tag}`)) ctx.set('ETag', `W/${tag}`);
}

function isStorable(ctx: Context): boolean {
  return (ctx.method === 'GET' || ctx.method === 'HEAD') && ctx.response.get('Cache-Control') !== 'no-store';
}
