// The entry for Node; `browser.ts` exports the same.
import crypto from 'node:crypto';
import { createLedgerVerifier } from './verifier.ts';

export type { LedgerCrypto } from './bytes.ts';
export { canonicalize } from './canonical.ts';
export type { OpenedCheckpoint } from './checkpoint.ts';
export { type LedgerFault, LedgerVerificationError } from './error.ts';
export type { VerifiedExport, VerifyExportOptions } from './export.ts';
export type { Chunks } from './export-format.ts';
export type { KeyOptions } from './keys.ts';
export type { AttestationOptions, Attestations, VerifiedLogProof } from './log-proof.ts';
export type { Opening } from './openings.ts';
export type {
  ConsistencyOptions,
  ConsistencyProofInput,
  Inclusion,
  InclusionOptions,
  InclusionProofInput,
} from './proofs.ts';
export type { LedgerEvent, LedgerRecord, VerifiedRows } from './rows.ts';
export type { ShownOptions, ShownPurpose, ShownTracker, ShownWords, VerifiedShown } from './shown.ts';
export type { TlogProofOptions, VerifiedTlogProof } from './tlog-proof.ts';
export { createLedgerVerifier, type LedgerVerifier } from './verifier.ts';
export type { VerifiedLedger, VerifyLedgerOptions } from './verify-ledger.ts';

const { node } = process.versions;
if (/^(?:1?\d|2[01]|22\.1?\d(?<!19))\./.test(node))
  throw new Error(`@svc/node-sdk needs Node 22.19 or later, not ${node}.`);

export const {
  openCheckpoint,
  followKey,
  verifyExport,
  verifyInclusion,
  verifyTlogProof,
  verifyConsistency,
  verifyShown,
  verifyRecords,
  verifyEvents,
  verifyLedger,
} = createLedgerVerifier({
  sha256: (data) => crypto.hash('sha256', data, 'buffer'),
  verifyEd25519: (publicKey, text, signature) => {
    const key = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') };
    return crypto.verify(null, Buffer.from(text), crypto.createPublicKey({ key, format: 'jwk' }), signature);
  },
});
