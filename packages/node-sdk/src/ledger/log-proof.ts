import { ConfigurationError } from '../errors.ts';
import { fromBase64, type LedgerCrypto } from './bytes.ts';
import { clockTolerance, type OpenedCheckpoint, readCosignature, readWitnessKey } from './checkpoint.ts';
import { fail, LedgerVerificationError } from './error.ts';
import { type Keys, openSigned } from './keys.ts';
import { hashLeaf, isIncluded } from './merkle.ts';

// Proofs that the log of an installation contains a checkpoint of a ledger, and who attested the log.

/** The proof in an export that a checkpoint of the ledger is in the log. */
export interface LogProof {
  /** The note of the checkpoint of the ledger that is in the log. */
  readonly checkpoint: string;
  /** Base64 hashes that prove that the checkpoint of the export extends it. */
  readonly consistency: readonly string[];
  /** Its index in the log, from 0, and the audit path, base64. */
  readonly index: number;
  readonly hashes: readonly string[];
  /** The note of a checkpoint of the log, with the cosignatures of witnesses. */
  readonly note: string;
  /** The response of a timestamp authority (RFC 3161, DER) for the text of this note, base64; null without one. */
  readonly timestamp: string | null;
}

/** Requirements on a checkpoint of the log. There are none by default. */
export interface AttestationOptions {
  /** The keys of the witnesses that you trust (C2SP tlog-cosignature, Ed25519). */
  readonly witnesses?: readonly string[] | undefined;
  /**
   * How many of them must have cosigned, or whether those that did are enough, for a policy with groups. Default: all;
   * with 0, missing cosignatures are no error.
   */
  readonly quorum?: number | ((cosigned: ReadonlySet<string>) => boolean) | undefined;
  /**
   * Verifies a timestamp (RFC 3161). If given, a timestamp is required.
   * @param text what the imprint of the token must be the SHA-256 of, as UTF-8.
   * @param response TimeStampResp, DER.
   * @returns the time of the token, RFC 3339; it must throw if the response is invalid or its authority is not trusted.
   */
  readonly verifyTimestamp?: ((text: string, response: Uint8Array) => string | Promise<string>) | undefined;
}

/** The cosignatures and the timestamp of a checkpoint of the log. */
export interface Attestations {
  /** The trusted witnesses that cosigned it, and the time that each states: RFC 3339, UTC. */
  readonly cosignatures: readonly { readonly witness: string; readonly at: string }[];
  /** The time that `verifyTimestamp` returned: RFC 3339, UTC; null if it was not given. */
  readonly timestampedAt: string | null;
}

/** Result of the verification of an export's proof from the log of the installation. */
export interface VerifiedLogProof extends Attestations {
  /** How many entries of the ledger the log covers, and when the server signed the checkpoint of them. */
  readonly size: number;
  readonly at: string;
  /** The checkpoint of the log: its size, and when the server signed it. */
  readonly log: Pick<OpenedCheckpoint, 'size' | 'at'>;
}

/** A checkpoint of the log that cosignatures and timestamps are for. */
interface Attested {
  readonly note: string;
  readonly text: string;
  readonly at: string;
  readonly timestamp: string | null;
}

/** @throws {LedgerVerificationError} `checkpoint_not_signed`, `proof_invalid`. */
export async function openLogProof(
  crypto: LedgerCrypto,
  proof: LogProof,
  keys: Keys,
): Promise<{ readonly checkpoint: OpenedCheckpoint; readonly log: OpenedCheckpoint; readonly attested: Attested }> {
  const { sha256 } = crypto;
  const { checkpoint } = await openSigned(crypto, proof.checkpoint, keys, 'the checkpoint in the log');
  const { checkpoint: log, text } = await openSigned(crypto, proof.note, keys, 'the checkpoint of the log');
  if (log.ledger !== 'log') fail('checkpoint_not_signed', 'the proof of the log has no checkpoint of the log');
  const leaf = hashLeaf(sha256, sha256(proof.checkpoint));
  if (!isIncluded(sha256, leaf, proof.index, log, proof.hashes))
    fail('proof_invalid', 'the log of the installation does not contain the checkpoint');
  return { checkpoint, log, attested: { note: proof.note, text, at: log.at, timestamp: proof.timestamp } };
}

/**
 * Verifies the cosignatures and the timestamp of a checkpoint of the log.
 * @param attested null if there is no proof of the log.
 * @returns with the error to throw last, so that it hides no change: `cosignatures_missing`, `timestamp_missing`,
 *   `timestamp_invalid`.
 * @throws {LedgerVerificationError} `time_implausible`, `key_invalid`.
 * @throws {ConfigurationError} for a quorum that is more than the witnesses.
 */
export async function verifyAttestations(
  crypto: LedgerCrypto,
  attested: Attested | null,
  { witnesses = [], quorum = witnesses.length, verifyTimestamp }: AttestationOptions,
): Promise<{ readonly attestations: Attestations; readonly lacking: LedgerVerificationError | null }> {
  const cosignatures = new Map<string, string>();
  for (const witness of witnesses) {
    const key = readWitnessKey(crypto.sha256, witness);
    if (key === null) fail('key_invalid', 'the key of a witness is not one for Ed25519 cosignatures');
    const at = attested && (await readCosignature(crypto, attested.note, key));
    if (at !== null) cosignatures.set(witness, at);
  }
  if (typeof quorum === 'number' && !(Number.isInteger(quorum) && quorum >= 0 && quorum <= witnesses.length))
    throw new ConfigurationError('The quorum must be a number from 0 to that of the witnesses, or a function.');
  const isMet = typeof quorum === 'number' ? cosignatures.size >= quorum : quorum(new Set(cosignatures.keys()));
  let lacking = isMet
    ? null
    : new LedgerVerificationError(
        'cosignatures_missing',
        `${cosignatures.size} of ${witnesses.length} witnesses cosigned the log, which does not meet the policy`,
      );
  let timestampedAt: string | null = null;
  if (verifyTimestamp !== undefined) {
    const response = fromBase64(attested?.timestamp);
    if (attested === null || response === null)
      lacking ??= new LedgerVerificationError('timestamp_missing', 'the file has no timestamp');
    else
      try {
        // Throws a RangeError for what is not a time.
        timestampedAt = new Date(await verifyTimestamp(attested.text, response)).toISOString();
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        // Unlike missing cosignatures, it may have been changed.
        lacking = new LedgerVerificationError('timestamp_invalid', `the timestamp is invalid: ${reason}`);
      }
  }
  for (const at of [...cosignatures.values(), ...(timestampedAt === null ? [] : [timestampedAt])])
    if (attested !== null && Date.parse(at) + clockTolerance < Date.parse(attested.at))
      fail(
        'time_implausible',
        `the checkpoint of the log is of ${attested.at}, but it was attested at ${at}: one of the two times is wrong`,
      );
  const attestations = { cosignatures: [...cosignatures].map(([witness, at]) => ({ witness, at })), timestampedAt };
  return { attestations, lacking };
}
