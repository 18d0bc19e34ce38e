/**
 * Verifies offline what a server says of its ledgers: exports, records, events, proofs and checkpoints, with nothing but
 * its public key. Nothing here asks a server, except `verifyLedger`.
 */
export { canonicalize } from './canonical.ts';
export { type OpenedCheckpoint, openCheckpoint } from './checkpoint.ts';
export { type LedgerFault, LedgerVerificationError } from './error.ts';
export { type VerifiedExport, type VerifyExportOptions, verifyExport } from './export.ts';
export type { Chunks } from './lines.ts';
export {
  type ConsistencyProofInput,
  type Inclusion,
  type InclusionProofInput,
  verifyConsistency,
  verifyInclusion,
} from './proofs.ts';
export { type LedgerEvent, type LedgerRecord, type VerifiedRows, verifyEvents, verifyRecords } from './rows.ts';
export { type VerifiedLedger, type VerifyLedgerOptions, verifyLedger } from './verify-ledger.ts';
