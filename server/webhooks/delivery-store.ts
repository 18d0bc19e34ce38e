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
