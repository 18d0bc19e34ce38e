import type { LedgerVerificationError } from '../../../packages/node-sdk/src/ledger/error.ts';
import type { AuditEventDetail, ConsentRecord, InclusionProof } from '../../../packages/node-sdk/src/types/api.ts';
import { RequestError } from './api.ts';
import { ledgers } from './sdk.ts';
import { session } from './session.ts';

/** The public key with which the server signs checkpoints: a line that auditors keep a copy of. */
export async function fetchPublicKey(): Promise<string> {
  const response = await fetch('/.well-known/svc-ledger-key').catch(() => null);
  if (response === null) throw new RequestError(0, { code: 'unreachable' });
  const requestId = response.headers.get('svc-request-id');
  if (!response.ok) throw new RequestError(response.status, { code: 'not_found', requestId });
  return response.text();
}

/**
 * Verifies in this browser that a record is what was hashed, and that a signed checkpoint covers it.
 * @throws {LedgerVerificationError} if it is not.
 */
export async function proveRecord(record: ConsentRecord): Promise<InclusionProof> {
  const { sequence, ledgerHash } = record;
  const { verifyRecords, verifyShown, canonicalize, LedgerVerificationError } = await loadVerifier();
  const { hashed } = await verifyRecords([record], scope());
  const proof = await proveInclusion('consent', ledgerHash, () => ledgers.consent.proveInclusion({ sequence }));
  // The words that were shown are those whose hash is in the entry.
  if (proof.shown !== null) await verifyShown({ record, proof, publicKey: await fetchPublicKey() });
  if (hashed === 1) return proof;
  // Of an erased record, all that was not erased is in the entry that the proof covers.
  const { subjectId: _subject, ipHash: _ip, uaHash: _ua, ...kept } = proof.entry;
  const shown = Object.keys(kept).filter((name) => name !== 'tenantId');
  const isSame = shown.every((name) => canonicalize(kept[name]) === canonicalize(record[name as keyof ConsentRecord]));
  if (!isSame)
    throw new LedgerVerificationError('hash_mismatch', `record ${sequence} is not the one that was hashed`, {
      sequence,
    });
  return proof;
}

/** The same for an audit event with its details. */
export async function proveEvent(event: AuditEventDetail): Promise<InclusionProof> {
  const { id, hash } = event;
  const { verifyEvents } = await loadVerifier();
  const proof = await proveInclusion('audit', hash, () => ledgers.audit.proveInclusion({ id }));
  await verifyEvents([{ ...event, proof }], scope());
  return proof;
}

async function proveInclusion(
  ledger: 'audit' | 'consent',
  hash: string,
  prove: () => PromiseLike<InclusionProof>,
): Promise<InclusionProof> {
  const { verifyInclusion } = await loadVerifier();
  const publicKey = await fetchPublicKey();
  const proof = await prove().then(undefined, async (error: unknown) => {
    if (!(error instanceof RequestError && error.code === 'checkpoint_missing')) throw error;
    // No checkpoint covers the entry yet. Signing one is recorded, so it is not done without need.
    await ledgers[ledger].checkpoints.create();
    return prove();
  });
  await verifyInclusion({ hash, proof, publicKey });
  return proof;
}

function scope() {
  return { tenantId: session.me?.tenant.id ?? '' };
}

/** The rotations of the key up to now: an export from before one does not contain it. */
export async function fetchRotations(ledger: 'audit' | 'consent'): Promise<readonly string[]> {
  const proof = await ledgers[ledger].proveConsistency({ from: 0 }).then(undefined, (error: unknown) => {
    if (error instanceof RequestError && error.code === 'checkpoint_missing') return null;
    throw error;
  });
  return proof?.rotations ?? [];
}

/** The verifier of the SDK, loaded with the first proof. */
export function loadVerifier() {
  return import('../../../packages/node-sdk/src/ledger/browser.ts');
}

/** True for the error that the content of a ledger is not as it was signed. */
export function isLedgerFault(error: unknown): error is LedgerVerificationError {
  return error instanceof Error && error.name === 'LedgerVerificationError';
}
