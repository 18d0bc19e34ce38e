import { attempt } from './attempt.ts';

/**
 * The public address of a notice; without an origin if the base is invalid.
 * @param base of the API: absolute or relative, with or without a path or trailing slashes.
 * @param source the address whose origin is the default base.
 */
export function writeAddress(noticeId: string, base: string | null | undefined, source: string): string {
  const url = attempt(() => new URL(base || '/', base ? document.baseURI : source));
  return `${url?.href.match(/^.*[^/]/) ?? ''}/v1/public/consent/${encodeURIComponent(noticeId)}`;
}
