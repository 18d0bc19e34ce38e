import type { Transport } from '../transport.ts';
import type { LedgerCrypto } from './bytes.ts';
import type * as checkpoint from './checkpoint.ts';
import * as exported from './export.ts';
import type { Chunks } from './export-format.ts';
import * as keys from './keys.ts';
import * as proofs from './proofs.ts';
import * as rows from './rows.ts';
import * as shown from './shown.ts';
import * as tlog from './tlog-proof.ts';
import * as ledger from './verify-ledger.ts';

/** Verifies what a server says of its ledgers, with its public key. Only `verifyLedger` sends requests. */
export interface LedgerVerifier {
  /**
   * Opens a signed checkpoint (C2SP signed-note and tlog-checkpoint, Ed25519).
   * @param note as the server returned it: nothing added, nothing trimmed.
   * @param options.publicKey your own copy of the line at `/.well-known/svc-ledger-key` of the server: if you fetch it each
   *   time, you trust whatever answers.
   * @throws {LedgerVerificationError} `key_invalid`, `checkpoint_not_signed`.
   */
  openCheckpoint(note: string, options: keys.KeyOptions): Promise<checkpoint.OpenedCheckpoint>;

  /**
   * Follows a public key to the one that signs now, by rotations that both of their keys signed. Replace your copy of the
   * key with the result. After a leak, a rotation proves nothing: anyone who has the older secret can sign one. Compare the
   * newer key over another channel then.
   * @param rotations those of an export or a proof, or the text at `/.well-known/svc-ledger-key-rotations`; others are ignored.
   * @returns the key as text; `publicKey` if nothing follows it.
   * @throws {LedgerVerificationError} `key_invalid`, also if different keys follow one key.
   */
  followKey(publicKey: string, rotations: readonly string[]): Promise<string>;

  /**
   * Verifies an export of a ledger (`GET /v1/ledgers/{ledger}/export`, `svc export create`) with only the public key: each
   * hash, the order, the signed root, that nothing of the range is left out, and with a kept checkpoint that nothing it
   * covers was changed since. `svc export verify` calls this function.
   *
   * It cannot show entries that were never written, nor that the checkpoint is the latest; and without a kept checkpoint,
   * anyone who has the key of the server could have rewritten all of it. With `witnesses` or `verifyTimestamp`, the log of
   * the installation must contain a checkpoint of the ledger, and third parties must have attested the log.
   * @param chunks bytes as they come from a file or a response, or text with its line feeds. Do not pass lines that are
   *   already split: some programs split at characters that an entry may contain.
   * @throws {LedgerVerificationError} at the first fault, with its line.
   * @throws {AbortError} when the signal is aborted.
   * @throws {ConfigurationError} for invalid chunks.
   */
  verifyExport(chunks: Chunks, options: exported.VerifyExportOptions): Promise<exported.VerifiedExport>;

  /**
   * Verifies that a signed checkpoint covers an entry, at the place that the proof names.
   *
   * The hash is that of your own copy of the entry. `verifyRecords` and `verifyEvents` show that it is the hash of the
   * copy: the two together show that the entry is in the ledger, unchanged. If the proof has the entry, as those of the
   * server have, this is verified too, with the openings that come with it.
   * @param options.hash the `ledgerHash` of a record, or the `hash` of an audit event.
   * @param options.proof as the server returned it.
   * @param options.checkpoint a note that you kept, of the requested size; default: the one in the proof.
   * @throws {LedgerVerificationError} `proof_invalid`, `checkpoint_not_signed`, `key_invalid`, `hash_mismatch`,
   *   `opening_mismatch`.
   */
  verifyInclusion(options: proofs.InclusionOptions): Promise<proofs.Inclusion>;

  /**
   * Verifies a proof in the format of C2SP tlog-proof, as `svc proof create` writes it: that a signed checkpoint covers
   * an entry, or that the log of the installation has a checkpoint of a ledger, and which witnesses cosigned it.
   * @throws {LedgerVerificationError} `proof_invalid`, `checkpoint_not_signed`, `key_invalid`, `cosignatures_missing`,
   *   `timestamp_missing`, `timestamp_invalid`, `time_implausible`.
   */
  verifyTlogProof(proof: string, options: tlog.TlogProofOptions): Promise<tlog.VerifiedTlogProof>;

  /**
   * Verifies that a ledger only grew between two checkpoints: nothing that the older one covers was changed, removed or
   * reordered, and nothing was inserted before its end.
   * @param options.older the note that you kept.
   * @param options.newer a later note; default: the one in the proof.
   * @returns the newer checkpoint. Keep its note from now on.
   * @throws {LedgerVerificationError} `history_rewritten`, `ledger_shrunk`, `checkpoint_foreign`,
   *   `checkpoint_not_signed`, `key_invalid`.
   */
  verifyConsistency(options: proofs.ConsistencyOptions): Promise<checkpoint.OpenedCheckpoint>;

