import type { Context } from 'koa';

/** The suffixes that Apache, Caddy, Jetty, LiteSpeed and others add to the tag of an answer that they compressed. */
const codingSuffix = /(?:(?:--?|[;:])(?:gzip|gz|br|zstd|deflate)|;{1,3}){1,2}$/;

/** The opaque parts of a list of entity tags, as this server wrote them; `*` as it is. */
function readTags(list: string): readonly string[] {
  return list.split(',').map((item) => {
    // nginx makes a tag weak when it compresses the answer.
    const [, opaque] = /^(?:W\/)?"([^"]*)"$/i.exec(item.trim()) ?? [];
    return opaque === undefined ? item.trim() : `"${opaque.replace(codingSuffix, '')}"`;
  });
}

/**
 * True if a list of entity tags (If-Match, If-None-Match) names a tag. Only the opaque part counts: our tags name
 * content, not the bytes on the wire, which a proxy may compress.
 * @param tag as this server writes it, which is strong and has no suffix of a proxy.
 */
export function namesTag(list: string, tag: string): boolean {
  return readTags(list).some((one) => one === '*' || one === tag);
}

/** A list of entity tags in one form, to compare two requests. */
export function normalizeTags(list: string): string {
  return readTags(list).join(', ');
}

/**
 * Sets the ETag of a found object, and the status 304 if the client has it (RFC 9110 section 13.1.2).
 * @returns true if the body is still to be sent.
 */
export function sendTag(ctx: Context, tag: string): boolean {
  ctx.set('ETag', tag);
  const known = ctx.req.headers['if-none-match'];
  const isKnown = known !== undefined && (ctx.method === 'GET' || ctx.method === 'HEAD') && namesTag(known, tag);
  if (isKnown) ctx.status = 304;
  return !isKnown;
}
