import { recordChange } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import { notFound, Problem } from '../http/problem.ts';
import { requirePast } from '../http/schemas.ts';
import { lockChain } from '../ledger/append.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { findTenant } from '../tenants/store.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';
import type { Dsr, DsrCompletion, DsrExtension, DsrInput } from './dsr.ts';
import { dueAfter, extendDue, isOverdue } from './dsr-deadline.ts';
import { dsrRows, findDsr, insertDsr, readDsr, updateDsr } from './dsr-store.ts';

// The audit log can never be erased, while a person may have what stands here of them erased. So events tell types,
// statuses, outcomes and dates alone: not who asked, and no text that somebody wrote.

/**
 * Opens a request; its due date follows from the setting of the tenant.
 * @throws {Problem} `validation_failed` when it is said to come in the future or before 2000.
 */
export async function createDsr(work: UnitOfWork, source: AuditSource, input: DsrInput): Promise<Dsr> {
  const { receivedAt = work.now } = input;
  requirePast('body.receivedAt', receivedAt, work.now);
  const tenant = await findTenant(work.transaction, source.tenantId);
  if (tenant === undefined) throw notFound('tenant');
  const dueAt = dueAfter(receivedAt, tenant.settings.dsrDays);
  const row = await insertDsr(work, source.tenantId, { ...input, receivedAt, dueAt });
  const { id: dsrId, subjectId, type } = readDsr(row);
  await recordChange(work, source, dsrRows, row, {
    verb: 'created',
    targetRef: null,
    diff: { type, receivedAt, dueAt },
  });
  await emitEvents(work, [{ tenantId: source.tenantId, type: 'dsr.created', data: { dsrId, subjectId, type, dueAt } }]);
  return readDsr(row);
}

/**
 * Extends the period of a request once, while it has not passed: a person is told of the extension within the period
 * (GDPR Article 12(3)). The same again, with the same reason, changes nothing.
 * @throws {Problem} `not_found`, `dsr_already_completed`, `dsr_extension_not_allowed`.
 */
export async function extendDsr(
  work: UnitOfWork,
  source: AuditSource,
  id: string,
  { reason }: DsrExtension,
): Promise<Dsr> {
  const dsr = await lockDsr(work, source, id);
  if (dsr.status === 'completed')
    throw new Problem('dsr_already_completed', 'The request is completed; there is nothing to extend.');
  if (dsr.extendedAt !== null) {
    if (dsr.extensionReason === reason) return dsr;
    throw new Problem('dsr_extension_not_allowed', 'The period was extended already; that is possible once.');
  }
  if (isOverdue(dsr, work.now))
    throw new Problem('dsr_extension_not_allowed', 'The period has passed; it can be extended while it runs.');
  const dueAt = extendDue(dsr);
  if (dueAt <= dsr.dueAt) throw new Problem('dsr_extension_not_allowed', 'The period is the longest that there is.');
  const row = await updateDsr(work, source.tenantId, id, {
    due_at: dueAt,
    extended_at: work.now,
    extension_reason: reason,
  });
  await recordChange(work, source, dsrRows, row, {
    verb: 'extended',
    targetRef: null,
    diff: { dueAt: { before: dsr.dueAt, after: dueAt } },
  });
  return readDsr(row);
}

/**
 * Completes a request. The same again, with the same outcome and reason, changes nothing.
 * @throws {Problem} `not_found`, `dsr_already_completed`.
 */
export async function completeDsr(
  work: UnitOfWork,
  source: AuditSource,
  id: string,
  completion: DsrCompletion,
): Promise<Dsr> {
  const { outcome } = completion;
  const reason = completion.reason ?? null;
  const dsr = await lockDsr(work, source, id);
  if (dsr.status === 'completed') {
    if (dsr.outcome === outcome && dsr.reason === reason) return dsr;
    throw new Problem('dsr_already_completed', `The request was completed before, with the outcome ${dsr.outcome}.`);
  }
  const row = await updateDsr(work, source.tenantId, id, {
    status: 'completed',
    outcome,
    reason,
    completed_at: work.now,
  });
  const { subjectId, type } = dsr;
  await recordChange(work, source, dsrRows, row, {
    verb: 'completed',
    targetRef: null,
    diff: { status: { before: 'open', after: 'completed' }, outcome, completedAt: work.now },
  });
  // spec.md "Events" 4: exactly these.
  const data = { dsrId: id, subjectId, type, outcome };
  await emitEvents(work, [{ tenantId: source.tenantId, type: 'dsr.completed', data }]);
  return readDsr(row);
}

/** Reads a request that nobody else changes until the unit of work ends. */
async function lockDsr(work: UnitOfWork, { tenantId }: AuditSource, id: string): Promise<Dsr> {
  await lockChain(work.transaction, tenantId, 'audit');
  const dsr = await findDsr(work.transaction, tenantId, id);
  if (dsr === undefined) throw notFound('data-subject request');
  return dsr;
}
