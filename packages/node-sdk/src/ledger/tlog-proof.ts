import { fromBase64, fromHex, type LedgerCrypto, readDigest } from './bytes.ts';
import { fail } from './error.ts';
import { type KeyOptions, openKeys, openSigned } from './keys.ts';
import { type AttestationOptions, type Attestations, verifyAttestations } from './log-proof.ts';
import { hashLeaf, isIncluded } from './merkle.ts';

// Proofs in the format of C2SP tlog-proof: an index, an audit path and a checkpoint with its cosignatures.

/** Options of the verification of a `.tlog-proof`. */
export interface TlogProofOptions extends AttestationOptions, KeyOptions {
  /** Input of the leaf hash: the chain hash of an entry, or the SHA-256 of the note of a checkpoint; 64 hex digits. */
  readonly hash: string;
}

/** Result of the verification of a `.tlog-proof`. */
export interface VerifiedTlogProof extends Attestations {
  /** The name of the log: `<name of the key>/<tenant id>/<ledger>`, or `<name of the key>/installation/log`. */
  readonly origin: string;
  /** From 0. */
  readonly index: number;
  readonly size: number;
  /** When the server signed it: RFC 3339, UTC. Stated by the server. */
  readonly at: string;
  /** The text that cosignatures and timestamps are for. */
  readonly text: string;
  /**
   * The response of a timestamp authority (RFC 3161, DER), base64; null without one. Only `verifyTimestamp` verifies
   * it: without this function, nothing is known of it.
   */
  readonly timestamp: string | null;
}

/** Writes a proof. @param extra bytes in base64 that the proof carries unverified; null for none. */
export function writeTlogProof(
  { index, hashes, note }: { readonly index: number; readonly hashes: readonly string[]; readonly note: string },
  extra: string | null = null,
): string {
  const lines = ['c2sp.org/tlog-proof@v1', ...(extra === null ? [] : [`extra ${extra}`]), `index ${index}`, ...hashes];
  return `${lines.join('\n')}\n\n${note}`;
}

/** `verifyTlogProof` of `LedgerVerifier`. */
export async function verifyTlogProof(
  crypto: LedgerCrypto,
  proof: string,
  { hash, publicKey, rotations, ...options }: TlogProofOptions,
): Promise<VerifiedTlogProof> {
  const keys = await openKeys(crypto, publicKey, rotations);
  const end = proof.indexOf('\n\n');
  const [head = '', extra, number, ...path] = splitHead(proof.slice(0, Math.max(0, end)));
  if (head !== 'c2sp.org/tlog-proof@v1' || number === undefined || path.length > 63)
    fail('proof_invalid', 'this is no proof in the format c2sp.org/tlog-proof@v1');
  const note = proof.slice(end + 2);
  const { checkpoint, text } = await openSigned(crypto, note, keys, 'the checkpoint');
  const { origin, size, at } = checkpoint;
  if (!origin.startsWith(`${keys.current.name}/`))
    fail('checkpoint_foreign', `the checkpoint belongs to another installation: ${origin}`);
  const index = Number(number);
  const leaf = readDigest(hash) === null ? null : hashLeaf(crypto.sha256, fromHex(hash));
  if (leaf === null || !isIncluded(crypto.sha256, leaf, index, checkpoint, path))
    fail('proof_invalid', 'the proof does not show that the checkpoint covers this hash');
  const timestamp = extra ?? null;
  const { attestations, lacking } = await verifyAttestations(crypto, { note, text, at, timestamp }, options);
  if (lacking !== null) throw lacking;
  return { origin, index, size, at, ...attestations, text, timestamp };
}

/** The lines before the checkpoint: the format, the extra data or undefined, the index, and the audit path. */
function splitHead(text: string): readonly (string | undefined)[] {
  const [format, ...lines] = text.split('\n');
  const extra = /^extra ([A-Za-z0-9+/=]*)$/.exec(lines[0] ?? '')?.[1];
  const bytes = fromBase64(extra);
  if (bytes !== null) lines.shift();
  const [, index] = /^index (0|[1-9]\d{0,14})$/.exec(lines.shift() ?? '') ?? [];
  return [format, bytes === null ? undefined : extra, index, ...lines];
}
