import { hash } from 'node:crypto';
import type { Clock } from '../storage/clock.ts';
import { hashLeaf } from './merkle.ts';

/**
 * The hash of a chain's next entry: SHA-256 over the previous hash (64 hex characters, nothing for the first
 * entry) followed by the canonical text of the entry, both as UTF-8. Hex, lower case.
 */
export function hashEntry(previousHash: string | null, entry: string): string {
  return hash('sha256', previousHash === null ? entry : previousHash + entry);
}

/** The leaf of an entry: the hash over the 32 bytes of its chain hash, which stands for the entry and for all before it. */
export function leafOf(chainHash: string): Buffer {
  return hashLeaf(Buffer.from(chainHash, 'hex'));
}

/** Where a chain stands: the number and the hash of its last entry, and when it was appended. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string | null;
  /** RFC 3339 in UTC. */
  readonly at: string;
}

/** A head as it is stored: with the keyed hash that only a server with the secret can make. */
export interface SealedHead extends ChainHead {
  readonly keyId: string;
  readonly mac: string;
}

/** What the seal of a head is made of. */
export function describeHead(tenantId: string, ledger: string, { sequence, hash, at }: ChainHead): string {
  return `svc chain head 1\n${tenantId}\n${ledger}\n${sequence}\n${hash ?? ''}\n${at}\n`;
}

/** The head of a chain without entries. */
export const emptyHead: ChainHead = { sequence: 0, hash: null, at: '' };

/** By how much the clocks of servers that share a database may differ without a fall of the times: a second. */
const clockTolerance = 1000;

/**
 * The time of the next entry: that of the change. A change that waited for a lock began before the last entry, and the
 * change may carry an earlier time: then the clock is read again. Within a second of the last entry the time does
 * not fall, so that the small difference between the clocks of two servers does not show; a clock that was set back by
 * more does.
 */
export function nextTime(
  head: ChainHead,
  now: string,
  clock: Clock,
): { readonly at: string; readonly hasFallen: boolean } {
  if (now >= head.at) return { at: now, hasFallen: false };
  const read = clock();
  const hasFallen = Date.parse(head.at) - Date.parse(read) > clockTolerance;
  return { at: hasFallen ? read : head.at, hasFallen };
}
