import { hash } from 'node:crypto';
import type { Clock } from '../storage/clock.ts';

/**
 * The hash of a chain's next entry: SHA-256 over the previous hash (64 hex characters, nothing for the first
 * entry) followed by the canonical text of the entry, both as UTF-8. Hex, lower case.
 */
export function hashEntry(previousHash: string | null, entry: string): string {
  return hash('sha256', previousHash === null ? entry : previousHash + entry);
}

/** The head of a chain: the number and the hash of its last entry, and when it was appended. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string | null;
  /** RFC 3339 in UTC. */
  readonly at: string;
}

/** A stored head, with the keyed hash that only a server with the secret can compute. */
export interface SealedHead extends ChainHead {
  readonly keyId: string;
  readonly mac: string;
}

/** The text that is sealed. */
export function describeHead(tenantId: string, ledger: string, { sequence, hash, at }: ChainHead): string {
  return `svc chain head 1\n${tenantId}\n${ledger}\n${sequence}\n${hash ?? ''}\n${at}\n`;
}

/** The head of a chain without entries. */
export const emptyHead: ChainHead = { sequence: 0, hash: null, at: '' };

/** The tolerated difference between the clocks of servers that share a database: one second, in milliseconds. */
const clockTolerance = 1000;

/**
 * The time of the next entry: that of the change, or the current time if the last entry is newer, because a change that
 * waited for a lock started before it. Within a second of the last entry the time does not decrease, which hides small
 * differences between the clocks of two servers; a clock that was set back by more is visible.
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
