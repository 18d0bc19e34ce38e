import { BlockList, isIPv4, isIPv6 } from 'node:net';
import {
  type AddressRange,
  forbiddenRanges,
  privateRanges,
  publicRangesV6,
  translatedRange,
} from './address-ranges.ts';

/**
 * `public`: a host of the public internet. `private`: loopback and the ranges that networks use inside. `forbidden`:
 * anything else, no receiver of anybody.
 */
export type AddressKind = 'public' | 'private' | 'forbidden';

/** Which receivers may be written to. */
export interface ReceiverPolicy {
  /** Whether receivers in one's own network, and http, are allowed (setting SVC_WEBHOOK_ALLOW_PRIVATE). */
  readonly allowPrivate: boolean;
}

// One list a family: a BlockList that holds ::ffff:0:0/96 finds every IPv4 address in it.
const privateV4 = listRanges(privateRanges, 'ipv4');
const privateV6 = listRanges(privateRanges, 'ipv6');
const forbiddenV4 = listRanges(forbiddenRanges, 'ipv4');
const forbiddenV6 = listRanges(forbiddenRanges, 'ipv6');
const publicV6 = listRanges(publicRangesV6, 'ipv6');
const translatedV6 = listRanges([translatedRange], 'ipv6');

/**
 * What kind of address a text is, as resolvers and sockets write addresses. IPv4 in the clothes of IPv6 (mapped, compatible,
 * 6to4, Teredo) is forbidden as a whole; only the prefix of RFC 6052, without which a network with IPv6 alone reaches few
 * receivers, counts as the IPv4 address inside it, which must be public (section 3.1).
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

/** Whether a delivery may go to this address. */
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

function listRanges(ranges: readonly AddressRange[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const { network, prefix } of ranges) {
    if (isIPv4(network) === (family === 'ipv4')) list.addSubnet(network, prefix, family);
  }
  return list;
}
