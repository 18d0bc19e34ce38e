import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { Problem } from '../http/problem.ts';

/**
 * Reads the token of an Authorization header (`Bearer <token>`, RFC 6750); undefined without a header.
 * @throws {Problem} `unauthenticated` for any other header, and for more than one.
 */
export function readBearer(request: IncomingMessage): string | undefined {
  const header = request.headers.authorization;
  if (header === undefined) return undefined;
  const isOnly = countHeaders(request, 'authorization') === 1;
  if (header === '' && isOnly) return undefined;
  const token = isOnly ? /^bearer +(\S+)$/i.exec(header)?.[1] : undefined;
  if (token === undefined) throw unauthenticated('Send one Authorization header: Bearer <token>.');
  return token;
}

/** Node ignores a second Authorization header; `headersDistinct` would sort all headers. */
function countHeaders({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const other = rawHeaders[index] as string;
    if (other.length === name.length && other.toLowerCase() === name) count += 1;
  }
  return count;
}

/** A 401 with the challenge of RFC 6750 section 3. @param reason why the credentials of the request are rejected. */
export function unauthenticated(message: string, reason?: 'invalid_token'): Problem {
  const error = reason === undefined ? '' : `, error="${reason}"`;
  return new Problem('unauthenticated', message, { headers: { 'WWW-Authenticate': `Bearer realm="svc"${error}` } });
}

/** A cookie that scripts cannot read; on https, its prefix makes browsers keep it to this host (RFC 6265bis, __Host-). */
export class HostCookie {
  readonly #name: string;
  readonly #attributes: string;

  constructor(name: string, isSecure: boolean) {
    this.#name = isSecure ? `__Host-${name}` : name;
    this.#attributes = `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  }

  /** The value in a Cookie header; undefined without one. */
  read(header: string | undefined): string | undefined {
    const start = `${this.#name}=`;
    const pair = header?.split(';').find((part) => part.trim().startsWith(start));
    return pair?.trim().slice(start.length);
  }

  /** A Set-Cookie header. @param seconds how long the browser keeps the cookie; null until it is closed. */
  write(value: string, seconds: number | null = null): string {
    return `${this.#name}=${value}${this.#attributes}${seconds === null ? '' : `; Max-Age=${seconds}`}`;
  }

  /** A Set-Cookie header that deletes the cookie. */
  clear(): string {
    return this.write('', 0);
  }
}

/**
 * The origin of the page that sent a request: `own` for a page of this server, `foreign` for any other, `unknown` for
 * clients that send no origin. Sec-Fetch-Site takes precedence, because only the browser can set it; without it, Origin
 * is compared with ours (OWASP Cross-Site Request Forgery Prevention, "Fetch Metadata headers").
 * @param baseUrl the public address of this server; null to use the Host of the request.
 */
export function readSite(request: IncomingMessage, baseUrl: string | null): 'own' | 'foreign' | 'unknown' {
  const { origin, host, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) return site === 'same-origin' ? 'own' : 'foreign';
  if (origin === undefined) return 'unknown';
  const scheme = (request.socket as TLSSocket).encrypted ? 'https' : 'http';
  return origin === (baseUrl ?? `${scheme}://${host}`) ? 'own' : 'foreign';
}
