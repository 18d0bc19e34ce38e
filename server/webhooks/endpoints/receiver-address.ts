import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { z } from 'zod';
import { text } from '../../http/schemas.ts';
import { normalizeWebAddress } from '../../http/web-address.ts';

// Source of the ranges: the IANA registries of special-purpose addresses (RFC 6890 and its updates; IPv4 and IPv6) where they
// say "not globally reachable", RFC 5771 and RFC 4291 for multicast.

/** Addresses of receivers in a private network, if the settings allow such receivers. */
export const privateRanges: readonly string[] = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
];

/** Addresses that no receiver has: those that mean "this host", many hosts, none, or the machine's own cloud. */
export const forbiddenRanges: readonly string[] = [
  '0.0.0.0/8',
  // Link-local; the services of clouds that hand out credentials answer here.
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Services of the same kind outside link-local: Azure, Alibaba; AWS, Google, Oracle and Scaleway over IPv6.
  '168.63.129.16/32',
  '100.100.100.200/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  'fd00:c1::a9fe:a9fe/128',
  'fd00:42::42/128',
  // Inside of what is assigned for unicast: protocol blocks with Teredo and ORCHID, documentation, 6to4.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
];

/**
 * `public`: a host of the public internet. `private`: loopback and the ranges that networks use inside. `forbidden`:
 * anything else, which no receiver has.
 */
export type AddressKind = 'public' | 'private' | 'forbidden';

/** The policy for receiver addresses. */
export interface ReceiverPolicy {
  /** Allows private addresses and http (setting SVC_WEBHOOK_ALLOW_PRIVATE). */
  readonly allowPrivate: boolean;
}

// One list a family: a BlockList of both finds the IPv4 ranges in mapped addresses (::ffff:10.0.0.1), too.
const privateV4 = listRanges(privateRanges, 'ipv4');
const privateV6 = listRanges(privateRanges, 'ipv6');
const forbiddenV4 = listRanges(forbiddenRanges, 'ipv4');
const forbiddenV6 = listRanges(forbiddenRanges, 'ipv6');
/** The only IPv6 addresses that are assigned to hosts of the public internet (RFC 4291 section 2.4, RFC 7249). */
const publicV6 = listRanges(['2000::/3'], 'ipv6');
/** An IPv4 address in networks that have no other way to it (RFC 6052 section 2.1). */
const translatedV6 = listRanges(['64:ff9b::/96'], 'ipv6');

/**
 * Classifies the text of an address, as resolvers and sockets write it. IPv6 addresses that embed an IPv4 address
 * (mapped, compatible, 6to4, Teredo) are forbidden as a whole; only the prefix of RFC 6052, without which an IPv6-only
 * network reaches few receivers, counts as the IPv4 address inside it, which must be public (section 3.1).
 */
export function classifyAddress(address: string): AddressKind {
  if (isIPv4(address)) {
    if (forbiddenV4.check(address)) return 'forbidden';
    return privateV4.check(address) ? 'private' : 'public';
  }
  // With a zone the address belongs to one link.
  if (!isIPv6(address) || address.includes('%')) return 'forbidden';
  if (forbiddenV6.check(address, 'ipv6')) return 'forbidden';
  if (privateV6.check(address, 'ipv6')) return 'private';
  if (translatedV6.check(address, 'ipv6')) {
    return classifyAddress(readTranslated(address)) === 'public' ? 'public' : 'forbidden';
  }
  return publicV6.check(address, 'ipv6') ? 'public' : 'forbidden';
}

export function isAllowedAddress(address: string, { allowPrivate }: ReceiverPolicy): boolean {
  const kind = classifyAddress(address);
  return kind === 'public' || (kind === 'private' && allowPrivate);
}

/** The IPv4 address in the last 32 bits. */
function readTranslated(address: string): string {
  // The URL parser writes an IPv6 address in one form, all groups in hex.
  const [high = '', low = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':').slice(-2);
  const bytes = Buffer.from(high.padStart(4, '0') + low.padStart(4, '0'), 'hex');
  return bytes.join('.');
}

function listRanges(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network, prefix] = range.split('/') as [string, string];
    if (isIPv4(network) === (family === 'ipv4')) list.addSubnet(network, Number(prefix), family);
  }
  return list;
}

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
