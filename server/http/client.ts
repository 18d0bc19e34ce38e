import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** What a request tells about the machine that sent it. Lives as long as the request; only hashes are stored. */
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
 * @param trustedProxies how many proxies of ours stand in front: only what they added to X-Forwarded-For counts,
 *   everything left of it is what a client may have made up.
 */
export function readClient(request: IncomingMessage, trustedProxies: number): Client {
  return {
    address: readAddress(request, trustedProxies),
    userAgent: request.headers['user-agent'] ?? null,
    origin: request.headers.origin,
    cookie: request.headers.cookie,
    host: request.headers.host,
  };
}

function readAddress(request: IncomingMessage, trustedProxies: number): string | null {
  const peer = request.socket.remoteAddress ?? null;
  if (trustedProxies === 0) return normalizeAddress(peer);
  const hops = String(request.headers['x-forwarded-for'] ?? '').split(',');
  // Counted before it is looked at: what a client made up must not move up into the place of what a proxy added.
  const added = withoutPort(hops.at(-trustedProxies)?.trim() ?? '');
  return normalizeAddress(isIP(added) === 0 ? peer : added);
}

/** Some proxies add the port of the client, and brackets around an IPv6 address. */
function withoutPort(hop: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? [];
  return bracketed ?? plain ?? hop;
}

/** An IPv4 address that arrives over an IPv6 socket is the same address. */
function normalizeAddress(address: string | null): string | null {
  return address?.replace(/^::ffff:(?=.*\.)/i, '') ?? null;
}

/**
 * What one client is counted by: its address, or the network of an IPv6 address.
 * @param prefix 64 is what one client has, 48 what one site has.
 */
export function clientBucket(client: Client, prefix: 64 | 48 = 64): string {
  const address = client.address ?? 'unknown';
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