  /**
   * Verifies consent records as `list`, `retrieve` and `capture` return them, in the order of the ledger: oldest first, or
   * newest first as in lists.
   *
   * It shows that each record is what was hashed, and that neighbors among the rows are linked. It does not show that the
   * list is complete, since the records of one notice or subject are among those of others, nor that the ledger was not
   * rewritten: `verifyExport` shows both, and `verifyInclusion` ties one record to a signed checkpoint. An erased record
   * lacks some of what was hashed, so only its links are verified: `hashed` does not count it.
   * @param options.tenantId is hashed with each row, which does not contain it: `tenantId` of any checkpoint of the tenant.
   * @throws {LedgerVerificationError} `hash_mismatch`, `chain_broken`, `entry_missing` (a number twice, or out of order).
   */
  verifyRecords(
    records: rows.Rows<rows.LedgerRecord>,
    options: { readonly tenantId: string },
  ): Promise<rows.VerifiedRows>;

  /**
   * Verifies which words a visitor saw: that a signed checkpoint covers the record, that it is unchanged, and that the
   * text is the one whose SHA-256 it has. Works offline.
   *
   * It fails for a record that does not have such a hash: one of a browser that could not compute it (`unverified`), of
   * a page that did not send it, or captured with a key.
   * @param options.record as `retrieve` or `list` return it.
   * @param options.proof of `GET /v1/ledgers/consent/inclusion-proof`, which has the text.
   * @param options.shown the bytes, if the proof does not have them: the body of `GET /v1/consent/{id}/shown/{hash}`.
   * @param options.checkpoint a note that you kept, of the requested size; default: the one in the proof.
   * @throws {LedgerVerificationError} `shown_missing`, `shown_mismatch`; those of `verifyInclusion`; `hash_mismatch`
   *   for a record that is not the entry.
   */
  verifyShown(options: shown.ShownOptions): Promise<shown.VerifiedShown>;

  /**
   * Verifies audit events as the API returns them, newest first and without gaps: the unfiltered list, all its pages or
   * some that follow each other. A filter leaves events out, and then neighbors do not match.
   *
   * It shows that each event names the one before it. An event of the list lacks some of what was hashed (`ip`,
   * `userAgent`, `diff`, `reason`), so only an event with its details, from `GET /v1/audit/{id}`, shows that it is what was
   * hashed: `hashed` counts those. What was hashed has commitments to values that identify a person, such as `actorEmail`:
   * pass such an event with its inclusion proof, which has their salts, as `proof`. It does not show that the log was not
   * rewritten: `verifyExport` does.
   * @param options.tenantId is hashed with each event, which does not contain it: `tenantId` of any checkpoint of the tenant.
   * @throws {LedgerVerificationError} `hash_mismatch`, `chain_broken`, `opening_mismatch`.
   */
  verifyEvents(events: rows.Rows<rows.LedgerEvent>, options: { readonly tenantId: string }): Promise<rows.VerifiedRows>;

  /**
   * Fetches a whole ledger and verifies it here: each entry, the order, the signed root, and with a kept checkpoint
   * that nothing it covers was changed since. Only the current line is kept in memory.
   * @param svc the client, with a key that has `audit:read` or `consent:read`.
   * @throws {LedgerVerificationError} at the first fault.
   * @throws {SvcError} as any call of the client does, such as an AbortError when the signal is aborted.
   */
  verifyLedger(
    svc: Pick<Transport, 'request' | 'stream'>,
    options: ledger.VerifyLedgerOptions,
  ): Promise<ledger.VerifiedLedger>;
}

/** Makes a verifier with the hash and signature functions of a platform. */
export function createLedgerVerifier(crypto: LedgerCrypto): LedgerVerifier {
  return {
    openCheckpoint: (note, options) => keys.openCheckpoint(crypto, note, options),
    followKey: (publicKey, rotations) => keys.followKey(crypto, publicKey, rotations),
    verifyExport: (chunks, options) => exported.verifyExportBetween(crypto, chunks, options, undefined),
    verifyInclusion: (options) => proofs.verifyInclusion(crypto, options),
    verifyTlogProof: (proof, options) => tlog.verifyTlogProof(crypto, proof, options),
    verifyConsistency: (options) => proofs.verifyConsistency(crypto, options),
    verifyShown: (options) => shown.verifyShown(crypto, options),
    verifyRecords: (records, options) => rows.verifyRecords(crypto.sha256, records, options),
    verifyEvents: (events, options) => rows.verifyEvents(crypto.sha256, events, options),
    verifyLedger: (svc, options) => ledger.verifyLedger(crypto, svc, options),
  };
}
