import { isIP } from 'node:net';
import { z } from 'zod';
import { normalizeWebAddress, text } from '../../http/schemas.ts';
import { classifyAddress, isAllowedAddress, type ReceiverPolicy } from './address-guard.ts';

const longestUrl = 2048;

/**
 * Names of hosts of one machine or one network: RFC 6761, RFC 6762, RFC 7686, RFC 8375, what ICANN keeps out of
 * the root for such use, and what routers and companies use all the same.
 */
const internalName =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|test|invalid|onion)$/;

/**
 * Ports from 1024 up on which services other than web servers listen: the ones that browsers refuse (Fetch standard, "port
 * blocking"), and databases, queues, caches and remote desktops.
 */
const servicePorts: ReadonlySet<number> = new Set([
  1080, 1433, 1434, 1521, 1719, 1720, 1723, 1883, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 5060,
  5061, 5432, 5671, 5672, 5900, 5984, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 8883, 9042, 9092,
  9200, 9300, 10080, 11211, 27017, 27018, 27019,
]);

/**
 * The address of a receiver as it is stored: http or https, without user name and fragment, in the one form that the URL
 * parser gives it (`https://0x7f.1/` is `https://127.0.0.1/`), without the final dot that says that a name is complete
 * (RFC 1034 section 3.1). Whether it may be written to depends on the settings: see {@link findReceiverFault}.
 */
export const WebhookUrl = text(longestUrl)
  .transform((text, context) => {
    const address = normalizeWebAddress(text.trim());
    const url = address && dropFinalDot(address);
    if (url !== null && url.length <= longestUrl && !url.includes('#')) return url;
    context.addIssue('must be an https:// address without a user name, a password or a # part');
    return z.NEVER;
  })
  .meta({ override: { type: 'string', format: 'uri', maxLength: longestUrl } });

/**
 * Why a receiver may not be written to, or null. Without local receivers allowed: https to a public address or a name that
 * may belong to one, on 443 or on a port from 1024 up where no other kind of service is known to listen; other senders require
 * between "only 443" and nothing. With them: everything except addresses where no receiver can be.
 * @param url as {@link WebhookUrl} gives it.
 */
export function findReceiverFault(url: string, policy: ReceiverPolicy): string | null {
  const { protocol, hostname, port } = new URL(url);
  const host = readHost(hostname);
  if (isIP(host) !== 0) {
    if (!isAllowedAddress(host, policy)) {
      return classifyAddress(host) === 'private'
        ? 'must be reachable from the public internet: this address belongs to a private network'
        : 'must be reachable from the public internet: no receiver can have this address';
    }
  } else if (!policy.allowPrivate) {
    if (!host.includes('.')) return 'must have a full host name such as hooks.example.com: a single word is internal';
    if (internalName.test(host)) return 'must be reachable from the public internet: this host name is internal';
  }
  if (policy.allowPrivate) return null;
  if (protocol !== 'https:') return 'must use https://, so that deliveries cannot be read or changed in transit';
  if (!isWebPort(port === '' ? 443 : Number(port))) {
    return `must have the port 443, or one from 1024 up that web servers use: ${port} belongs to another kind of service`;
  }
  return null;
}

/** The host of a URL as a resolver takes it: without the brackets of IPv6 and without a final dot. */
export function readHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '');
}

/** @returns null for a host with an empty part (`a..b`, `.`): there is no such name. */
function dropFinalDot(address: string): string | null {
  const url = new URL(address);
  const host = url.hostname.replace(/\.$/, '');
  if (host.split('.').includes('')) return null;
  url.hostname = host;
  return url.href;
}

function isWebPort(port: number): boolean {
  return port === 443 || (port >= 1024 && !servicePorts.has(port));
}
