import { attempt } from './attempt.ts';

/**
 * The public address of a notice; without an origin when the base is no address.
 * @param base of the API: absolute or relative, with or without a path or trailing slashes.
 * @param source whose origin has the API when there is no base.
 */
export function writeAddress(noticeId: string, base: string | null | undefined, source: string): string {
  const url = attempt(() => new URL(base || '/', base ? document.baseURI : source || location.href));
  return `${url?.href.match(/^.*[^/]/) ?? ''}/v1/public/consent/${encodeURIComponent(noticeId)}`;
}

/** Asks for a notice, with nothing that could tell one visitor from another. */
export function requestNotice(address: string): Promise<Response> {
  return fetch(address, { credentials: 'omit', signal: AbortSignal.timeout(15_000) });
}
