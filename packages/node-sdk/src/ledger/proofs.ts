import { type OpenedCheckpoint, openCheckpoint } from './checkpoint.ts';
import { LedgerVerificationError } from './error.ts';
import { followPath, hashLeaf, isGrown, readHash } from './merkle.ts';

/** A proof as `GET /v1/ledgers/{ledger}/inclusion-proof` answers; what else stands in the answer is not needed. */
export interface InclusionProofInput {
  readonly sequence: number;
  /** Base64, from the leaf upwards. */
  readonly hashes: readonly string[];
  readonly checkpoint: { readonly note: string };
}

/** A proof as `GET /v1/ledgers/{ledger}/consistency-proof` answers. */
export interface ConsistencyProofInput {
  readonly from: number;
  readonly hashes: readonly string[];
  readonly checkpoint: { readonly note: string };
}

/** The entry that is among those of a checkpoint. */
export interface Inclusion {
  readonly sequence: number;
  readonly checkpoint: OpenedCheckpoint;
}

/**
 * Verifies that an entry is among those that a signed checkpoint speaks of, at the place that the proof names.
 *
 * The hash is that of your own copy of the entry. That it is the hash of what the copy says is shown by `verifyRecords`
 * or `verifyEvents`: the two together show that the entry is in the ledger, unchanged.
 * @param options.hash the `ledgerHash` of a record, or the `hash` of an audit event.
 * @param options.proof as the server answered.
 * @param options.checkpoint a note that you kept, of the size that was asked for; default: the one in the proof.
 * @throws {LedgerVerificationError} `proof_invalid`, `checkpoint_not_signed`, `key_invalid`.
 */
export function verifyInclusion(options: {
  readonly hash: string;
  readonly proof: InclusionProofInput;
  readonly publicKey: string;
  readonly checkpoint?: string;
}): Inclusion {
  const { hash, proof, publicKey } = options;
  const checkpoint = openCheckpoint(options.checkpoint ?? proof.checkpoint.note, publicKey);
  const { sequence } = proof;
  const chainHash = readChainHash(hash);
  const path = readHashes(proof.hashes);
  const isPlace = Number.isSafeInteger(sequence) && sequence >= 1 && sequence <= checkpoint.size;
  const root =
    chainHash && path && isPlace ? followPath(hashLeaf(chainHash), sequence - 1, checkpoint.size, path) : null;
  if (root === null || Buffer.compare(root, checkpoint.rootHash) !== 0)
    throw new LedgerVerificationError(
      'proof_invalid',
      'nothing shows that this entry is among those of the checkpoint',
      isPlace ? { sequence } : {},
    );
  return { sequence, checkpoint };
}

/**
 * Verifies that a ledger only grew between two checkpoints: nothing that the older one spoke of was changed, removed or
 * reordered, and nothing was inserted before its end.
 * @param options.older the note that you kept.
 * @param options.newer a later note; default: the one in the proof.
 * @returns what the newer checkpoint says. Its note is the one to keep now.
 * @throws {LedgerVerificationError} `history_rewritten`, `ledger_shrunk`, `checkpoint_foreign`, `checkpoint_not_signed`,
 *   `key_invalid`.
 */
export function verifyConsistency(options: {
  readonly older: string;
  readonly proof: ConsistencyProofInput;
  readonly publicKey: string;
  readonly newer?: string;
}): OpenedCheckpoint {
  const { proof, publicKey } = options;
  const older = openCheckpoint(options.older, publicKey);
  const newer = openCheckpoint(options.newer ?? proof.checkpoint.note, publicKey);
  if (older.origin !== newer.origin)
    throw new LedgerVerificationError(
      'checkpoint_foreign',
      `the checkpoints belong to two ledgers: ${older.origin} and ${newer.origin}`,
    );
  if (older.size > newer.size)
    throw new LedgerVerificationError(
      'ledger_shrunk',
      `the newer checkpoint speaks of ${newer.size} entries, the older one spoke of ${older.size}`,
    );
  const hashes = readHashes(proof.hashes);
  if (hashes === null || proof.from !== older.size || !isGrown(older, newer, hashes))
    throw new LedgerVerificationError(
      'history_rewritten',
      'nothing shows that the ledger grew out of the older checkpoint: its past was changed, or the proof is for other sizes',
    );
  return newer;
}

/** Reads a hash of the chain: 64 hexadecimal characters, with or without the name of the algorithm. */
function readChainHash(text: string): Buffer | null {
  const hex = text.startsWith('sha256:') ? text.slice('sha256:'.length) : text;
  return /^[0-9a-f]{64}$/.test(hex) ? Buffer.from(hex, 'hex') : null;
}

/** Reads hashes in base64; null when one of them is none. */
export function readHashes(texts: readonly unknown[]): readonly Buffer[] | null {
  const hashes = texts.map(readHash);
  return hashes.every((hash) => hash !== null) ? hashes : null;
}
