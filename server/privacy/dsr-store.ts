import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import type { RowKind } from '../audit/row-state.ts';
import type { Queries } from '../storage/database.ts';
import { newId } from '../storage/ids.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { Dsr, DsrInput } from './dsr.ts';
import { createSalt } from './salt.ts';

export type DsrRow = Selectable<Tables['dsr_requests']>;

export const dsrRows: RowKind<'dsr_requests'> = {
  table: 'dsr_requests',
  module: 'privacy',
  noun: 'dsr',
  key: 'id',
  owner: 'tenant_id',
  counters: [],
};

/** Stores a new request. @returns the row, for the event of the change. */
export async function insertDsr(
  work: UnitOfWork,
  tenantId: string,
  wanted: DsrInput & Pick<Dsr, 'receivedAt' | 'dueAt'>,
): Promise<DsrRow> {
  const row: DsrRow = {
    id: newId(),
    tenant_id: tenantId,
    subject_id: wanted.subjectId,
    type: wanted.type,
    channel: wanted.channel ?? null,
    notes: wanted.notes ?? null,
    status: 'open',
    outcome: null,
    reason: null,
    received_at: wanted.receivedAt,
    due_at: wanted.dueAt,
    extended_at: null,
    extension_reason: null,
    completed_at: null,
    salt: createSalt(),
    created_at: work.now,
    updated_at: work.now,
  };
  await work.transaction.insertInto('dsr_requests').values(row).execute();
  return row;
}

type ExtensionColumns = Pick<DsrRow, 'due_at' | 'extended_at' | 'extension_reason'>;
type CompletionColumns = Pick<DsrRow, 'status' | 'outcome' | 'reason' | 'completed_at'>;

/** Stores what was decided of a request. @returns the row as it is now, for the event of the change. */
export async function updateDsr(
  work: UnitOfWork,
  tenantId: string,
  id: string,
  columns: ExtensionColumns | CompletionColumns,
): Promise<DsrRow> {
  return work.transaction
    .updateTable('dsr_requests')
    .set({ ...columns, updated_at: work.now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Finds a request of a tenant. */
export async function findDsr(queries: Queries, tenantId: string, id: string): Promise<Dsr | undefined> {
  const row = await queries
    .selectFrom('dsr_requests')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && readDsr(row);
}

export interface DsrFilter {
  readonly status?: Dsr['status'] | undefined;
  readonly type?: Dsr['type'] | undefined;
  readonly subjectId?: string | undefined;
  /** Open past the due date, or not, at this time. */
  readonly overdue?: { readonly is: boolean; readonly at: string } | undefined;
}

/**
 * A page of the requests of a tenant, newest first, and how many the whole list has.
 * @param before the id of the last request already seen; null for the first page.
 */
export async function listDsrs(
  queries: Queries,
  tenantId: string,
  filter: DsrFilter,
  before: string | null,
  limit: number,
): Promise<{ readonly dsrs: readonly Dsr[]; readonly total: number; readonly next: string | null }> {
  const matching = queries.selectFrom('dsr_requests').where('tenant_id', '=', tenantId).where(fits(filter));
  const { total } = await matching.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  let page = matching
    .selectAll()
    .orderBy('id', 'desc')
    .limit(sql.lit(limit + 1));
  if (before !== null) page = page.where('id', '<', before);
  const rows = await page.execute();
  const dsrs = rows.slice(0, limit).map(readDsr);
  return { dsrs, total: Number(total), next: rows.length > limit ? (dsrs.at(-1)?.id ?? null) : null };
}

function fits({ status, type, subjectId, overdue }: DsrFilter) {
  return (row: ExpressionBuilder<Tables, 'dsr_requests'>) =>
    row.and([
      ...(status === undefined ? [] : [row('status', '=', status)]),
      ...(type === undefined ? [] : [row('type', '=', type)]),
      ...(subjectId === undefined ? [] : [row('subject_id', '=', subjectId)]),
      ...(overdue === undefined ? [] : [overdue.is ? isLate(overdue.at)(row) : row.not(isLate(overdue.at)(row))]),
    ]);
}

/** What `isOverdue` tells of a request that was read. */
function isLate(now: string) {
  return (row: ExpressionBuilder<Tables, 'dsr_requests'>) =>
    row.and([row('status', '=', 'open'), row('due_at', '<', now)]);
}

/** A request as it is stored. */
export function readDsr(row: DsrRow): Dsr {
  return {
    id: row.id,
    subjectId: row.subject_id,
    type: row.type as Dsr['type'],
    channel: row.channel as Dsr['channel'],
    notes: row.notes,
    status: row.status as Dsr['status'],
    receivedAt: row.received_at,
    dueAt: row.due_at,
    extendedAt: row.extended_at,
    extensionReason: row.extension_reason,
    outcome: row.outcome as Dsr['outcome'],
    reason: row.reason,
    completedAt: row.completed_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
