import type { AuditSource } from '../../audit/source.ts';
import { recordEvent } from '../../audit/store.ts';
import { notFound, Problem } from '../../http/problem.ts';
import type { Database, Queries } from '../../storage/database.ts';
import { newId } from '../../storage/ids.ts';
import { insertRows } from '../../storage/insert-rows.ts';
import { findRow } from '../../storage/rows.ts';
import { runUnitOfWork, type UnitOfWork } from '../../storage/unit-of-work.ts';
import { type DeliveryRow, filterOf, type RedeliveryInput, type RedeliveryView } from './delivery.ts';
import { announceDeliveries, newDelivery } from './outbox.ts';
import {
  cancelRunning,
  countFitting,
  findRedelivery,
  findRunning,
  holdEvents,
  insertRedelivery,
  listReceivers,
  markRedelivered,
  type RunningRedelivery,
  saveProgress,
  takeFitting,
  takeRunning,
} from './redelivery-store.ts';
import { cancelPending, expeditePending, findDeliveryRow } from './store.ts';

/**
 * Makes a pending delivery due now: the same one, in its own 24 hours.
 * @throws {Problem} `webhook_delivery_pending`.
 */
export async function expediteDelivery(work: UnitOfWork, source: AuditSource, id: string): Promise<DeliveryRow> {
  const row = await expeditePending(work.transaction, work.now, source.tenantId, id);
  if (row === undefined) throw isUnderWay();
  await record(work, source, 'expedited', row);
  return row;
}

/**
 * Cancels a pending delivery: nothing more is sent.
 * @throws {Problem} `not_found`, `webhook_delivery_pending` while an attempt is under way, `conflict` where it has ended.
 */
export async function cancelDelivery(work: UnitOfWork, source: AuditSource, id: string): Promise<DeliveryRow> {
  const { transaction, now } = work;
  const { tenantId } = source;
  await work.lockTenant(tenantId);
  const row = await cancelPending(transaction, now, tenantId, id);
  if (row === undefined) {
    const found = await findDeliveryRow(transaction, tenantId, id);
    if (found === undefined) throw notFound('delivery');
    if (found.status === 'pending') throw isUnderWay();
    throw new Problem('conflict', `The delivery is ${found.status}: there is nothing left to cancel.`);
  }
  await record(work, source, 'canceled', row);
  return row;
}

function isUnderWay(): Problem {
  return new Problem('webhook_delivery_pending', 'An attempt at the delivery is in progress: check its result.');
}

async function record(work: UnitOfWork, source: AuditSource, verb: string, row: DeliveryRow): Promise<void> {
  await recordEvent(work, source, {
    module: 'webhooks',
    action: `webhook_delivery.${verb}`,
    targetId: row.id,
    targetRef: null,
    diff: { webhookId: row.endpoint_id, eventType: row.event_type },
  });
}

/**
 * Sends a delivery again, as a new one; one that waits for its next attempt is due now instead.
 * @throws {Problem} `not_found`, `webhook_delivery_pending`, `webhook_deleted`, `webhook_not_enabled`.
 */
export async function redeliver(work: UnitOfWork, source: AuditSource, id: string): Promise<DeliveryRow> {
  const { transaction, now } = work;
  const { tenantId } = source;
  // Changes of an endpoint take this lock too, so it stays as it was read.
  await work.lockTenant(tenantId);
  const found = await findDeliveryRow(transaction, tenantId, id);
  const [earlier] = found === undefined ? [] : await holdEvents(transaction, [found]);
  if (earlier === undefined) throw notFound('delivery');
  const { isEnabled } = await requireReceiver(transaction, tenantId, earlier.endpoint_id);
  const announce = () => isEnabled && announceDeliveries(work, [earlier.endpoint_id]);
  if (earlier.status === 'pending') {
    const expedited = await expediteDelivery(work, source, id);
    announce();
    return expedited;
  }
  const event = { id: earlier.event_id, tenant_id: tenantId, type: earlier.event_type };
  const row = newDelivery(event, earlier.endpoint_id, now, id);
  await insertRows(transaction, 'webhook_deliveries', [row]);
  await markRedelivered(transaction, [earlier]);
  await recordEvent(work, source, {
    module: 'webhooks',
    action: 'webhook_delivery.redelivered',
    targetId: id,
    targetRef: null,
    diff: { webhookId: row.endpoint_id, eventType: row.event_type, redeliveryId: row.id },
  });
  announce();
  return row;
}

