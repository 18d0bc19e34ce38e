import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

/**
 * What a browser says about the page that a request comes from: `own` for a page of this server, `foreign` for any other,
 * `unknown` where nothing is said, as programs do. Sec-Fetch-Site is what the browser itself found out; Origin is compared
 * with our own where it is missing (OWASP Cross-Site Request Forgery Prevention, "Fetch Metadata headers").
 * @param baseUrl the public address of this server; null to take the Host that was asked.
 */
export function readSite(request: IncomingMessage, baseUrl: string | null): 'own' | 'foreign' | 'unknown' {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' ? 'own' : 'foreign';
  const { origin } = request.headers;
  if (origin === undefined) return 'unknown';
  return origin === (baseUrl ?? askedOrigin(request)) ? 'own' : 'foreign';
}

function askedOrigin({ headers, socket }: IncomingMessage): string {
  return `${(socket as TLSSocket).encrypted ? 'https' : 'http'}://${headers.host}`;
}
