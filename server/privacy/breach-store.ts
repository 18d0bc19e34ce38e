import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import type { RowKind } from '../audit/row-state.ts';
import type { Queries } from '../storage/database.ts';
import { newId } from '../storage/ids.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { Breach, BreachInput } from './breach.ts';
import { createSalt } from './salt.ts';

export type BreachRow = Selectable<Tables['breach_incidents']>;

export const breachRows: RowKind<'breach_incidents'> = {
  table: 'breach_incidents',
  module: 'privacy',
  noun: 'breach',
  key: 'id',
  owner: 'tenant_id',
  counters: [],
};

/** Stores a new incident. @returns the row, for the event of the change. */
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

/** Stores an incident as an edit left it. @returns the row as it is now, for the event of the change. */
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

/** Finds an incident of a tenant. */
export async function findBreach(queries: Queries, tenantId: string, id: string): Promise<Breach | undefined> {
  const row = await queries
    .selectFrom('breach_incidents')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && readBreach(row);
}

export interface BreachFilter {
  readonly status?: Breach['status'] | undefined;
  readonly severity?: Breach['severity'] | undefined;
}

/**
 * A page of the incidents of a tenant, newest first, and how many the whole list has.
 * @param before the id of the last incident already seen; null for the first page.
 */
export async function listBreaches(
  queries: Queries,
  tenantId: string,
  filter: BreachFilter,
  before: string | null,
  limit: number,
): Promise<{ readonly breaches: readonly Breach[]; readonly total: number; readonly next: string | null }> {
  const matching = queries.selectFrom('breach_incidents').where('tenant_id', '=', tenantId).where(fits(filter));
  const { total } = await matching.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  let page = matching
    .selectAll()
    .orderBy('id', 'desc')
    .limit(sql.lit(limit + 1));
  if (before !== null) page = page.where('id', '<', before);
  const rows = await page.execute();
  const breaches = rows.slice(0, limit).map(readBreach);
  return { breaches, total: Number(total), next: rows.length > limit ? (breaches.at(-1)?.id ?? null) : null };
}

function fits({ status, severity }: BreachFilter) {
  return (row: ExpressionBuilder<Tables, 'breach_incidents'>) =>
    row.and([
      ...(status === undefined ? [] : [row('status', '=', status)]),
      ...(severity === undefined ? [] : [row('severity', '=', severity)]),
    ]);
}

/** An incident as it is stored. */
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