/** How many deliveries an order would send again. @throws {Problem} `not_found`, `webhook_deleted`, `webhook_not_enabled`. */
export async function countRedelivery(
  queries: Queries,
  now: string,
  tenantId: string,
  input: RedeliveryInput,
): Promise<number> {
  return (await prepareOrder(queries, now, tenantId, input)).total;
}

/**
 * Orders that all deliveries that fit are sent again; one order of a tenant is carried out at a time.
 * @throws {Problem} `not_found`, `webhook_deleted`, `webhook_not_enabled`, `webhook_redelivery_running`.
 */
export async function orderRedelivery(
  work: UnitOfWork,
  source: AuditSource,
  input: RedeliveryInput,
): Promise<RedeliveryView> {
  const { transaction } = work;
  const { tenantId } = source;
  // Counting may take its time, so it comes before anybody has to wait.
  const order = await prepareOrder(transaction, work.now, tenantId, input);
  await work.lockTenant(tenantId);
  const running = await findRunning(transaction, tenantId);
  if (running !== undefined)
    throw new Problem('webhook_redelivery_running', `Wait for the order ${running} to finish, or cancel it.`);
  const redelivery = await insertRedelivery(work, tenantId, order);
  const { id, filter, total } = redelivery;
  await recordEvent(work, source, {
    module: 'webhooks',
    action: 'webhook_redelivery.ordered',
    targetId: id,
    targetRef: null,
    diff: { filter, total },
  });
  return redelivery;
}

/** Ends an order: what it has queued is sent. One that has ended stays as it is. @throws {Problem} `not_found`. */
export async function cancelRedelivery(work: UnitOfWork, source: AuditSource, id: string): Promise<RedeliveryView> {
  const { transaction } = work;
  await work.lockTenant(source.tenantId);
  const canceled = await cancelRunning(work, source.tenantId, id);
  if (canceled === undefined) {
    const ended = await findRedelivery(transaction, source.tenantId, id);
    if (ended === undefined) throw notFound('redelivery');
    return ended;
  }
  const { queued, total } = canceled;
  await recordEvent(work, source, {
    module: 'webhooks',
    action: 'webhook_redelivery.canceled',
    targetId: id,
    targetRef: null,
    diff: { queued, total },
  });
  return canceled;
}

async function prepareOrder(queries: Queries, now: string, tenantId: string, input: RedeliveryInput) {
  const filter = filterOf(input);
  if (filter.webhookId !== null) await requireReceiver(queries, tenantId, filter.webhookId);
  const id = newId();
  const receivers = await listReceivers(queries, tenantId, filter.webhookId);
  const total = await countFitting(queries, tenantId, filter, receivers, { createdAt: now, id });
  return { id, filter, total };
}

/** @throws {Problem} `not_found`, `webhook_deleted`, `webhook_not_enabled`. */
async function requireReceiver(
  queries: Queries,
  tenantId: string,
  endpointId: string,
): Promise<{ readonly isEnabled: boolean }> {
  const endpoint = await findRow(queries, 'webhook_endpoints', { tenant_id: tenantId, id: endpointId });
  if (endpoint === undefined) throw notFound('webhook');
  if (endpoint.deleted_at !== null)
    throw new Problem('webhook_deleted', 'The webhook was deleted: nothing can be sent to it.');
  if (endpoint.status === 'disabled') {
    throw new Problem('webhook_not_enabled', 'The webhook is disabled: enable it first, then send again.', {
      fields: { requiredStatus: 'enabled', actualStatus: endpoint.status },
    });
  }
  return { isEnabled: endpoint.status === 'enabled' };
}

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
