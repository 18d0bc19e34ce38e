import type { Insertable } from 'kysely';
import { requireActiveMember } from '../accounts/members/membership-store.ts';
import { requireTenant } from '../accounts/tenants/store.ts';
import type { Tenant } from '../accounts/tenants/tenant.ts';
import type { AuditSource } from '../http/principal.ts';
import { Problem, requireFound } from '../http/problem.ts';
import type { PageStart } from '../http/route.ts';
import { requirePast, toColumns } from '../http/schemas.ts';
import { dsrRows } from '../ledger/audit/rows.ts';
import { diffFields, type RowChange, recordChange } from '../ledger/audit/store.ts';
import type { Json } from '../ledger/canonical.ts';
import { newSalt } from '../ledger/entry.ts';
import type { Transaction } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import { findRow, insertRow, newId, takeNewest, updateRow } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';
import {
  type DsrChange,
  type DsrCompletion,
  type DsrExtension,
  type DsrFilter,
  type DsrInput,
  type DsrRow,
  type DsrView,
  dueAfter,
  extendDue,
  isOverdue,
} from './dsr.ts';

/** Reads a request of a tenant. @throws {Problem} `not_found`. */
export async function requireDsr(queries: Queries, tenantId: string, id: string): Promise<DsrRow> {
  return requireFound(await findRow(queries, 'dsr_requests', { tenant_id: tenantId, id }), 'data-subject request');
}

/** A page of the requests of a tenant, newest first. @param now decides which are overdue. */
export function listDsrs(queries: Queries, tenantId: string, filter: DsrFilter, now: string, start: PageStart<string>) {
  const { status, type, subjectId, assigneeUserId, overdue } = filter;
  let query = queries.selectFrom('dsr_requests').selectAll().where('tenant_id', '=', tenantId);
  if (status !== undefined) query = query.where('status', '=', status);
  if (type !== undefined) query = query.where('type', '=', type);
  if (subjectId !== undefined) query = query.where('subject_id', '=', subjectId);
  if (assigneeUserId !== undefined) query = query.where('assignee_user_id', '=', assigneeUserId);
  if (overdue !== undefined)
    query = query.where((row) => {
      // The same rule as `isOverdue`.
      const isOverdue = row.and([row('status', '=', 'open'), row('due_at', '<', now)]);
      return overdue === 'true' ? isOverdue : row.not(isOverdue);
    });
  return takeNewest(query, start.after, start.limit);
}

// Audit events hold types, statuses, outcomes and dates only: less to erase, and nothing to erase where texts are kept for good.

/**
 * Opens a request; its due date follows from the tenant's `dsrDays`.
 * @throws {Problem} `validation_failed` if `receivedAt` is in the future or before 2000.
 */
export async function createDsr(tx: Transaction, source: AuditSource, input: DsrInput): Promise<DsrRow> {
  const { tenantId } = source;
  const { subjectId, type, channel = null, notes = null, receivedAt = tx.now } = input;
  requirePast('body.receivedAt', receivedAt, tx.now);
  const tenant = await requireTenant(tx.queries, tenantId);
  return openDsr(tx, source, tenant, { subjectId, type, channel, notes, receivedAt, source: 'api' });
}

/** Stores, audits and emits a request, however it was made. */
export async function openDsr(
  tx: Transaction,
  source: AuditSource,
  { id: tenantId, dsrDays }: Tenant,
  fields: Pick<DsrView, 'subjectId' | 'type' | 'channel' | 'receivedAt' | 'source'> &
    Partial<Pick<DsrView, 'notes' | 'requesterEmail' | 'requesterName' | 'message'>>,
): Promise<DsrRow> {
  const { subjectId, type, receivedAt } = fields;
  const dueAt = dueAfter(receivedAt, dsrDays);
  const row = await insertRow(tx.queries, 'dsr_requests', {
    ...toColumns({ ...fields, dueAt }),
    id: newId(),
    tenant_id: tenantId,
    status: 'open',
    salt: newSalt(),
    created_at: tx.now,
    updated_at: tx.now,
  } as Insertable<Tables['dsr_requests']>);
  const diff = { type, receivedAt, dueAt, source: fields.source };
  await recordChange(tx, source, dsrRows, row, { verb: 'created', targetRef: null, diff });
  await emitEvents(tx, [{ tenantId, type: 'dsr.created', data: { dsrId: row.id, subjectId, type, dueAt } }]);
  return row;
}

/**
 * Edits an open request. An edit that changes nothing is not audited.
 * @throws {Problem} `not_found`, `dsr_already_completed`, `validation_failed` for an assignee who cannot sign in.
 */
