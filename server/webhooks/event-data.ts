import { z } from 'zod';
import { Id, UtcTime } from '../http/schemas.ts';
import { FailureReason } from './delivery.ts';
import { DisabledReason, EventTypeName } from './endpoint.ts';

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
