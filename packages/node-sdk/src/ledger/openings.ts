import { type Sha256, toHex } from './bytes.ts';
import { LedgerVerificationError } from './error.ts';

/**
 * A value that identifies a person, with the salt of its commitment. The entry has only the commitment, so that the value
 * can be erased and the entry still verifies.
 */
export interface Opening {
  /** The path of the commitment in the entry. */
  readonly path: string;
  /** 16 random bytes, base64url. */
  readonly salt: string;
  readonly value: string;
}

/** The fields of a consent record whose values are commitments in its entry. */
export const committedFields = ['subjectId', 'ipHash', 'uaHash'] as const;

/** The commitment: SHA-256, hex, over salt, path, a zero byte and value as UTF-8; null for an invalid salt or text. */
export function commit(sha256: Sha256, { path, salt, value }: Opening): string | null {
  if (!/^[A-Za-z0-9_-]{22}$/.test(salt) || !value.isWellFormed()) return null;
  return toHex(sha256(`${salt}${path}\0${value}`));
}

/**
 * Verifies that each opening is the one that an entry has a commitment to. An entry may have openings of all its
 * commitments or of none.
 * @returns whether values are missing: erased, or left out of the copy.
 * @throws {LedgerVerificationError} `opening_mismatch`.
 */
export function verifyOpenings(
  sha256: Sha256,
  ledger: 'audit' | 'consent',
  { sequence, entry, openings }: OpenedEntry,
): boolean {
  const opened = new Set<string>();
  for (const opening of openings) {
    const { path } = opening;
    const commitment = Object.hasOwn(entry, path) ? entry[path] : undefined;
    if (opened.has(path) || typeof commitment !== 'string' || commit(sha256, opening) !== commitment)
      throw mismatch(`the ${path} beside entry ${sequence} is not the value that was recorded`, sequence);
    opened.add(path);
  }
  if (ledger !== 'consent') return false;
  const committed = committedFields.filter((name) => entry[name] !== null);
  if (opened.size > 0 && (opened.size !== committed.length || !committed.every((name) => opened.has(name))))
    throw mismatch(`entry ${sequence} has only a part of the values that were recorded with it`, sequence);
  return opened.size < committed.length;
}

interface OpenedEntry {
  readonly sequence: number;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly openings: readonly Opening[];
}

function mismatch(message: string, sequence: number): LedgerVerificationError {
  return new LedgerVerificationError('opening_mismatch', message, { sequence });
}