export async function editDsr(tx: Transaction, source: AuditSource, id: string, change: DsrChange): Promise<DsrRow> {
  const dsr = await lockDsr(tx, source, id);
  if (dsr.status === 'completed')
    throw new Problem('dsr_already_completed', 'The request is completed and cannot be edited.');
  const { subjectId, assigneeUserId, identityCheck, notes } = change;
  if (assigneeUserId && assigneeUserId !== dsr.assignee_user_id)
    await requireActiveMember(tx.queries, source.tenantId, assigneeUserId, 'body.assigneeUserId');
  const { before, after } = diffFields(
    {
      subjectId: dsr.subject_id,
      assigneeUserId: dsr.assignee_user_id,
      notes: dsr.notes,
      identityCheckMethod: dsr.identity_check_method,
    },
    {
      ...(subjectId !== undefined && { subjectId }),
      ...(assigneeUserId !== undefined && { assigneeUserId }),
      ...(notes !== undefined && { notes }),
      ...(identityCheck !== undefined && { identityCheckMethod: identityCheck?.method ?? null }),
    },
  );
  const changed = Object.keys(after);
  if (changed.length === 0) return dsr;
  const checked = identityCheck !== undefined && Object.hasOwn(after, 'identityCheckMethod');
  const columns = {
    ...toColumns(after),
    ...(checked && {
      identity_checked_at: identityCheck && tx.now,
      identity_checked_by: identityCheck && source.actor.id,
    }),
  };
  const pick = (assignee: typeof after, identityCheckedAt: string | null) => ({
    ...(Object.hasOwn(assignee, 'assigneeUserId') && { assigneeUserId: assignee.assigneeUserId as Json }),
    ...(checked && { identityCheckedAt }),
  });
  const diff = {
    changed,
    before: pick(before, dsr.identity_checked_at),
    after: pick(after, identityCheck ? tx.now : null),
  };
  return updateDsr(tx, source, id, columns, 'edited', diff);
}

/**
 * Extends the period of a request once, while it runs: the person must be informed within it (GDPR Article 12(3)).
 * Repeating the call with the same reason changes nothing.
 * @throws {Problem} `not_found`, `dsr_already_completed`, `dsr_extension_not_allowed`.
 */
export async function extendDsr(tx: Transaction, source: AuditSource, id: string, { reason }: DsrExtension) {
  const dsr = await lockDsr(tx, source, id);
  if (dsr.status === 'completed')
    throw new Problem('dsr_already_completed', 'The request is completed and cannot be extended.');
  if (dsr.extended_at !== null && dsr.extension_reason === reason) return dsr;
  const dueAt = extendDue(dsr);
  const issue =
    (dsr.extended_at !== null && 'The period was already extended; it can be extended once.') ||
    (isOverdue(dsr, tx.now) && 'The period has passed; it can only be extended while it runs.') ||
    (dueAt <= dsr.due_at && 'The period already has the maximum length.');
  if (issue) throw new Problem('dsr_extension_not_allowed', issue);
  const columns = { due_at: dueAt, extended_at: tx.now, extension_reason: reason };
  return updateDsr(tx, source, id, columns, 'extended', { dueAt: { before: dsr.due_at, after: dueAt } });
}

/**
 * Completes a request. Repeating the call with the same outcome and reason changes nothing.
 * @throws {Problem} `not_found`, `dsr_already_completed`.
 */
export async function completeDsr(tx: Transaction, source: AuditSource, id: string, completion: DsrCompletion) {
  const { outcome, reason = null } = completion;
  const dsr = await lockDsr(tx, source, id);
  if (dsr.status === 'completed') {
    if (dsr.outcome === outcome && dsr.reason === reason) return dsr;
    throw new Problem('dsr_already_completed', `The request was already completed with the outcome ${dsr.outcome}.`);
  }
  const columns = { status: 'completed', outcome, reason, completed_at: tx.now };
  const diff = { status: { before: 'open', after: 'completed' }, outcome, completedAt: tx.now };
  const row = await updateDsr(tx, source, id, columns, 'completed', diff);
  const data = { dsrId: id, subjectId: dsr.subject_id, type: dsr.type, outcome };
  await emitEvents(tx, [{ tenantId: source.tenantId, type: 'dsr.completed', data }]);
  return row;
}

/** Reads a request and locks it until the transaction ends. */
export async function lockDsr(tx: Transaction, { tenantId }: AuditSource, id: string): Promise<DsrRow> {
  await tx.lockTenant(tenantId);
  return requireDsr(tx.queries, tenantId, id);
}

/** Changes the columns of a request, and records the change. */
export async function updateDsr(
  tx: Transaction,
  source: AuditSource,
  id: string,
  columns: Partial<DsrRow>,
  verb: string,
  diff: RowChange['diff'] & object,
): Promise<DsrRow> {
  const match = { tenant_id: source.tenantId, id };
  const row = await updateRow(tx.queries, 'dsr_requests', match, { ...columns, updated_at: tx.now });
  await recordChange(tx, source, dsrRows, row, { verb, targetRef: null, diff });
  return row;
}
