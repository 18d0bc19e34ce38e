import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** What a request tells about the machine that sent it. Lives as long as the request; only hashes are stored. */
export interface Client {
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly origin: string | undefined;
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
  };
}

function readAddress(request: IncomingMessage, trustedProxies: number): string | null {
  const peer = request.socket.remoteAddress ?? null;
  if (trustedProxies === 0) return normalizeAddress(peer);
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter((address) => isIP(address) !== 0);
  return normalizeAddress(forwarded.at(-trustedProxies) ?? peer);
}

/** An IPv4 address that arrives over an IPv6 socket is the same address. */
function normalizeAddress(address: string | null): string | null {
  return address?.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}

/** What one client is counted by: its address, or the /64 network of an IPv6 address, which one client owns whole. */
export function clientBucket(client: Client): string {
  const address = client.address ?? 'unknown';
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const rest = tail === '' ? 0 : tail.split(':').length;
    while (groups.length + rest < 8) groups.push('0');
  }
  return `${groups.slice(0, 4).join(':')}::/64`;
}
