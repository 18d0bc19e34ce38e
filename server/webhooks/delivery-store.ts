import type { Queries } from '../storage/database.ts';
import { type DeliveryDetail, deliveryStatuses } from './delivery.ts';
import { type DeliveryRow, viewDeliveryDetail } from './delivery-view.ts';
import { type Place, placeOf, walkDeliveries } from './delivery-walk.ts';

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
  { eventType, reason, ...filter }: DeliveryFilter,
  after: Place | null,
  limit: number,
): Promise<{ readonly rows: readonly DeliveryRow[]; readonly next: Place | null }> {
  const walk = { ...filter, tenantId, order: 'newest first', after, sieve: { eventType, reason } } as const;
  if (filter.webhookId === undefined || filter.status !== undefined) return walkDeliveries(queries, walk, limit);
  // The index of an endpoint is in the order of creation for one status at a time. A delivery that changes meanwhile goes
  // from a status to a later one, so that reading them in order misses none; the one read last is the one that holds.
  const found = new Map<string, DeliveryRow>();
  const ends: Place[] = [];
  for (const status of deliveryStatuses) {
    const { rows, next } = await walkDeliveries(queries, { ...walk, status }, limit);
    for (const row of rows) found.set(row.id, row);
    if (next !== null) ends.push(next);
  }
  const [end = null] = ends.sort(newestFirst);
  const rows = [...found.values()]
    .filter((row) => end === null || newestFirst(placeOf(row), end) <= 0)
    .sort((one, other) => newestFirst(placeOf(one), placeOf(other)));
  const taken = rows.slice(0, limit);
  const last = taken.at(-1);
  return { rows: taken, next: rows.length > limit && last !== undefined ? placeOf(last) : end };
}

function newestFirst(one: Place, other: Place): number {
  if (one.createdAt !== other.createdAt) return one.createdAt > other.createdAt ? -1 : 1;
  return one.id === other.id ? 0 : one.id > other.id ? -1 : 1;
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
  return viewDeliveryDetail(row, event, attempts);
}
