import { z } from 'zod';
import { Id, UtcTime } from '../../http/schemas.ts';
import type { UnitOfWork } from '../../storage/unit-of-work.ts';
import { FailureReason } from '../deliveries/delivery.ts';
import { EventTypeName, type NewWebhookEvent } from '../deliveries/event.ts';
import { emitEvents, findSubscribers, isWanted } from '../deliveries/outbox.ts';
import { DisabledReason } from './endpoint.ts';
import type { SendingEndpoint } from './store.ts';

const otherEndpoint = {
  webhookId: Id,
  host: z.string().meta({ description: 'The host of the endpoint; the path of its URL can be a secret.' }),
};

/** The data of the webhook events about webhooks. */
export const endpointEvents = {
  'webhook.endpoint_failing': z
    .strictObject({ ...otherEndpoint, failingSince: UtcTime, lastError: z.string().nullable() })
    .meta({ id: 'WebhookFailingEventData' }),
  'webhook.endpoint_recovered': z
    .strictObject({ ...otherEndpoint, failingSince: UtcTime, recoveredAt: UtcTime })
    .meta({ id: 'WebhookRecoveredEventData' }),
  'webhook.endpoint_disabled': z
    .strictObject({
      ...otherEndpoint,
      reason: DisabledReason,
      failingSince: UtcTime.nullable(),
      lastError: z.string().nullable(),
    })
    .meta({ id: 'WebhookDisabledEventData' }),
  'webhook.delivery_exhausted': z
    .strictObject({
      ...otherEndpoint,
      deliveryId: Id,
      eventId: Id,
      eventType: EventTypeName,
      attempts: z.int().min(1),
      reason: FailureReason,
    })
    .meta({ id: 'WebhookExhaustedEventData' }),
  'webhook.test': z.strictObject({ webhookId: Id }).meta({ id: 'WebhookTestEventData' }),
};

/** An event for the other endpoints of a tenant about one of them. */
export type EndpointNews = Pick<NewWebhookEvent, 'type' | 'data'>;

/**
 * Notifies the other endpoints of a tenant of a change of one, in the unit of work of the change. Events that none of them wants
 * are not stored: the endpoint and the delivery show the same.
 */
export async function notifyOthers(
  work: UnitOfWork,
  { id, tenantId }: Pick<SendingEndpoint, 'id' | 'tenantId'>,
  news: readonly EndpointNews[],
): Promise<void> {
  if (news.length === 0) return;
  const others = (await findSubscribers(work.transaction, tenantId)).filter((subscriber) => subscriber.id !== id);
  const wanted = news.filter(({ type }) => isWanted(others, type)).map((one) => ({ tenantId, ...one }));
  if (wanted.length > 0) await emitEvents(work, wanted, id);
}
