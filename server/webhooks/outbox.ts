import { newId } from '../ids.ts';
import type { Queries } from '../storage/database.ts';
import { insertRows } from '../storage/insert-rows.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { NewWebhookEvent, StoredEvent } from './event.ts';
import { findSubscribers, queueDeliveries } from './fan-out.ts';

/**
 * Writes events, and the deliveries to every endpoint that wants them, in the unit of work of the changes that they
 * tell of: neither is without the other.
 * @param except an endpoint that is left out: the one that the events are about.
 */
export async function emitEvents(work: UnitOfWork, events: readonly NewWebhookEvent[], except?: string): Promise<void> {
  const rows = await insertEvents(work.transaction, work.now, events);
  const woken: string[] = [];
  for (const [tenantId, ofTenant] of Map.groupBy(rows, ({ tenant_id }) => tenant_id)) {
    const subscribers = (await findSubscribers(work.transaction, tenantId)).filter(({ id }) => id !== except);
    woken.push(...(await queueDeliveries(work.transaction, work.now, ofTenant, subscribers)));
  }
  announceDeliveries(work, woken);
}

/** Tells the sender, once the unit of work is durable, that endpoints have something to be sent. */
export function announceDeliveries(work: UnitOfWork, endpointIds: readonly string[]): void {
  if (endpointIds.length > 0) work.afterCommit(() => work.signals.emit('deliveries', endpointIds));
}

/** Stores events. @returns the rows, in order. */
export async function insertEvents(
  queries: Queries,
  now: string,
  events: readonly NewWebhookEvent[],
): Promise<readonly StoredEvent[]> {
  const rows = events.map(({ tenantId, type, data }) => ({
    id: newId(),
    tenant_id: tenantId,
    type,
    data: JSON.stringify(data),
    created_at: now,
  }));
  await insertRows(queries, 'webhook_events', rows);
  return rows;
}
