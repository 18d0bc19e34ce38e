import type { AuditSource } from '../audit/source.ts';
import { invalidValues } from '../http/problem.ts';
import { requirePast } from '../http/schemas.ts';
import { toColumns } from '../http/view-row.ts';
import { newId } from '../storage/ids.ts';
import { insertRow, updateRow } from '../storage/rows.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { emitMove, lockControl, recordPart, saveControl } from './control-changes.ts';
import { type Evidence, type EvidenceParams, isEvidenceValid, type NewEvidence, viewEvidence } from './evidence.ts';
import { evidenceRows, requireControl, requireEvidence } from './store.ts';

/**
 * Adds an item of evidence to a control. A control whose evidence was requested, overdue or not, becomes
 * `evidence_submitted`.
 * @throws {Problem} `not_found`, `validation_failed` for impossible dates.
 */
export async function addEvidence(
  work: UnitOfWork,
  source: AuditSource,
  controlId: string,
  item: NewEvidence,
): Promise<Evidence> {
  const { kind, collectedAt, expiresAt } = item;
  const assessed = await lockControl(work, source, controlId);
  const { control } = assessed;
  requirePast('body.collectedAt', collectedAt, work.now);
  if (expiresAt !== null && expiresAt <= collectedAt)
    throw invalidValues([{ path: 'body.expiresAt', issue: 'must be after collectedAt' }]);
  const row = await insertRow(work.transaction, 'control_evidence', {
    id: newId(),
    tenant_id: source.tenantId,
    tenant_control_id: control.id,
    ...toColumns(item),
    created_at: work.now,
    withdrawn_at: null,
    withdrawal_reason: null,
  });
  const diff = { kind, collectedAt, expiresAt };
  await recordPart(work, source, assessed, evidenceRows, row, { verb: 'added', diff });
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
  { controlId, evidenceId: id }: EvidenceParams,
  reason: string,
): Promise<Evidence> {
  const assessed = await lockControl(work, source, controlId);
  const { control } = assessed;
  let row = await requireEvidence(work.transaction, source.tenantId, control.id, id);
  if (row.withdrawn_at === null) {
    const columns = { withdrawn_at: work.now, withdrawal_reason: reason };
    row = await updateRow(work.transaction, 'control_evidence', { tenant_id: source.tenantId, id }, columns);
    const diff = { withdrawnAt: work.now };
    await recordPart(work, source, assessed, evidenceRows, row, { verb: 'withdrawn', diff, reason });
    await emitMove(work, assessed);
  }
  return viewEvidence(row, control.controlId, work.now);
}
