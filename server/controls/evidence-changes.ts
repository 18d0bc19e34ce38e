import { recordChange } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import { newId } from '../storage/ids.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { emitMove, lockControl, saveControl } from './control-changes.ts';
import { requireControl } from './control-store.ts';
import {
  type Evidence,
  type EvidenceRow,
  isEvidenceValid,
  type NewEvidence,
  requirePossibleDates,
  viewEvidence,
} from './evidence.ts';
import { evidenceRows, insertEvidence, markWithdrawn, requireEvidence } from './evidence-store.ts';

/**
 * Adds an item of evidence to a control. A control whose evidence was requested, overdue or not, becomes
 * `evidence_submitted`.
 * @throws {Problem} `not_found`, `validation_failed` for impossible dates.
 */
export async function addEvidence(
  work: UnitOfWork,
  source: AuditSource,
  controlId: string,
  { collectedAt, expiresAt, ...item }: NewEvidence,
): Promise<Evidence> {
  const assessed = await lockControl(work, source, controlId);
  const { control } = assessed;
  requirePossibleDates(collectedAt, expiresAt, work.now);
  const row: EvidenceRow = {
    id: newId(),
    tenant_id: source.tenantId,
    tenant_control_id: control.id,
    ...item,
    collected_at: collectedAt,
    expires_at: expiresAt,
    created_at: work.now,
    withdrawn_at: null,
    withdrawal_reason: null,
  };
  await insertEvidence(work, row);
  await recordChange(work, source, evidenceRows, row, {
    verb: 'added',
    targetRef: control.code,
    diff: { controlId: control.controlId, kind: item.kind, collectedAt, expiresAt },
  });
  const isRequested = control.status === 'evidence_requested' || control.status === 'overdue';
  if (isRequested && isEvidenceValid(row, work.now)) {
    const before = await requireControl(work.transaction, source.tenantId, control.id, work.now);
    await saveControl(work, source, before, { status: 'evidence_submitted', evidence_due_at: null });
  } else await emitMove(work, assessed);
  return viewEvidence(row, control.controlId, work.now);
}

/**
 * Withdraws an item: it is kept and no longer counts. Nothing changes if it was withdrawn before.
 * @throws {Problem} `not_found`.
 */
export async function withdrawEvidence(
  work: UnitOfWork,
  source: AuditSource,
  controlId: string,
  evidenceId: string,
  reason: string,
): Promise<Evidence> {
  const assessed = await lockControl(work, source, controlId);
  const { control } = assessed;
  const row = await requireEvidence(work.transaction, source.tenantId, control.id, evidenceId);
  if (row.withdrawn_at !== null) return viewEvidence(row, control.controlId, work.now);
  const withdrawn = await markWithdrawn(work, row, reason);
  await recordChange(work, source, evidenceRows, withdrawn, {
    verb: 'withdrawn',
    targetRef: control.code,
    diff: { controlId: control.controlId, withdrawnAt: work.now },
    reason,
  });
  await emitMove(work, assessed);
  return viewEvidence(withdrawn, control.controlId, work.now);
}
