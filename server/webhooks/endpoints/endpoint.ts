import { z } from 'zod';
import { Id, list, namedObject, refuseRepeated, textLine, UtcTime } from '../../http/schemas.ts';
import { FailureReason } from '../deliveries/delivery.ts';
import { EventTypeName, eventTypes } from '../deliveries/event.ts';
import { EventFilter } from '../deliveries/event-filter.ts';
import { WebhookUrl } from './receiver-address.ts';

export const EndpointStatus = z.enum(['enabled', 'paused', 'disabled']).meta({
  id: 'WebhookStatus',
  description:
    '`paused`: nothing is sent, and what happens waits. `disabled`: the server itself gave up (`disabledReason`), and what happens becomes a dead letter that can be sent again.',
});

/** Why the server itself disables an endpoint. */
export const DisabledReason = z.enum(['gone', 'failing']).meta({
  id: 'WebhookDisabledReason',
  description: '`gone`: it answered 410. `failing`: nothing arrived there for days.',
});
export type DisabledReason = z.output<typeof DisabledReason>;

/** The statuses that a caller may set: the third status is the server's own. */
const WantedStatus = z.enum(['enabled', 'paused']).meta({ id: 'SettableWebhookStatus' });

const filterMeta = { description: 'The types of events that it gets; null for all, also those that are added later.' };

const EventTypeFilter = list(EventTypeName, eventTypes.length)
  .min(1)
  .superRefine(refuseRepeated('is listed twice'))
  // In the order of the list, so that the same filter is stored in one form.
  .transform((types) => eventTypes.filter((type) => types.includes(type)))
  .nullable()
  .meta(filterMeta);

/** Spec: every retry is within 24 hours of the first attempt. */
const longestOffset = 24 * 60 * 60;

const RetrySchedule = list(z.int().min(1).max(longestOffset), 20)
  .min(1)
  .superRefine((offsets, context) => {
    for (const [index, offset] of offsets.entries()) {
      if (index > 0 && offset <= (offsets[index - 1] as number))
        context.addIssue({ code: 'custom', path: [index], message: 'must be later than the one before it' });
    }
  });

const fields = {
  url: WebhookUrl.meta({
    description: 'An https address on the public internet. A tenant has one webhook for an address.',
  }),
  description: textLine(200).nullable(),
};

const sendingFields = {
  filter: EventFilter.nullable().meta({
    description:
      'What the `data` of an event must hold for the event to be sent here: for each dotted path a list of accepted values, of which the event holds one; of an array any item counts. Events about webhooks pass in any case. Null: every event of the wanted types.',
  }),
  rateLimit: z.int().min(1).max(1000).nullable().meta({
    description: 'How many attempts are made in a second, at most; null for as many as the receiver keeps up with.',
  }),
  retrySchedule: RetrySchedule.nullable().meta({
    description:
      'When a delivery that fails is tried again: whole seconds after its first attempt, ascending. After the last it is a dead letter. Null: the usual times, over 24 hours.',
  }),
  asymmetric: z.boolean().meta({
    description:
      'Whether deliveries are signed with Ed25519 as well (`v1a` of Standard Webhooks), for receivers that shall hold no secret. Each time it is switched on makes a new pair of keys.',
  }),
};

export const EndpointInput = namedObject('WebhookInput', {
  url: fields.url,
  description: fields.description.default(null),
  eventTypes: EventTypeFilter.default(null),
  filter: sendingFields.filter.default(null),
  rateLimit: sendingFields.rateLimit.default(null),
  retrySchedule: sendingFields.retrySchedule.default(null),
  asymmetric: sendingFields.asymmetric.default(false),
  status: WantedStatus.default('enabled'),
});
export type EndpointInput = z.output<typeof EndpointInput>;

/** A change of an endpoint; what is left out stays as it is. */
export const EndpointChange = z
  .strictObject({
    ...fields,
    eventTypes: EventTypeFilter,
    ...sendingFields,
    status: WantedStatus.meta({ description: 'Also enables a webhook that was disabled.' }),
  })
  .partial()
  .meta({ id: 'WebhookChange' });
export type EndpointChange = z.output<typeof EndpointChange>;

/** An endpoint as its tenant sees it. */
export const EndpointView = namedObject('Webhook', {
  id: Id,
  url: z.string(),
  description: z.string().nullable(),
  eventTypes: z.array(EventTypeName).nullable().meta(filterMeta),
  ...sendingFields,
  publicKey: z.string().nullable().meta({
    description: 'Checks the `v1a` signatures: `whpk_` and the base64 of 32 bytes. Null where there are none.',
  }),
  status: EndpointStatus,
  disabledReason: DisabledReason.nullable(),
  disabledAt: UtcTime.nullable(),
  failingSince: UtcTime.nullable().meta({
    description: 'Since when every attempt has failed; null while all is well.',
  }),
  lastError: z.string().nullable(),
  pausedUntil: UtcTime.nullable().meta({
    description:
      'The receiver asked for a pause (429 or 503 with Retry-After): nothing is sent before. Null where it did not, or the pause is over. Pausing and enabling the webhook ends it, and so does another address.',
  }),
  previousSecrets: z.int().min(0).meta({ description: 'How many previous secrets sign along.' }),
  previousSecretExpiresAt: UtcTime.nullable().meta({ description: 'When the last of them ends; null for none.' }),
  createdAt: UtcTime,
  updatedAt: UtcTime,
});
export type EndpointView = z.output<typeof EndpointView>;

export const EndpointWithSecret = EndpointView.extend({
  secret: z.string().meta({ description: 'Signs every delivery; shown this once.' }),
}).meta({ id: 'WebhookWithSecret' });
export type EndpointWithSecret = z.output<typeof EndpointWithSecret>;

/** Associated data of an endpoint's secrets, so that one cannot be decrypted as another's. */
export function secretPurpose(endpointId: string): string {
  return `webhook ${endpointId}`;
}

/** Associated data of an endpoint's private key. */
export function signingKeyPurpose(endpointId: string): string {
  return `webhook signing key ${endpointId}`;
}

/**
 * The name of an endpoint in logs: only the host and the port, because the path and the query of many addresses are
 * secrets that let anyone who knows them write there.
 */
export function nameEndpoint({ url }: Pick<EndpointView, 'url'>): string {
  return new URL(url).host;
}

const otherEndpoint = {
  webhookId: Id,
  host: z.string().meta({ description: 'The host of the endpoint; the path of its URL can be a secret.' }),
};

/** The data of the webhook events about webhooks. */
export const endpointEvents = {
  'webhook.endpoint_failing': namedObject('WebhookFailingEventData', {
    ...otherEndpoint,
    failingSince: UtcTime,
    lastError: z.string().nullable(),
  }),
  'webhook.endpoint_recovered': namedObject('WebhookRecoveredEventData', {
    ...otherEndpoint,
    failingSince: UtcTime,
    recoveredAt: UtcTime,
  }),
  'webhook.endpoint_disabled': namedObject('WebhookDisabledEventData', {
    ...otherEndpoint,
    reason: DisabledReason,
    failingSince: UtcTime.nullable(),
    lastError: z.string().nullable(),
  }),
  'webhook.delivery_exhausted': namedObject('WebhookExhaustedEventData', {
    ...otherEndpoint,
    deliveryId: Id,
    eventId: Id,
    eventType: EventTypeName,
    attempts: z.int().min(1),
    reason: FailureReason,
  }),
  'webhook.test': namedObject('WebhookTestEventData', { webhookId: Id }),
};
