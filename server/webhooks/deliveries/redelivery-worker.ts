import type { Database } from '../../storage/database.ts';
import { insertRows } from '../../storage/insert-rows.ts';
import { runUnitOfWork } from '../../storage/unit-of-work.ts';
import { announceDeliveries, newDelivery } from './outbox.ts';
import {
  holdEvents,
  listReceivers,
  markRedelivered,
  type RunningRedelivery,
  saveProgress,
  takeFitting,
  takeRunning,
} from './redelivery-store.ts';

/** So many deliveries are queued in one transaction: some 15 milliseconds, which others may have to wait for. */
const batch = 500;

/**
 * Carries out a part of an order to send deliveries again, in one transaction that also notes how far it came: a process
 * that ends in the middle leaves nothing half done. On PostgreSQL several processes may do this at once.
 * @returns whether there was something to do, so that there may be more.
 */
export function stepRedeliveries(database: Database, now: string): Promise<boolean> {
  return runUnitOfWork(database, now, async (work) => {
    const { transaction } = work;
    const order = await takeRunning(transaction);
    if (order === undefined) return false;
    const receivers = await listReceivers(transaction, order.tenantId, order.filter.webhookId, true);
    const { rows, next } =
      receivers.length === 0 ? { rows: [], next: null } : await takeFitting(transaction, order, receivers, batch);
    const fitting = await holdEvents(transaction, rows);
    const ids = fitting.map(({ id }) => id);
    // A caller may have sent one of them again meanwhile.
    const marked = order.filter.status === 'dead' ? await markRedelivered(transaction, fitting) : new Set(ids);
    const created_at = createdAfter(order, now);
    const deliveries = fitting
      .filter(({ id }) => marked.has(id))
      .map(({ id, endpoint_id, event_id, event_type, tenant_id }, index) => ({
        ...newDelivery({ id: event_id, tenant_id, type: event_type }, endpoint_id, now, id),
        created_at,
        due_at: dueAt(order, now, index),
      }));
    await insertRows(transaction, 'webhook_deliveries', deliveries);
    await saveProgress(transaction, order, { position: next, queued: deliveries.length, now });
    const reached = new Set(deliveries.map(({ endpoint_id }) => endpoint_id));
    const enabled = receivers.filter(({ id, isEnabled }) => isEnabled && reached.has(id));
    announceDeliveries(
      work,
      enabled.map(({ id }) => id),
    );
    return true;
  });
}

/** What is sent again comes at a rate, so that what happens meanwhile does not wait behind all of it. */
function dueAt({ createdAt, queued }: RunningRedelivery, now: string, index: number): string {
  const time = Date.parse(createdAt) + ((queued + index) * 1000) / perSecond;
  return new Date(Math.max(time, Date.parse(now))).toISOString();
}

const perSecond = 100;

/** New deliveries come after the place of their order, also by the clock of a server that is late: it never meets them. */
function createdAfter({ createdAt }: RunningRedelivery, now: string): string {
  return now > createdAt ? now : new Date(Date.parse(createdAt) + 1).toISOString();
}
