import { type Expression, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import { isPresent } from '../../accounts/tenants/store.ts';
import { rateReadiness, rateTestHealth } from '../../controls/overview.ts';
import { readControlsOf } from '../../controls/store.ts';
import { viewRow } from '../../http/schemas.ts';
import { notificationPeriod } from '../../privacy/breach.ts';
import { addTime, type Database } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { cutPage, type Page, takeNewest } from '../../storage/rows.ts';
import { PortfolioTenant, TenantSummary } from './tenant.ts';

export async function listTenantSummaries(queries: Queries, before: string | null, limit: number) {
  const query = queries.selectFrom('tenants').select(['id', 'slug', 'name', 'created_at']).where(isPresent);
  const { rows, next } = await takeNewest(query, before, limit);
  const ids = rows.map(({ id }) => id);
  const members = await countRows(queries, 'memberships', ids, sql`deleted_at is null`);
  const notices = await countRows(queries, 'consent_notices', ids);
  const view = (row: (typeof rows)[number]) =>
    viewRow(TenantSummary, row, { members: members(row.id), notices: notices(row.id) });
  return { rows: rows.map(view), next };
}

/**
 * A page of the tenants of a portfolio with what is overdue in each, newest first. Each number takes one query for all
 * tenants of the page.
 */
export async function listPortfolio(
  queries: Queries,
  portfolio: readonly string[],
  now: string,
  before: string | null,
  limit: number,
): Promise<Page<z.output<typeof PortfolioTenant>>> {
  const wanted = portfolio
    .filter((id) => before === null || id < before)
    .toSorted((one, other) => (one < other ? 1 : -1));
  const { rows: ids, next } = cutPage(wanted.slice(0, limit + 1), limit, (id) => id);
  // The last tenants of the list may have left the portfolio since the previous page.
  if (ids.length === 0) return { rows: [], next };
  const names = await queries.selectFrom('tenants').select(['id', 'slug', 'name']).where('id', 'in', ids).execute();
  const requests = await countRows(queries, 'dsr_requests', ids, sql`status = 'open' and due_at < ${now}`);
  const breaches = await countRows(queries, 'breach_incidents', ids, isPastDeadline(now));
  const webhooks = await countRows(queries, 'webhook_endpoints', ids, isFailing);
  const controls = await readControlsOf(queries, ids, now);
  const rows = names
    .sort((one, other) => (one.id < other.id ? 1 : -1))
    .map((tenant) => {
      const own = controls.get(tenant.id);
      const readiness = own === undefined ? null : rateReadiness(own);
      return viewRow(PortfolioTenant, tenant, {
        overdueRequests: requests(tenant.id),
        overdueBreaches: breaches(tenant.id),
        overdueEvidence: readiness?.overdueEvidenceRequests ?? 0,
        dueTests: own === undefined ? 0 : rateTestHealth(own.controls, now).summary.dueTests,
        failingWebhooks: webhooks(tenant.id),
        readiness: readiness?.score ?? null,
      });
    });
  return { rows, next };
}

/** Condition of a query: the authority should have been notified of a breach. The same rule as in `viewBreach`. */
export function isPastDeadline(now: string): Expression<SqlBool> {
  const discovered = addTime(now, -notificationPeriod);
  return sql`authority_notified_at is null and notification_reason is null and erased_at is null
    and discovered_at < ${discovered}`;
}

/** Condition of a query: the deliveries of a webhook keep failing, or it was disabled. */
export const isFailing: Expression<SqlBool> = sql`deleted_at is null and (status = 'disabled' or exists
  (select 1 from webhook_health as health where health.tenant_id = webhook_endpoints.tenant_id
    and health.endpoint_id = webhook_endpoints.id and failing_since is not null and last_error is not null))`;

export const countOfRows = sql<number>`count(*)`.as('count');

/** Counts rows of tenants. @returns the number of a tenant. */
async function countRows(
  queries: Queries,
  table: 'memberships' | 'consent_notices' | 'dsr_requests' | 'breach_incidents' | 'webhook_endpoints',
  tenantIds: readonly string[],
  condition: Expression<unknown> = sql`1 = 1`,
): Promise<(tenantId: string) => number> {
  const counts = await queries
    .selectFrom(table as 'memberships')
    .select(['tenant_id', countOfRows])
    .where('tenant_id', 'in', tenantIds)
    .where(condition as Expression<SqlBool>)
    .groupBy('tenant_id')
    .execute();
  const byTenant = new Map(counts.map(({ tenant_id, count }) => [tenant_id, Number(count)]));
  return (tenantId) => byTenant.get(tenantId) ?? 0;
}

/** Counts what all tenants have. No ledger is read: the heads of the chains have the numbers of their entries. */
export async function countServer({ kysely }: Pick<Database, 'kysely'>) {
  const heads = await kysely
    .selectFrom('chain_heads')
    .select(['ledger', sql<number>`sum(sequence)`.as('entries')])
    .groupBy('ledger')
    .execute();
  const entries = new Map(heads.map(({ ledger, entries }) => [ledger, Number(entries)]));
  const deliveries = kysely.selectFrom('webhook_deliveries');
  const oldest = sql<string | null>`min(created_at)`.as('oldest');
  const due = deliveries.select([countOfRows, oldest]).where('due_at', 'is not', null);
  const pending = await due.executeTakeFirstOrThrow();
  const dead = await deliveries.select(countOfRows).where('status', '=', sql.lit('dead')).executeTakeFirstOrThrow();
  const tenants = await kysely.selectFrom('tenants').select(countOfRows).executeTakeFirstOrThrow();
  return {
    deliveries: { pending: Number(pending.count), oldestPendingAt: pending.oldest, dead: Number(dead.count) },
    tenants: Number(tenants.count),
    records: entries.get('consent') ?? 0,
    auditEvents: entries.get('audit') ?? 0,
  };
}

/** @returns bytes. */
export async function readSize({ kysely, dialect }: Database): Promise<number> {
  const size =
    dialect === 'sqlite'
      ? sql<{ bytes: number }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`
      : sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`;
  const { rows } = await size.execute(kysely);
  return Number(rows[0]?.bytes);
}
