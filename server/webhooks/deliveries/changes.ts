import { sql } from 'kysely';
import type { AuditSource } from '../../http/principal.ts';
import { Problem, requireFound } from '../../http/problem.ts';
import { recordEvent } from '../../ledger/audit/store.ts';
import type { Json } from '../../ledger/canonical.ts';
import type { Transaction } from '../../storage/database.ts';
import { locksRows, type Queries } from '../../storage/queries.ts';
import { findRow, insertRow } from '../../storage/rows.ts';
import type { DeliveryRow } from './delivery.ts';
import { announceDeliveries, newDelivery } from './outbox.ts';
import { isUnclaimed } from './store.ts';

/**
 * Cancels a pending delivery: nothing more is sent.
 * @throws {Problem} `not_found`, `webhook_delivery_pending` while an attempt is under way, `conflict` where it has ended.
 */
export async function cancelDelivery(tx: Transaction, source: AuditSource, id: string): Promise<DeliveryRow> {
  const { queries, now } = tx;
  const match = { tenant_id: source.tenantId, id };
  await tx.lockTenant(source.tenantId);
  const canceled = { status: 'canceled', due_at: null, claimed_until: null, finished_at: now };
  const row = await updatePending(queries, match).set(canceled).returningAll().executeTakeFirst();
  if (row === undefined) {
    const { status } = requireFound(await findRow(queries, 'webhook_deliveries', match), 'delivery');
    if (status === 'pending') throw isUnderWay();
    throw new Problem('conflict', `The delivery is ${status}: there is nothing left to cancel.`);
  }
  await record(tx, source, 'webhook_delivery.canceled', id, describeTarget(row));
  return row;
}

/**
 * Sends a delivery again, as a new one; one that waits for its next attempt is due now instead: the same one, in its own 24 hours.
 * @throws {Problem} `not_found`, `webhook_delivery_pending`, `webhook_deleted`, `webhook_not_enabled`.
 */
export async function redeliver(tx: Transaction, source: AuditSource, id: string): Promise<DeliveryRow> {
  const { queries, now } = tx;
  const match = { tenant_id: source.tenantId, id };
  // Changes of an endpoint take this lock too, so it stays as it was read.
  await tx.lockTenant(source.tenantId);
  const found = requireFound(await findRow(queries, 'webhook_deliveries', match), 'delivery');
  const earlier = requireFound((await holdEvents(queries, source.tenantId, [found]))[0], 'delivery');
  const receiver = await requireReceiver(queries, source.tenantId, earlier.endpoint_id);
  announceDeliveries(tx, [receiver], [earlier]);
  if (earlier.status === 'pending') {
    // A delivery that is already due keeps its place in the order.
    const dueAt = sql<string>`case when due_at > ${now} then ${now} else due_at end`;
    const row = await updatePending(queries, match).set({ due_at: dueAt }).returningAll().executeTakeFirst();
    if (row === undefined) throw isUnderWay();
    await record(tx, source, 'webhook_delivery.expedited', id, describeTarget(row));
    return row;
  }
  const row = await insertRow(queries, 'webhook_deliveries', newRedelivery(earlier, now));
  await markRedelivered(queries, source.tenantId, [earlier]);
  const diff = { ...describeTarget(row), redeliveryId: row.id };
  await record(tx, source, 'webhook_delivery.redelivered', id, diff);
  return row;
}

/** A delivery that waits, and that no attempt is under way at. */
function updatePending(queries: Queries, match: { readonly tenant_id: string; readonly id: string }) {
  return queries
    .updateTable('webhook_deliveries')
    .where('tenant_id', '=', match.tenant_id)
    .where('id', '=', match.id)
    .where('status', '=', 'pending')
    .where(isUnclaimed(queries));
}

function isUnderWay(): Problem {
  return new Problem('webhook_delivery_pending', 'An attempt at the delivery is in progress: check its result.');
}

function describeTarget(row: DeliveryRow) {
  return { webhookId: row.endpoint_id, eventType: row.event_type };
}

/** Appends the event of a change of a delivery, or of an order to send deliveries again. */
export async function record(
  tx: Transaction,
  source: AuditSource,
  action: string,
  targetId: string,
  diff: Readonly<Record<string, Json>>,
): Promise<void> {
  await recordEvent(tx, source, { module: 'webhooks', action, targetId, targetRef: null, diff });
}

/**
 * Requires that deliveries can be sent to an endpoint, now or when it is enabled again.
 * @throws {Problem} `not_found`, `webhook_deleted`, `webhook_not_enabled`.
 */
export async function requireReceiver(queries: Queries, tenantId: string, id: string) {
  const receiver = requireFound(await findRow(queries, 'webhook_endpoints', { tenant_id: tenantId, id }), 'webhook');
  if (receiver.deleted_at !== null)
    throw new Problem('webhook_deleted', 'The webhook was deleted: nothing can be sent to it.');
  if (receiver.status === 'disabled')
    throw new Problem('webhook_not_enabled', 'The webhook is disabled: enable it first, then send again.', {
      fields: { requiredStatus: 'enabled', actualStatus: receiver.status },
    });
  return receiver;
}

/** Keeps the events of deliveries of a tenant from being forgotten until the transaction ends. @returns the deliveries that still have theirs. */
export async function holdEvents(
  queries: Queries,
  tenantId: string,
  rows: readonly DeliveryRow[],
): Promise<readonly DeliveryRow[]> {
  // SQLite has one writer at a time, and a delivery goes with its event.
  if (rows.length === 0 || !locksRows(queries)) return rows;
  const ids = [...new Set(rows.map((row) => row.event_id))];
  const events = await queries
    .selectFrom('webhook_events')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forKeyShare()
    .execute();
  const held = new Set(events.map(({ id }) => id));
  return rows.filter((row) => held.has(row.event_id));
}

/** Notes that dead letters of a tenant are sent again. @returns the ids of those that were dead letters until now. */
export async function markRedelivered(
  queries: Queries,
  tenantId: string,
  rows: readonly DeliveryRow[],
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  const ids = rows.map(({ id }) => id);
  const marked = await queries
    .updateTable('webhook_deliveries')
    .set({ status: 'redelivered' })
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', ids)
    .where('status', '=', 'dead')
    .returning('id')
    .execute();
  return new Set(marked.map(({ id }) => id));
}

/** A delivery of the same event to the same endpoint. */
export function newRedelivery(earlier: DeliveryRow, now: string): DeliveryRow {
  const { id, endpoint_id, event_id, event_type, tenant_id } = earlier;
  return newDelivery({ id: event_id, tenant_id, type: event_type }, endpoint_id, now, id);
}
