import type { AuditSource } from '../audit/source.ts';
import { recordEvent } from '../audit/store.ts';
import { Problem } from '../http/problem.ts';
import { insertRows } from '../storage/insert-rows.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { nameEndpoint } from './endpoint.ts';
import { lockEndpoint } from './endpoint-changes.ts';
import { newDelivery } from './fan-out.ts';
import { announceDeliveries, insertEvents } from './outbox.ts';

/**
 * Sends a `webhook.test` event to one endpoint, whatever types of events it gets otherwise.
 * @returns the delivery as it is stored.
 * @throws {Problem} `not_found`; `webhook_not_enabled` with `requiredStatus` and `actualStatus`.
 */
export async function sendTest(work: UnitOfWork, source: AuditSource, id: string) {
  const endpoint = await lockEndpoint(work, source, id);
  if (endpoint.status !== 'enabled')
    throw new Problem('webhook_not_enabled', `The webhook is ${endpoint.status}; enable it to send it a test.`, {
      fields: { requiredStatus: 'enabled', actualStatus: endpoint.status },
    });
  const { tenantId } = source;
  const test = { tenantId, type: 'webhook.test', data: { webhookId: id } } as const;
  const [delivery] = (await insertEvents(work.transaction, work.now, [test])).map((event) =>
    newDelivery(event, id, work.now),
  );
  if (delivery === undefined) throw new Error('an event was not stored');
  await insertRows(work.transaction, 'webhook_deliveries', [delivery]);
  await recordEvent(work, source, {
    module: 'webhooks',
    action: 'webhook.tested',
    targetId: id,
    targetRef: nameEndpoint(endpoint),
    diff: { deliveryId: delivery.id },
  });
  announceDeliveries(work, [id]);
  return delivery;
}
