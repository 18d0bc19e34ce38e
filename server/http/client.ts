import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { Problem } from './problem.ts';

/** The client of a request. Lives as long as the request; only hashes are stored. */
export interface Client {
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly origin: string | undefined;
  /** The Cookie header. */
  readonly cookie: string | undefined;
  /** The Host header: what the client wrote, to be checked before it is used. */
  readonly host: string | undefined;
}

/**
 * Reads the client of a request.
 * @param trustedProxies how many of our own proxies are in front: only what they added to X-Forwarded-For counts,
 *   everything left of it may be forged by a client.
 */
export function readClient({ headers, socket }: IncomingMessage, trustedProxies: number): Client {
  const peer = socket.remoteAddress ?? null;
  return {
    address: normalizeAddress(trustedProxies === 0 ? peer : (readForwarded(headers, trustedProxies) ?? peer)),
    userAgent: headers['user-agent'] ?? null,
    origin: headers.origin,
    cookie: headers.cookie,
    host: headers.host,
  };
}

/** The address that the outermost of our proxies added; null where it added none. */
function readForwarded(headers: IncomingMessage['headers'], trustedProxies: number): string | null {
  const hops = String(headers['x-forwarded-for'] ?? '').split(',');
  // Counted before it is looked at: what a client made up must not move up into the place of what a proxy added.
  const hop = hops.at(-trustedProxies)?.trim() ?? '';
  // Some proxies add the port of the client, and brackets around an IPv6 address.
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? [];
  const added = bracketed ?? plain ?? hop;
  return isIP(added) === 0 ? null : added;
}

/** An IPv4 address that arrives over an IPv6 socket is the same address. */
function normalizeAddress(address: string | null): string | null {
  return address?.replace(/^::ffff:(?=.*\.)/i, '') ?? null;
}

/**
 * What one client is counted by: its address, or the network of an IPv6 address.
 * @param prefix 64 is what one client has, 48 what one site has.
 */
export function clientBucket({ address }: Client, prefix: 64 | 48 = 64): string {
  if (address === null) return 'unknown';
  return isIP(address) === 6 ? `${networkOf(address, prefix / 16)}::/${prefix}` : address;
}

/** The first of the eight groups of an IPv6 address, each in its shortest form. */
function networkOf(address: string, groupCount: number): string {
  const [first = [], last = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const given = first.length + last.length + (address.includes('.') ? 1 : 0);
  const groups = [...first, ...Array.from({ length: 8 - given }, () => '0'), ...last];
  return groups
    .slice(0, groupCount)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** A name or an address, and a port (RFC 3986 section 3.2): all that a Host header may be. */
const authority = /^(?:[a-z0-9](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * The address that this server has for a client, without a path.
 * @param baseUrl the public address of this server; null to take the Host header.
 * @returns null for an invalid Host, which must not reach what others read.
 */
export function findOwnAddress(baseUrl: string | null, { host = '' }: Pick<Client, 'host'>): string | null {
  if (baseUrl !== null) return baseUrl;
  return authority.test(host) ? `http://${host}` : null;
}

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

/** Connections whose request boundaries are uncertain: the parser hands over those behind a rejected one, too. */
const rejected = new WeakSet<Socket>();

/**
 * Rejects headers that could be read in two ways, and whatever follows them on the connection.
 * @throws {Problem} `invalid_header` for a header that has one value and comes twice, and for a missing or invalid Host.
 */
export function requireClearHeaders(request: IncomingMessage): void {
  const { socket } = request;
  const issue = rejected.has(socket) ? 'A request before this one had an invalid header.' : findIssue(request);
  if (issue === null) return;
  rejected.add(socket);
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

/** Headers of every answer of a public operation: any site may read it, none with credentials (Fetch, CORS protocol). */
export const corsHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Svc-Request-Id, Svc-Version, Retry-After, RateLimit, RateLimit-Policy',
} as const;
