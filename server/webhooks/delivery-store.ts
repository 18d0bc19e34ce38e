import { sql } from 'kysely';
import type { Queries } from '../storage/database.ts';
import type { DeliveryDetail } from './delivery.ts';
import { type DeliveryRow, viewDeliveryDetail } from './delivery-view.ts';
import { byStatus, type Place, walkDeliveries } from './delivery-walk.ts';

export interface DeliveryFilter {
  readonly status?: string | undefined;
  readonly webhookId?: string | undefined;
  readonly eventType?: string | undefined;
  readonly reason?: string | undefined;
  /** Created at this time or later. */
  readonly from?: string | undefined;
  /** Created before this time. */
  readonly to?: string | undefined;
}

/**
 * A page of the deliveries of a tenant, newest first.
 * @param after the last delivery already seen; null for the first page.
 * @returns the deliveries, and where to go on when there are more.
 */
export async function listDeliveries(
  queries: Queries,
  tenantId: string,
  { status, eventType, reason, ...range }: DeliveryFilter,
  after: Place | null,
  limit: number,
): Promise<{ readonly rows: readonly DeliveryRow[]; readonly next: Place | null }> {
  const { isDead, status: sieved } = byStatus(status);
  const sieve = { status: sieved, eventType, reason };
  return walkDeliveries(queries, { ...range, tenantId, isDead, order: 'newest first', after, sieve }, limit);
}

/** Finds a delivery of a tenant as it is stored. */
export async function findDeliveryRow(
  queries: Queries,
  tenantId: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  return queries
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Makes a delivery of a tenant due that waits. @returns it; nothing where it does not wait or an attempt is under way. */
export async function hastenPending(
  queries: Queries,
  now: string,
  tenantId: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  // What is due already keeps its place among what is.
  return updatePending(queries, tenantId, id)
    .set({ due_at: sql<string>`case when due_at > ${now} then ${now} else due_at end` })
    .returningAll()
    .executeTakeFirst();
}

/** Cancels a delivery of a tenant that waits. @returns it; nothing where it does not wait or an attempt is under way. */
export async function cancelPending(
  queries: Queries,
  now: string,
  tenantId: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  return updatePending(queries, tenantId, id)
    .set({ status: 'canceled', due_at: null, finished_at: now })
    .returningAll()
    .executeTakeFirst();
}

function updatePending(queries: Queries, tenantId: string, id: string) {
  return queries
    .updateTable('webhook_deliveries')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('claimed_by', 'is', null);
}

/** Finds the delivery that one waits for in the order that its endpoint keeps: under way, or the first that waits. */
async function findWaitedFor(queries: Queries, row: DeliveryRow): Promise<string | null> {
  if (row.due_at === null || row.ordering_key === null || row.claimed_by !== null) return null;
  const withKey = sql`other.endpoint_id = ${row.endpoint_id} and other.ordering_key = ${row.ordering_key}
    and other.ordering_key is not null and other.due_at is not null`;
  const { rows } = await sql<{ head: string | null; held: string | null }>`
    select
      (select id from webhook_deliveries as other where ${withKey} order by id limit 1) as head,
      (select id from webhook_deliveries as other where ${withKey} and other.claimed_by is not null limit 1) as held
    from webhook_endpoints
    where id = ${row.endpoint_id} and tenant_id = ${row.tenant_id} and ordering <> 'none'`.execute(queries);
  const waitedFor = rows[0]?.held ?? rows[0]?.head ?? null;
  return waitedFor === row.id ? null : waitedFor;
}

/** Finds a delivery with its event and its attempts. */
export async function findDelivery(
  queries: Queries,
  tenantId: string,
  id: string,
): Promise<DeliveryDetail | undefined> {
  const row = await findDeliveryRow(queries, tenantId, id);
  if (row === undefined) return undefined;
  const event = await queries
    .selectFrom('webhook_events')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', row.event_id)
    .executeTakeFirst();
  // Both are forgotten together, perhaps at this moment.
  if (event === undefined) return undefined;
  const attempts = await queries
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('delivery_id', '=', id)
    .orderBy('at')
    .orderBy('id')
    .execute();
  return viewDeliveryDetail(row, event, attempts, await findWaitedFor(queries, row));
}
