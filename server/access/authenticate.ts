import type { IncomingMessage } from 'node:http';
import { Problem } from '../http/problem.ts';

/**
 * The token of an Authorization header (`Bearer <token>`, RFC 6750); undefined without a header.
 * @throws {Problem} `unauthenticated` for any other header, and for two of them.
 */
export function readBearer(request: IncomingMessage): string | undefined {
  const header = request.headers.authorization;
  if (header === undefined) return undefined;
  const isOnly = countHeaders(request, 'authorization') === 1;
  if (header === '' && isOnly) return undefined;
  const token = isOnly ? /^bearer +(\S+)$/i.exec(header)?.[1] : undefined;
  if (token === undefined) throw unauthenticated('Send one Authorization header that reads: Bearer <token>.');
  return token;
}

/** How often a header was sent; Node itself passes over a second Authorization. `headersDistinct` would sort them all. */
function countHeaders({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const other = rawHeaders[index] as string;
    if (other.length === name.length && other.toLowerCase() === name) count += 1;
  }
  return count;
}

/** A 401 with the challenge of RFC 6750 section 3. @param reason why credentials that were sent are refused. */
export function unauthenticated(message: string, reason?: 'invalid_token'): Problem {
  const error = reason === undefined ? '' : `, error="${reason}"`;
  return new Problem('unauthenticated', message, { headers: { 'WWW-Authenticate': `Bearer realm="svc"${error}` } });
}
