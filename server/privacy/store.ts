import type { ExpressionBuilder, Selectable } from 'kysely';
import { describeRows } from '../audit/row-state.ts';
import { randomText } from '../installation/token.ts';
import type { Queries } from '../storage/database.ts';
import { newId } from '../storage/ids.ts';
import { mapPage, type Page, takePage } from '../storage/page.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { Breach, BreachInput } from './breach.ts';
import type { Dsr, DsrInput } from './dsr.ts';

type DsrRow = Selectable<Tables['dsr_requests']>;
type BreachRow = Selectable<Tables['breach_incidents']>;

export const dsrRows = describeRows('dsr_requests', 'privacy', 'dsr');

export const breachRows = describeRows('breach_incidents', 'privacy', 'breach');

/**
 * The audit log keeps a hash of every row and cannot be erased. Once a row and its salt are erased, the hash confirms no
 * guess of its contents.
 */
const createSalt = () => randomText(22);

/** Stores a new request. @returns its row, for the audit event. */
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

/** Stores an extension or a completion. @returns the row after it, for the audit event. */
export async function updateDsr(
  work: UnitOfWork,
  tenantId: string,
  id: string,
  columns:
    | Pick<DsrRow, 'due_at' | 'extended_at' | 'extension_reason'>
    | Pick<DsrRow, 'status' | 'outcome' | 'reason' | 'completed_at'>,
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
  /** Whether the request is overdue at a time. */
  readonly overdue?: { readonly is: boolean; readonly at: string } | undefined;
}

/**
 * A page of the requests of a tenant, newest first.
 * @param before the id of the last request of the previous page; null for the first page.
 */
export async function listDsrs(
  queries: Queries,
  tenantId: string,
  filter: DsrFilter,
  before: string | null,
  limit: number,
): Promise<Page<Dsr>> {
  let query = queries
    .selectFrom('dsr_requests')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where(matchesDsr(filter))
    .orderBy('id', 'desc');
  if (before !== null) query = query.where('id', '<', before);
  return mapPage(await takePage(query, limit, ({ id }) => id), readDsr);
}

function matchesDsr({ status, type, subjectId, overdue }: DsrFilter) {
  return (row: ExpressionBuilder<Tables, 'dsr_requests'>) => {
    // The same rule as `isOverdue`.
    const isOverdue = (at: string) => row.and([row('status', '=', 'open'), row('due_at', '<', at)]);
    return row.and([
      ...(status === undefined ? [] : [row('status', '=', status)]),
      ...(type === undefined ? [] : [row('type', '=', type)]),
      ...(subjectId === undefined ? [] : [row('subject_id', '=', subjectId)]),
      ...(overdue === undefined ? [] : [overdue.is ? isOverdue(overdue.at) : row.not(isOverdue(overdue.at))]),
    ]);
  };
}

/** Converts a row to a request. */
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

/** Stores a new breach. @returns its row, for the audit event. */
export async function insertBreach(work: UnitOfWork, tenantId: string, input: BreachInput): Promise<BreachRow> {
  const row: BreachRow = {
    id: newId(),
    tenant_id: tenantId,
    title: input.title,
    description: input.description,
    severity: input.severity,
    status: 'open',
    affected_subjects: input.affectedSubjects ?? null,
    data_categories: JSON.stringify(input.dataCategories ?? []),
    discovered_at: input.discoveredAt,
    authority_notified_at: null,
    subjects_notified_at: null,
    notification_reason: null,
    closed_at: null,
    salt: createSalt(),
    created_at: work.now,
    updated_at: work.now,
  };
  await work.transaction.insertInto('breach_incidents').values(row).execute();
  return row;
}

/** Stores an edited breach. @returns the row after the edit, for the audit event. */
export async function updateBreach(work: UnitOfWork, tenantId: string, breach: Breach): Promise<BreachRow> {
  return work.transaction
    .updateTable('breach_incidents')
    .set({
      title: breach.title,
      description: breach.description,
      severity: breach.severity,
      status: breach.status,
      affected_subjects: breach.affectedSubjects,
      data_categories: JSON.stringify(breach.dataCategories),
      authority_notified_at: breach.authorityNotifiedAt,
      subjects_notified_at: breach.subjectsNotifiedAt,
      notification_reason: breach.notificationReason,
      closed_at: breach.closedAt,
      updated_at: work.now,
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', breach.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Finds a breach of a tenant. */
export async function findBreach(queries: Queries, tenantId: string, id: string): Promise<Breach | undefined> {
  const row = await queries
    .selectFrom('breach_incidents')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && readBreach(row);
}

/**
 * A page of the breaches of a tenant, newest first.
 * @param before the id of the last breach of the previous page; null for the first page.
 */
export async function listBreaches(
  queries: Queries,
  tenantId: string,
  {
    status,
    severity,
  }: { readonly status?: Breach['status'] | undefined; readonly severity?: Breach['severity'] | undefined },
  before: string | null,
  limit: number,
): Promise<Page<Breach>> {
  let query = queries
    .selectFrom('breach_incidents')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('id', 'desc');
  if (status !== undefined) query = query.where('status', '=', status);
  if (severity !== undefined) query = query.where('severity', '=', severity);
  if (before !== null) query = query.where('id', '<', before);
  return mapPage(await takePage(query, limit, ({ id }) => id), readBreach);
}

/** Converts a row to a breach. */
export function readBreach(row: BreachRow): Breach {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    severity: row.severity as Breach['severity'],
    status: row.status as Breach['status'],
    affectedSubjects: row.affected_subjects,
    dataCategories: JSON.parse(row.data_categories),
    discoveredAt: row.discovered_at,
    authorityNotifiedAt: row.authority_notified_at,
    subjectsNotifiedAt: row.subjects_notified_at,
    notificationReason: row.notification_reason,
    closedAt: row.closed_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
