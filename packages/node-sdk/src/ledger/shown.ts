import type { ConsentRecord, PublicPurpose, PurposeBasis, Tracker } from '../types/api.ts';
import { decodeText, type LedgerCrypto, readDigest, type Sha256, toHex } from './bytes.ts';
import { canonicalizeIfValid } from './canonical.ts';
import type { OpenedCheckpoint } from './checkpoint.ts';
import { fail } from './error.ts';
import { isObject } from './export-format.ts';
import { committedFields } from './openings.ts';
import { type InclusionOptions, type InclusionProofInput, verifyInclusion } from './proofs.ts';
import { type LedgerRecord, requireRecordHash } from './rows.ts';

/** A cookie or the like that the notice named for a purpose. */
export type ShownTracker = Tracker;

/** A purpose in the words that the visitor saw. */
export interface ShownPurpose extends Pick<PublicPurpose, 'key' | 'label' | 'description' | 'required'> {
  readonly trackers: readonly ShownTracker[];
  /** The decision of the record; null for a purpose that it does not name. */
  readonly granted: boolean | null;
  /** The basis in the region of the visitor, as the record has it. */
  readonly basis: PurposeBasis | null;
}

/** The words that a visitor saw, with what they decided. */
export interface ShownWords extends Pick<ConsentRecord, 'noticeId' | 'noticeVersion' | 'region'> {
  readonly language: string;
  readonly title: string;
  readonly intro: string;
  readonly purposes: readonly ShownPurpose[];
  /** The whole notice as it was sent: also controller, links, look and the other texts. */
  readonly notice: Readonly<Record<string, unknown>>;
}

/** The words that belong to an entry which a checkpoint covers. */
export interface VerifiedShown extends ShownWords {
  readonly sequence: number;
  readonly checkpoint: OpenedCheckpoint;
}

/** The options of `verifyShown`. */
export interface ShownOptions extends Omit<InclusionOptions, 'hash' | 'proof'> {
  readonly record: LedgerRecord;
  readonly proof: InclusionProofInput & { readonly shown?: string | null };
  readonly shown?: Uint8Array | string;
}

type Entry = Readonly<Record<string, unknown>>;

/** `verifyShown` of `LedgerVerifier`. */
export async function verifyShown(crypto: LedgerCrypto, options: ShownOptions): Promise<VerifiedShown> {
  const { record, proof } = options;
  const { sequence, checkpoint, entry } = await verifyInclusion(crypto, { ...options, hash: record.ledgerHash });
  if (entry === null || !checkpoint.origin.endsWith('/consent'))
    fail('proof_invalid', 'the proof has no entry of a consent ledger', sequence);
  requireSame(crypto.sha256, record, entry, sequence);
  const text = options.shown ?? proof.shown ?? null;
  if (text === null) fail('shown_missing', 'neither the proof nor the caller has the text that was shown', sequence);
  const opened = openShown(crypto.sha256, text);
  requireShown(entry, opened, sequence);
  return { ...readWords(entry, opened), sequence, checkpoint };
}

/** The record is the entry: as a whole, or of an erased one all that remains. */
function requireSame(sha256: Sha256, record: LedgerRecord, entry: Entry, sequence: number): void {
  if (requireRecordHash(sha256, record, String(entry.tenantId))) return;
  const kept = Object.keys(entry).filter((name) => name !== 'tenantId' && !committedFields.includes(name as 'ipHash'));
  const same = (name: string) =>
    canonicalizeIfValid((record as unknown as Entry)[name]) === canonicalizeIfValid(entry[name]);
  if (!kept.every(same)) fail('hash_mismatch', `record ${sequence} is not the one that was hashed`, sequence);
}

/** The hash of what was shown that an entry names; null if it names none. */
export function readShownHash({ shownHash }: Entry): string | null {
  return readDigest(shownHash);
}

/** A notice as it was sent, read from its bytes. */
export interface ShownNotice {
  /** SHA-256 of the bytes, hex; empty for text that has none. */
  readonly hash: string;
  /** Empty for bytes that are no notice. */
  readonly notice: Entry;
  readonly title: unknown;
  readonly intro: unknown;
  readonly purposes: readonly SentPurpose[];
}

/** Reads the bytes that were sent. They are compared with an entry by `requireShown`. */
export function openShown(sha256: Sha256, bytes: Uint8Array | string): ShownNotice {
  const notice = readNotice(bytes);
  const { texts, purposes } = notice;
  const { title, intro } = isObject(texts) ? texts : {};
  const areSent = Array.isArray(purposes) && purposes.every(isPurpose);
  // A lone surrogate would be hashed as another character.
  const isText = typeof bytes !== 'string' || bytes.isWellFormed();
  return { hash: isText ? toHex(sha256(bytes)) : '', notice, title, intro, purposes: areSent ? purposes : [] };
}

/**
 * Verifies that an entry names a notice, and is about it.
 * @throws {LedgerVerificationError} `shown_missing` if the entry names none, `shown_mismatch`.
 */
export function requireShown(entry: Entry, { hash, notice, title, intro, purposes }: ShownNotice, sequence: number) {
  const named = readShownHash(entry);
  if (named === null)
    fail('shown_missing', `record ${sequence} does not have the hash of what was shown: ${entry.shownHash}`, sequence);
  const isNamed =
    named === hash &&
    notice.id === entry.noticeId &&
    notice.version === entry.noticeVersion &&
    notice.language === entry.language;
  const isDecided = (key: string) => purposes.some((purpose) => purpose.key === key);
  const keys = isObject(entry.purposes) ? Object.keys(entry.purposes) : [];
  if (!isNamed || typeof title !== 'string' || typeof intro !== 'string' || !keys.every(isDecided))
    fail('shown_mismatch', `the text is not the one that record ${sequence} says was shown`, sequence);
}

/** The words of a notice that an entry names, with what the entry decided. */
export function readWords(entry: Entry, { notice, title, intro, purposes }: ShownNotice): ShownWords {
  const { noticeId, noticeVersion, language, region, purposes: choices, basis } = entry;
  return {
    ...({ noticeId, noticeVersion, language, region, title, intro } as Omit<ShownWords, 'purposes' | 'notice'>),
    purposes: purposes.map(({ key, label, description, required, trackers = [] }) => ({
      ...{ key, label, description, required, trackers },
      granted: (readOwn(choices, key) ?? null) as boolean | null,
      basis: (readOwn(basis, key) ?? null) as ShownPurpose['basis'],
    })),
    notice,
  };
}

type SentPurpose = Omit<PublicPurpose, 'basis' | 'basisByRegion'>;

function isPurpose(value: unknown): value is SentPurpose {
  if (!isObject(value)) return false;
  const { key, label, description, required, trackers = [] } = value;
  const areTexts = [key, label, description].every((text) => typeof text === 'string');
  return areTexts && typeof required === 'boolean' && Array.isArray(trackers);
}

function readOwn(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The notice in the bytes; empty if there is none. */
function readNotice(text: Uint8Array | string): Entry {
  try {
    const { data } = JSON.parse(typeof text === 'string' ? text : (decodeText(text) ?? ''));
    return isObject(data) ? data : {};
  } catch {
    return {};
  }
}
