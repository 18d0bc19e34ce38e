import { hash } from 'node:crypto';
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

/** The head of a chain without entries. */
export const emptyHead: ChainHead = { sequence: 0, hash: null, at: '' };

/** The time of the next entry: now, but never before the last one, so that a chain's times only ever rise. */
export function nextTime(head: ChainHead, now: string): string {
  return now > head.at ? now : head.at;
}
