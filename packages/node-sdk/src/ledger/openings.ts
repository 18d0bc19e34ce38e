import type { LedgerOpening } from '../types/api.ts';
import { type Sha256, toHex } from './bytes.ts';
import { fail } from './error.ts';

/**
 * A value that identifies a person, with the salt of its commitment. The entry has only the commitment, so that the
 * value can be erased and the entry still verifies.
 */
export type Opening = LedgerOpening;

/** The fields of a consent record whose values are commitments in its entry. */
export const committedFields = ['subjectId', 'ipHash', 'uaHash'] as const;

/** The commitment: SHA-256, hex, over salt, path, a zero byte and value as UTF-8; null for an invalid salt or text. */
export function commit(sha256: Sha256, { path, salt, value }: Opening): string | null {
  if (!/^[A-Za-z0-9_-]{22}$/.test(salt) || !value.isWellFormed()) return null;
  return toHex(sha256(`${salt}${path}\0${value}`));
}

/**
 * Verifies that each opening is the one that an entry has a commitment to. A record may have openings of all its
 * commitments or of none; an event can name several people, and have those of some.
 * @returns whether values are missing: erased, or left out of the copy.
 * @throws {LedgerVerificationError} `opening_mismatch`.
 */
export function verifyOpenings(
  sha256: Sha256,
  ledger: 'audit' | 'consent',
  { sequence, entry, openings }: OpenedEntry,
): boolean {
  const opened = new Set<string>();
  const commitments = ledger === 'audit' ? readCommitments(entry) : entry;
  for (const opening of openings) {
    const { path } = opening;
    const commitment = Object.hasOwn(commitments, path) ? commitments[path] : undefined;
    if (opened.has(path) || typeof commitment !== 'string' || commit(sha256, opening) !== commitment)
      fail('opening_mismatch', `the ${path} beside entry ${sequence} is not the value that was recorded`, sequence);
    opened.add(path);
  }
  if (ledger === 'audit') return opened.size < Object.keys(commitments).length;
  const committed = committedFields.filter((name) => entry[name] !== null);
  if (opened.size > 0 && (opened.size !== committed.length || !committed.every((name) => opened.has(name))))
    fail('opening_mismatch', `entry ${sequence} has only a part of the values that were recorded with it`, sequence);
  return opened.size < committed.length;
}

/** The commitments of an audit event, by the paths of the fields whose values they stand for. */
function readCommitments({ commitments = {} }: OpenedEntry['entry']): Readonly<Record<string, unknown>> {
  return typeof commitments === 'object' && commitments !== null ? (commitments as Record<string, unknown>) : {};
}

/**
 * Converts an audit event that shows the values of its openings to the event that was hashed: null in place of the
 * values, and the commitments.
 * @throws {LedgerVerificationError} `opening_mismatch` if it shows another value than was recorded.
 */
export function closeEvent(sha256: Sha256, event: object, { entry, openings }: OpenedEvent): object {
  verifyOpenings(sha256, 'audit', { sequence: null, entry, openings });
  const { commitments } = entry;
  if (commitments === undefined) return event;
  const closed = JSON.parse(JSON.stringify(event));
  for (const path of Object.keys(readCommitments(entry))) {
    const names = path.split('.');
    const last = names.pop() as string;
    const holder = names.reduce((one, name) => (hasOwn(one, name) ? one[name] : undefined), closed);
    const value = openings.find((opening) => opening.path === path)?.value ?? null;
    if (!hasOwn(holder, last) || holder[last] !== value)
      fail('opening_mismatch', `the ${path} of the event is not the value that was recorded`);
    holder[last] = null;
  }
  return { ...closed, commitments };
}

function hasOwn(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
}

/** The entry of an event, with its openings, as in the event's proof. */
export type OpenedEvent = Omit<OpenedEntry, 'sequence'>;

interface OpenedEntry {
  readonly sequence: number | null;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly openings: readonly Opening[];
}
