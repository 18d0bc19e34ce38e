import { recordChange } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import { notFound, Problem } from '../http/problem.ts';
import { requirePast } from '../http/schemas.ts';
import { lockChain } from '../ledger/append.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { requireTenant } from '../tenants/store.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';
import {
  type Dsr,
  type DsrCompletion,
  type DsrExtension,
  type DsrInput,
  dueAfter,
  extendDue,
  isOverdue,
} from './dsr.ts';
import { dsrRows, findDsr, insertDsr, readDsr, updateDsr } from './store.ts';

// The audit log cannot be erased, the data of a person can. So audit events hold types, statuses, outcomes and dates only.

/**
 * Opens a request; its due date follows from the tenant's `dsrDays`.
 * @throws {Problem} `validation_failed` if `receivedAt` is in the future or before 2000.
 */
export async function createDsr(work: UnitOfWork, source: AuditSource, input: DsrInput): Promise<Dsr> {
  const { tenantId } = source;
  const { subjectId, type, receivedAt = work.now } = input;
  requirePast('body.receivedAt', receivedAt, work.now);
  const { settings } = await requireTenant(work.transaction, tenantId);
  const dueAt = dueAfter(receivedAt, settings.dsrDays);
  const row = await insertDsr(work, tenantId, { ...input, receivedAt, dueAt });
  await recordChange(work, source, dsrRows, row, {
    verb: 'created',
    targetRef: null,
    diff: { type, receivedAt, dueAt },
  });
  await emitEvents(work, [{ tenantId, type: 'dsr.created', data: { dsrId: row.id, subjectId, type, dueAt } }]);
  return readDsr(row);
}

/**
 * Extends the period of a request once, while it runs: the person must be informed within it (GDPR Article 12(3)).
 * Repeating the call with the same reason changes nothing.
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
    throw new Problem('dsr_already_completed', 'The request is completed and cannot be extended.');
  if (dsr.extendedAt !== null && dsr.extensionReason === reason) return dsr;
  const dueAt = extendDue(dsr);
  const issue =
    (dsr.extendedAt !== null && 'The period was already extended; it can be extended once.') ||
    (isOverdue(dsr, work.now) && 'The period has passed; it can only be extended while it runs.') ||
    (dueAt <= dsr.dueAt && 'The period already has the maximum length.');
  if (issue) throw new Problem('dsr_extension_not_allowed', issue);
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
 * Completes a request. Repeating the call with the same outcome and reason changes nothing.
 * @throws {Problem} `not_found`, `dsr_already_completed`.
 */
export async function completeDsr(
  work: UnitOfWork,
  source: AuditSource,
  id: string,
  completion: DsrCompletion,
): Promise<Dsr> {
  const { outcome, reason = null } = completion;
  const dsr = await lockDsr(work, source, id);
  if (dsr.status === 'completed') {
    if (dsr.outcome === outcome && dsr.reason === reason) return dsr;
    throw new Problem('dsr_already_completed', `The request was already completed with the outcome ${dsr.outcome}.`);
  }
  const row = await updateDsr(work, source.tenantId, id, {
    status: 'completed',
    outcome,
    reason,
    completed_at: work.now,
  });
  await recordChange(work, source, dsrRows, row, {
    verb: 'completed',
    targetRef: null,
    diff: { status: { before: 'open', after: 'completed' }, outcome, completedAt: work.now },
  });
  const { subjectId, type } = dsr;
  const data = { dsrId: id, subjectId, type, outcome };
  await emitEvents(work, [{ tenantId: source.tenantId, type: 'dsr.completed', data }]);
  return readDsr(row);
}

/** Reads a request and locks it until the unit of work ends. */
async function lockDsr(work: UnitOfWork, { tenantId }: AuditSource, id: string): Promise<Dsr> {
  await lockChain(work.transaction, tenantId, 'audit');
  const dsr = await findDsr(work.transaction, tenantId, id);
  if (dsr === undefined) throw notFound('data-subject request');
  return dsr;
}
