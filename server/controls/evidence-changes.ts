import { recordChange } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import { notFound } from '../http/problem.ts';
import type { Queries } from '../storage/database.ts';
import { newId } from '../storage/ids.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { AssessedControl } from './assessed-control.ts';
import { lockControl, saveControl, tellMove } from './control-changes.ts';
import { type Evidence, type NewEvidence, requirePossibleDates, viewEvidence } from './evidence.ts';
import { type EvidenceRow, evidenceRows, findEvidence, insertEvidence, markWithdrawn } from './evidence-store.ts';
import { isEvidenceValid } from './freshness.ts';
import { requireControl } from './read-controls.ts';

/** Adds an item of evidence to a control. One that was asked for evidence, in time or late, has it submitted by that. */
export async function addEvidence(
  work: UnitOfWork,
  source: AuditSource,
  controlId: string,
  evidence: NewEvidence,
): Promise<Evidence> {
  const assessed = await lockControl(work, source, controlId);
  const { control } = assessed;
  requirePossibleDates(evidence, work.now);
  const row: EvidenceRow = {
    id: newId(),
    tenant_id: source.tenantId,
    tenant_control_id: control.id,
    title: evidence.title,
    kind: evidence.kind,
    description: evidence.description,
    url: evidence.url,
    sha256: evidence.sha256,
    collected_at: evidence.collectedAt,
    expires_at: evidence.expiresAt,
    created_at: work.now,
    withdrawn_at: null,
    withdrawal_reason: null,
  };
  await insertEvidence(work, row);
  const { kind, collectedAt, expiresAt } = evidence;
  await recordChange(work, source, evidenceRows, row, {
    verb: 'added',
    targetRef: control.code,
    diff: { controlId: control.controlId, kind, collectedAt, expiresAt },
  });
  const isAsked = control.status === 'evidence_requested' || control.status === 'overdue';
  if (isAsked && isEvidenceValid(row, work.now)) {
    const before = await requireControl(work.transaction, source.tenantId, control.id, work.now);
    await saveControl(work, source, before, { status: 'evidence_submitted', evidence_due_at: null });
  } else await tellMove(work, assessed);
  return viewEvidence(row, control.controlId, work.now);
}

/** Withdraws an item: it is kept and no longer counts. Nothing happens when it was withdrawn before. */
export async function withdrawEvidence(
  work: UnitOfWork,
  source: AuditSource,
  controlId: string,
  evidenceId: string,
  reason: string,
): Promise<Evidence> {
  const assessed = await lockControl(work, source, controlId);
  const { control } = assessed;
  const row = await requireEvidence(work.transaction, control, source.tenantId, evidenceId);
  if (row.withdrawn_at !== null) return viewEvidence(row, control.controlId, work.now);
  const withdrawn = await markWithdrawn(work, row, reason);
  await recordChange(work, source, evidenceRows, withdrawn, {
    verb: 'withdrawn',
    targetRef: control.code,
    diff: { controlId: control.controlId, withdrawnAt: work.now },
    reason,
  });
  await tellMove(work, assessed);
  return viewEvidence(withdrawn, control.controlId, work.now);
}

/** @throws {Problem} `not_found` for what is no item of this control. */
export async function requireEvidence(
  queries: Queries,
  control: AssessedControl['control'],
  tenantId: string,
  id: string,
): Promise<EvidenceRow> {
  const row = await findEvidence(queries, tenantId, control.id, id);
  if (row === undefined) throw notFound('item of evidence');
  return row;
}
