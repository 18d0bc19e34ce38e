import type { Checkpoint, ConsistencyProof, InclusionProof } from '../types/api.ts';
import { fromHex, isEqual, type LedgerCrypto, readDigest } from './bytes.ts';
import { canonicalizeIfValid } from './canonical.ts';
import type { OpenedCheckpoint } from './checkpoint.ts';
import { fail } from './error.ts';
import { type KeyOptions, openKeys, openSigned } from './keys.ts';
import { hashLeaf, isGrown, isIncluded, readHashes } from './merkle.ts';
import { verifyOpenings } from './openings.ts';

/** The fields of a proof of `GET /v1/ledgers/{ledger}/inclusion-proof` that are needed. */
export interface InclusionProofInput
  extends Pick<InclusionProof, 'sequence' | 'hashes'>,
    Partial<Pick<InclusionProof, 'prevHash' | 'openings' | 'rotations'>> {
  readonly checkpoint: Pick<Checkpoint, 'note'>;
  /** The entry that was hashed after `prevHash`. */
  readonly entry?: Readonly<Record<string, unknown>>;
}

/** The fields of a proof of `GET /v1/ledgers/{ledger}/consistency-proof` that are needed. */
export interface ConsistencyProofInput
  extends Pick<ConsistencyProof, 'from' | 'hashes'>,
    Partial<Pick<ConsistencyProof, 'rotations'>> {
  readonly checkpoint: Pick<Checkpoint, 'note'>;
}

/** An entry that a checkpoint covers. */
export interface Inclusion {
  readonly sequence: number;
  readonly checkpoint: OpenedCheckpoint;
  /** The entry as hashed, with commitments in place of values that identify a person; null if the proof lacks it. */
  readonly entry: Readonly<Record<string, unknown>> | null;
}

/** The options of `verifyInclusion`. */
export interface InclusionOptions extends KeyOptions {
  readonly hash: string;
  readonly proof: InclusionProofInput;
  readonly checkpoint?: string;
}

/** `verifyInclusion` of `LedgerVerifier`. */
export async function verifyInclusion(crypto: LedgerCrypto, options: InclusionOptions): Promise<Inclusion> {
  const { hash, proof, publicKey, rotations } = options;
  const keys = await openKeys(crypto, publicKey, rotations, proof.rotations);
  const note = options.checkpoint ?? proof.checkpoint.note;
  const { checkpoint } = await openSigned(crypto, note, keys, 'the checkpoint');
  const { sequence, entry = null } = proof;
  // With or without the name of the algorithm.
  const digest = readDigest(hash) ?? readDigest(hash, 'sha256:');
  const chainHash = digest && fromHex(digest);
  const isPlace = Number.isSafeInteger(sequence) && sequence >= 1 && sequence <= checkpoint.size;
  const leaf = isPlace && chainHash ? hashLeaf(crypto.sha256, chainHash) : null;
  if (!chainHash || !leaf || !isIncluded(crypto.sha256, leaf, sequence - 1, checkpoint, proof.hashes))
    fail('proof_invalid', 'the proof does not show that the checkpoint covers this entry', isPlace ? sequence : null);
  if (entry !== null) requireEntry(crypto, proof, entry, chainHash, checkpoint);
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
  const before = prevHash === null ? '' : readDigest(prevHash);
  const text = canonicalizeIfValid(entry);
  if (before === null || text === null || !isEqual(sha256(before + text), hash))
    fail('hash_mismatch', 'the entry of the proof was changed', sequence);
  verifyOpenings(sha256, origin.endsWith('/audit') ? 'audit' : 'consent', { sequence, entry, openings });
}

/** The options of `verifyConsistency`. */
export interface ConsistencyOptions extends KeyOptions {
  readonly older: string;
  readonly proof: ConsistencyProofInput;
  readonly newer?: string;
}

/** `verifyConsistency` of `LedgerVerifier`. */
export async function verifyConsistency(crypto: LedgerCrypto, options: ConsistencyOptions): Promise<OpenedCheckpoint> {
  const { proof, publicKey, rotations } = options;
  const keys = await openKeys(crypto, publicKey, rotations, proof.rotations);
  const note = options.newer ?? proof.checkpoint.note;
  const { checkpoint: older } = await openSigned(crypto, options.older, keys, 'the older checkpoint');
  const { checkpoint: newer } = await openSigned(crypto, note, keys, 'the newer checkpoint');
  if (older.origin !== newer.origin)
    fail('checkpoint_foreign', `the checkpoints belong to two ledgers: ${older.origin} and ${newer.origin}`);
  if (older.size > newer.size)
    fail('ledger_shrunk', `the newer checkpoint covers ${newer.size} entries, the older one ${older.size}`);
  const hashes = readHashes(proof.hashes);
  if (hashes === null || proof.from !== older.size || !isGrown(crypto.sha256, older, newer, hashes))
    fail(
      'history_rewritten',
      'nothing shows that the ledger grew out of the older checkpoint: its past was changed, or the proof is for other sizes',
    );
  return newer;
}
