import type { AuditSource } from '../audit/source.ts';
import { recordEvent } from '../audit/store.ts';
import { notFound, Problem } from '../http/problem.ts';
import { lockChain } from '../ledger/append.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { cancelPending, findDeliveryRow, hastenPending } from './delivery-store.ts';
import type { DeliveryRow } from './delivery-view.ts';
import { releaseNext } from './order-store.ts';
import { announceDeliveries } from './outbox.ts';

/**
 * Makes a delivery due that waits for its time: the same one, in its own 24 hours. What it waits for in an order still goes
 * before it.
 * @throws {Problem} `webhook_delivery_pending`.
 */
export async function hastenDelivery(work: UnitOfWork, source: AuditSource, id: string): Promise<DeliveryRow> {
  const row = await hastenPending(work.transaction, work.now, source.tenantId, id);
  if (row === undefined) throw isUnderWay();
  await record(work, source, 'hastened', row);
  return row;
}

/**
 * Gives up a delivery that waits: nothing more is sent, and what waited behind it in an order comes next.
 * @throws {Problem} `not_found`, `webhook_delivery_pending` while an attempt is under way, `conflict` where it has ended.
 */
export async function cancelDelivery(work: UnitOfWork, source: AuditSource, id: string): Promise<DeliveryRow> {
  const { transaction, now } = work;
  const { tenantId } = source;
  await lockChain(transaction, tenantId, 'audit');
  const row = await cancelPending(transaction, now, tenantId, id);
  if (row === undefined) {
    const found = await findDeliveryRow(transaction, tenantId, id);
    if (found === undefined) throw notFound('delivery');
    if (found.status === 'pending') throw isUnderWay();
    throw new Problem('conflict', `The delivery is ${found.status}: there is nothing left to cancel.`);
  }
  await record(work, source, 'canceled', row);
  const { endpoint_id: endpointId, ordering_key: orderingKey } = row;
  if (orderingKey !== null) {
    await releaseNext(transaction, now, [{ endpointId, orderingKey }]);
    announceDeliveries(work, [endpointId]);
  }
  return row;
}

function isUnderWay(): Problem {
  return new Problem('webhook_delivery_pending', 'An attempt at the delivery is under way: look how it ends.');
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
