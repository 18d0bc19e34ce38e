import type { AuditEvent, ConsentRecord } from '../types/api.ts';
import { readDigest, type Sha256, toHex } from './bytes.ts';
import { canonicalizeIfValid } from './canonical.ts';
import { fail } from './error.ts';
import { closeEvent, commit, committedFields, type OpenedEvent } from './openings.ts';

/** A consent record as the API gives it: what is named here, and all its other fields. */
export type LedgerRecord = Pick<
  ConsentRecord,
  | ('sequence' | 'recordedAt' | 'ledgerHash' | 'prevLedgerHash')
  | ('subjectId' | 'ipHash' | 'uaHash' | 'salt' | 'erasedAt')
>;

/** An audit event as the API gives it, from the list or with its details. */
export interface LedgerEvent extends Pick<AuditEvent, 'at' | 'hash' | 'prevHash'> {
  /** The inclusion proof of the event, for one with its details that names a person: it has the salts of these values. */
  readonly proof?: OpenedEvent;
}

/** Result of the verification of rows. */
export interface VerifiedRows {
  /** How many there were. */
  readonly rows: number;
  /** How many are what was hashed: unchanged, unless all later hashes were recomputed too. */
  readonly hashed: number;
  /** How many pairs follow each other in the ledger, and do so by their hashes. */
  readonly linked: number;
}

/** Rows as a list gives them, or in an array. */
export type Rows<Row> = AsyncIterable<Row> | Iterable<Row>;

/** `verifyRecords` of `LedgerVerifier`. */
export async function verifyRecords(
  sha256: Sha256,
  records: Rows<LedgerRecord>,
  options: { readonly tenantId: string },
): Promise<VerifiedRows> {
  let previous: LedgerRecord | null = null;
  let isRising: boolean | null = null;
  let [rows, hashed, linked] = [0, 0, 0];
  for await (const record of records) {
    const { sequence } = record;
    if (requireRecordHash(sha256, record, options.tenantId)) hashed += 1;
    if (previous !== null) {
      isRising ??= sequence > previous.sequence;
      if (sequence === previous.sequence || sequence > previous.sequence !== isRising)
        fail('entry_missing', `record ${sequence} stands after record ${previous.sequence}`, sequence);
      const [older, newer]: [LedgerRecord, LedgerRecord] = isRising ? [previous, record] : [record, previous];
      if (newer.sequence === older.sequence + 1) {
        if (newer.prevLedgerHash !== older.ledgerHash)
          fail('chain_broken', `record ${newer.sequence} names another predecessor`, newer.sequence);
        linked += 1;
      }
    }
    rows += 1;
    previous = record;
  }
  return { rows, hashed, linked };
}

/**
 * Verifies that a record is what was hashed.
 * @returns false for an erased record, which lacks some of it.
 * @throws {LedgerVerificationError} `hash_mismatch`, `chain_broken`.
 */
export function requireRecordHash(sha256: Sha256, record: LedgerRecord, tenantId: string): boolean {
  const { ledgerHash, prevLedgerHash, salt, erasedAt, ...rest } = record;
  const { sequence } = record;
  if (!Number.isSafeInteger(sequence)) fail('hash_mismatch', 'the number of a record is not an integer');
  if ((sequence === 1) !== (prevLedgerHash === null))
    fail('chain_broken', `record ${sequence} cannot have this predecessor`, sequence);
  const before = prevLedgerHash === null ? '' : readDigest(prevLedgerHash, 'sha256:');
  const refuse = () => fail('hash_mismatch', `the hash of record ${sequence} does not fit it`, sequence);
  if (before === null || readDigest(ledgerHash, 'sha256:') === null) refuse();
  if (salt === null && typeof erasedAt === 'string' && committedFields.every((name) => rest[name] === null))
    return false;
  const committed: Record<string, string | null> = {};
  for (const path of committedFields) {
    const value: unknown = rest[path];
    // As text a list of one is what it holds: only what was hashed may verify.
    if (value !== null && (typeof value !== 'string' || typeof salt !== 'string')) refuse();
    committed[path] = value === null ? null : commit(sha256, { path, salt: salt as string, value: value as string });
    if (value !== null && committed[path] === null) refuse();
  }
  const entry = { ...rest, ...committed, tenantId };
  if (erasedAt !== null || `sha256:${hashRow(sha256, before as string, entry)}` !== ledgerHash) refuse();
  return true;
}

/** `verifyEvents` of `LedgerVerifier`. */
export async function verifyEvents(
  sha256: Sha256,
  events: Rows<LedgerEvent>,
  options: { readonly tenantId: string },
): Promise<VerifiedRows> {
  let newer: LedgerEvent | null = null;
  let [rows, hashed] = [0, 0];
  for await (const event of events) {
    if (typeof event.hash !== 'string') fail('hash_mismatch', 'the hash of an event is not text');
    if (hasDetails(event)) {
      const { hash, prevHash, proof, ...shown } = event;
      const rest = proof === undefined ? shown : closeEvent(sha256, shown, proof);
      const before = prevHash === null ? '' : readDigest(prevHash);
      if (before === null || hashRow(sha256, before, { ...rest, tenantId: options.tenantId }) !== hash)
        fail('hash_mismatch', `the hash of the event ${hash} does not fit it; one that names a person needs its proof`);
      hashed += 1;
    }
    if (newer !== null && newer.prevHash !== event.hash)
      fail('chain_broken', `the event ${newer.hash} names another predecessor than the one that follows in the list`);
    rows += 1;
    newer = event;
  }
  return { rows, hashed, linked: Math.max(0, rows - 1) };
}

function hasDetails(event: LedgerEvent): boolean {
  return ['ip', 'userAgent', 'reason'].every((name) => Object.hasOwn(event, name));
}

function hashRow(sha256: Sha256, before: string, entry: object): string | null {
  const text = canonicalizeIfValid(entry);
  return text === null ? null : toHex(sha256(before + text));
}
