import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Tables } from '../storage/tables.ts';
import { hashPieces } from './text-hash.ts';

/** A salt for commitments: 16 random bytes, as 22 characters of base64url. Without it, a commitment confirms no guess. */
export function newSalt(): string {
  return randomBytes(16).toString('base64url');
}

/**
 * Commits to a value without showing it: SHA-256, hex, over the salt, the name, a zero byte and the value, as UTF-8.
 * @param name of the value; the same value has another commitment under another name.
 */
export function commit(salt: string, name: string, value: string): string {
  return hashPieces([salt, name, '\0', value]);
}

/**
 * A value that identifies a person, with the salt of its commitment: what an erasure clears. Without it, the commitment
 * says nothing about the value.
 */
export interface Opening {
  /** The path of the commitment in the entry. */
  readonly path: string;
  /** 16 random bytes, base64url. */
  readonly salt: string;
  readonly value: string;
}

/** The columns of a consent record with the values that its entry has commitments to, and the paths of these. */
export const recordValues = { ip_hash: 'ipHash', subject_id: 'subjectId', ua_hash: 'uaHash' } as const;
/** The columns with the commitments to these values. */
export const commitmentColumns = {
  ip_hash: 'ip_commitment',
  subject_id: 'subject_commitment',
  ua_hash: 'ua_commitment',
} as const;
type ValueColumn = keyof typeof recordValues;
export type RecordOpening = Pick<Selectable<Tables['consent_records']>, ValueColumn | 'salt'>;

/** The openings of a consent record that is not erased. */
export function listOpenings(salt: string, row: Partial<RecordOpening>): readonly Opening[] {
  return Object.entries(recordValues).flatMap(([column, path]) => {
    const value = row[column as ValueColumn] ?? null;
    return value === null ? [] : [{ path, salt, value }];
  });
}
