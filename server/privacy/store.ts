import { describeRows } from '../audit/row-state.ts';
import { requireFound } from '../http/problem.ts';
import type { PageStart } from '../http/route.ts';
import type { Queries } from '../storage/database.ts';
import { type Page, takeNewest } from '../storage/page.ts';
import { findRow } from '../storage/rows.ts';
import type { BreachFilter, BreachRow } from './breach.ts';
import type { DsrFilter, DsrRow } from './dsr.ts';

export const dsrRows = describeRows('dsr_requests', 'privacy', 'dsr');
export const breachRows = describeRows('breach_incidents', 'privacy', 'breach');

/** Reads a request of a tenant. @throws {Problem} `not_found`. */
export async function requireDsr(queries: Queries, tenantId: string, id: string): Promise<DsrRow> {
  return requireFound(await findRow(queries, 'dsr_requests', { tenant_id: tenantId, id }), 'data-subject request');
}

/** Reads a breach of a tenant. @throws {Problem} `not_found`. */
export async function requireBreach(queries: Queries, tenantId: string, id: string): Promise<BreachRow> {
  return requireFound(await findRow(queries, 'breach_incidents', { tenant_id: tenantId, id }), 'breach');
}

/** A page of the requests of a tenant, newest first. @param now decides which are overdue. */
export async function listDsrs(
  queries: Queries,
  tenantId: string,
  { status, type, subjectId, overdue }: DsrFilter,
  now: string,
  { after, limit }: PageStart<string>,
): Promise<Page<DsrRow>> {
  let query = queries.selectFrom('dsr_requests').selectAll().where('tenant_id', '=', tenantId);
  if (status !== undefined) query = query.where('status', '=', status);
  if (type !== undefined) query = query.where('type', '=', type);
  if (subjectId !== undefined) query = query.where('subject_id', '=', subjectId);
  if (overdue !== undefined)
    query = query.where((row) => {
      // The same rule as `isOverdue`.
      const isOverdue = row.and([row('status', '=', 'open'), row('due_at', '<', now)]);
      return overdue === 'true' ? isOverdue : row.not(isOverdue);
    });
  return takeNewest(query, after, limit);
}

/** A page of the breaches of a tenant, newest first. */
export async function listBreaches(
  queries: Queries,
  tenantId: string,
  { status, severity }: BreachFilter,
  { after, limit }: PageStart<string>,
): Promise<Page<BreachRow>> {
  let query = queries.selectFrom('breach_incidents').selectAll().where('tenant_id', '=', tenantId);
  if (status !== undefined) query = query.where('status', '=', status);
  if (severity !== undefined) query = query.where('severity', '=', severity);
  return takeNewest(query, after, limit);
}
