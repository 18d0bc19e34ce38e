import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { authority } from './own-address.ts';
import { Problem } from './problem.ts';

/**
 * Headers that have one value. Of most of them Node takes the first and drops the others, while a proxy in front may have
 * taken the last: the two would not agree on what the request is (RFC 9112 section 3.2 for Host, RFC 9110 section 5.3).
 */
const singleValued: ReadonlySet<string> = new Set([
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'idempotency-key',
  'origin',
  'sec-fetch-site',
  'svc-tenant',
  'svc-version',
]);

/** Connections whose request boundaries are uncertain: the parser hands over those behind a refused one, too. */
const refused = new WeakSet<Socket>();

/**
 * Refuses headers that could be read in two ways, and whatever follows them on the connection.
 * @throws {Problem} `invalid_header` for a header that has one value and comes twice, and for a Host that is missing or
 *   cannot be one.
 */
export function requireClearHeaders(request: IncomingMessage): void {
  const { socket } = request;
  const issue = refused.has(socket) ? 'A request before this one had an invalid header.' : findIssue(request);
  if (issue === null) return;
  refused.add(socket);
  throw new Problem('invalid_header', issue, { headers: { Connection: 'close' } });
}

function findIssue({ headers, rawHeaders, httpVersion }: IncomingMessage): string | null {
  const { host } = headers;
  if (host === undefined ? httpVersion !== '1.0' : !authority.test(host))
    return 'Send a Host header with a host name or address, and a port where there is one.';
  if (rawHeaders.length === 2 * Object.keys(headers).length) return null;
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    if (seen.has(name) && singleValued.has(name)) return `The header ${name} must be given only once.`;
    seen.add(name);
  }
  return null;
}
