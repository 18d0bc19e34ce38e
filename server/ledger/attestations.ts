import { createPublicKey, hash, verify } from 'node:crypto';
import type { LedgerCrypto } from '../../packages/node-sdk/src/ledger/bytes.ts';
import { readCosignature, readWitnessKey } from '../../packages/node-sdk/src/ledger/checkpoint.ts';
import type { Attestation } from './attestation-store.ts';
import { sha256 } from './merkle.ts';
import { textOf } from './signed-note.ts';
import { openTimestamp } from './timestamp.ts';

/** The functions of Node that the verification of the SDK needs. */
export const ledgerCrypto: LedgerCrypto = {
  sha256: (data) => hash('sha256', data, 'buffer'),
  verifyEd25519: (publicKey, text, signature) => {
    const key = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') };
    return verify(null, Buffer.from(text), createPublicKey({ key, format: 'jwk' }), signature);
  },
};

/** How far the clocks of the server, an authority and a witness may differ, in milliseconds. */
const clockTolerance = 10 * 60_000;

/**
 * True if a timestamp or a cosignature is clearly older than the time in its checkpoint. The checkpoint existed at the
 * time of the attestation, so its own time is wrong, or the clock of the authority or the witness is.
 */
export function isTooEarly(attestedAt: string, checkpointAt: string): boolean {
  return Date.parse(attestedAt) + clockTolerance < Date.parse(checkpointAt);
}

/** The authorities and witnesses that the operator trusts. */
export interface Trust {
  /** The certificates that timestamps must lead to, in PEM; null if none are configured. */
  readonly authorities: readonly string[] | null;
  /** The keys of the witnesses in the policy. */
  readonly witnesses: ReadonlySet<string>;
}

/** The result for an attestation: who made it can be unknown although it is unchanged. */
export type AttestationResult =
  | { readonly result: 'valid' | 'untrusted' }
  | { readonly result: 'invalid'; readonly issue: string };

/** Verifies a stored attestation of a checkpoint. */
export async function verifyAttestation(
  checkpoint: { readonly note: string; readonly at: string },
  attestation: Omit<Attestation, 'size'>,
  trust: Trust,
): Promise<AttestationResult> {
  const { kind, source, at, content } = attestation;
  if (kind === 'cosignature') {
    const witness = readWitnessKey(sha256, String(source));
    const note = `${textOf(checkpoint.note)}\n${content}\n`;
    const cosignedAt = witness && (await readCosignature(ledgerCrypto, note, witness));
    if (cosignedAt === null || cosignedAt !== at)
      return invalid('the cosignature is not one of this witness for this checkpoint and time');
    if (isTooEarly(at, checkpoint.at)) return invalid(describeTooEarly(at, checkpoint.at));
    return { result: trust.witnesses.has(source) ? 'valid' : 'untrusted' };
  }
  if (kind !== 'timestamp') return invalid('it is neither a timestamp nor a cosignature');
  const response = Buffer.from(String(content), 'base64');
  const check = { text: textOf(checkpoint.note), nonce: null };
  try {
    const token = await openTimestamp(response, { ...check, authorities: null });
    // Base64 has several texts for the same bytes, and the parser ignores bytes after the token.
    const exact = response.subarray(0, readDerLength(response)).toString('base64');
    if (token.at !== at || token.source !== source || exact !== content)
      return invalid('the row differs from the token');
  } catch (error) {
    return invalid(`the token is invalid: ${(error as Error).message}`);
  }
  if (isTooEarly(at, checkpoint.at)) return invalid(describeTooEarly(at, checkpoint.at));
  const { authorities } = trust;
  if (authorities === null) return { result: 'untrusted' };
  // Valid, so that only the chain of certificates can fail: another authority may have been configured then.
  const isTrusted = await openTimestamp(response, { ...check, authorities }).then(
    () => true,
    () => false,
  );
  return { result: isTrusted ? 'valid' : 'untrusted' };
}

/** The length of a DER value with its header, in bytes. */
function readDerLength(bytes: Buffer): number {
  const length = bytes.readUInt8(1);
  const count = length & 0x7f;
  return length < 0x80 ? 2 + length : 2 + count + bytes.readUIntBE(2, count);
}

function invalid(issue: string): AttestationResult {
  return { result: 'invalid', issue };
}

function describeTooEarly(attestedAt: string, checkpointAt: string): string {
  return `its time, ${attestedAt}, is before that of the checkpoint, ${checkpointAt}; the server stores no such timestamp or cosignature`;
}
