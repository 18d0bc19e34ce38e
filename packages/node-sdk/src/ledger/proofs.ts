import { fromHex, isEqual, type LedgerCrypto } from './bytes.ts';
import { canonicalize } from './canonical.ts';
import { type OpenedCheckpoint, openCheckpoint } from './checkpoint.ts';
import { LedgerVerificationError } from './error.ts';
import { followPath, hashLeaf, isGrown, readHashes } from './merkle.ts';
import { type Opening, verifyOpenings } from './openings.ts';

/** The fields of a proof of `GET /v1/ledgers/{ledger}/inclusion-proof` that are needed. */
export interface InclusionProofInput {
  readonly sequence: number;
  /** Base64, from the leaf upwards. */
  readonly hashes: readonly string[];
  readonly checkpoint: { readonly note: string };
  readonly prevHash?: string | null;
  /** What was hashed after `prevHash`. */
  readonly entry?: Readonly<Record<string, unknown>>;
  readonly openings?: readonly Opening[];
}

/** The fields of a proof of `GET /v1/ledgers/{ledger}/consistency-proof` that are needed. */
export interface ConsistencyProofInput {
  readonly from: number;
  readonly hashes: readonly string[];
  readonly checkpoint: { readonly note: string };
}

/** An entry that a checkpoint covers. */
export interface Inclusion {
  readonly sequence: number;
  readonly checkpoint: OpenedCheckpoint;
  /** What was hashed, with commitments in place of what identifies a person; null if the proof lacks it. */
  readonly entry: Readonly<Record<string, unknown>> | null;
}

/** The options of `verifyInclusion`. */
export interface InclusionOptions {
  readonly hash: string;
  readonly proof: InclusionProofInput;
  readonly publicKey: string;
  readonly checkpoint?: string;
}

/** `verifyInclusion` of `LedgerVerifier`. */
export async function verifyInclusion(crypto: LedgerCrypto, options: InclusionOptions): Promise<Inclusion> {
  const { hash, proof, publicKey } = options;
  const checkpoint = await openCheckpoint(crypto, options.checkpoint ?? proof.checkpoint.note, publicKey);
  const { sequence, entry = null } = proof;
  const chainHash = readChainHash(hash);
  const path = readHashes(proof.hashes);
  const isPlace = Number.isSafeInteger(sequence) && sequence >= 1 && sequence <= checkpoint.size;
  const root =
    chainHash && path && isPlace
      ? followPath(crypto.sha256, hashLeaf(crypto.sha256, chainHash), sequence - 1, checkpoint.size, path)
      : null;
  if (root === null || !isEqual(root, checkpoint.rootHash))
    throw new LedgerVerificationError(
      'proof_invalid',
      'the proof does not show that the checkpoint covers this entry',
      isPlace ? { sequence } : {},
    );
  if (entry !== null) requireEntry(crypto, proof, entry, chainHash as Uint8Array, checkpoint);
  return { sequence, checkpoint, entry };
}

/** The entry of a proof is the one that was hashed, and its openings are those that it has commitments to. */
function requireEntry(
  { sha256 }: LedgerCrypto,
  { sequence, prevHash = null, openings = [] }: InclusionProofInput,
  entry: Readonly<Record<string, unknown>>,
  hash: Uint8Array,
  { origin }: OpenedCheckpoint,
): void {
  const before = prevHash === null ? '' : prevHash;
  const fits = /^(?:[0-9a-f]{64})?$/.test(before) && isEqual(sha256(before + canonicalizeEntry(entry)), hash);
  if (!fits) throw new LedgerVerificationError('hash_mismatch', 'the entry of the proof was changed', { sequence });
  verifyOpenings(sha256, origin.endsWith('/audit') ? 'audit' : 'consent', { sequence, entry, openings });
}

function canonicalizeEntry(entry: object): string {
  try {
    return canonicalize(entry);
  } catch {
    return '';
  }
}

/** The options of `verifyConsistency`. */
export interface ConsistencyOptions {
  readonly older: string;
  readonly proof: ConsistencyProofInput;
  readonly publicKey: string;
  readonly newer?: string;
}

/** `verifyConsistency` of `LedgerVerifier`. */
export async function verifyConsistency(crypto: LedgerCrypto, options: ConsistencyOptions): Promise<OpenedCheckpoint> {
  const { proof, publicKey } = options;
  const older = await openCheckpoint(crypto, options.older, publicKey);
  const newer = await openCheckpoint(crypto, options.newer ?? proof.checkpoint.note, publicKey);
  if (older.origin !== newer.origin)
    throw new LedgerVerificationError(
      'checkpoint_foreign',
      `the checkpoints belong to two ledgers: ${older.origin} and ${newer.origin}`,
    );
  if (older.size > newer.size)
    throw new LedgerVerificationError(
      'ledger_shrunk',
      `the newer checkpoint covers ${newer.size} entries, the older one ${older.size}`,
    );
  const hashes = readHashes(proof.hashes);
  if (hashes === null || proof.from !== older.size || !isGrown(crypto.sha256, older, newer, hashes))
    throw new LedgerVerificationError(
      'history_rewritten',
      'nothing shows that the ledger grew out of the older checkpoint: its past was changed, or the proof is for other sizes',
    );
  return newer;
}

/** Reads a hash of the chain: 64 hexadecimal characters, with or without the name of the algorithm. */
function readChainHash(text: string): Uint8Array | null {
  const hex = text.startsWith('sha256:') ? text.slice('sha256:'.length) : text;
  return /^[0-9a-f]{64}$/.test(hex) ? fromHex(hex) : null;
}
