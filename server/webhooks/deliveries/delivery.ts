import type { Selectable } from 'kysely';
import { z } from 'zod';
import { AnyJson, Id, namedObject, Time, UtcTime, viewRow } from '../../http/schemas.ts';
import type { Tables } from '../../storage/tables.ts';
import { EventTypeName } from './event.ts';

export const DeliveryStatus = z.enum(['pending', 'delivered', 'dead', 'redelivered', 'canceled']).meta({
  id: 'WebhookDeliveryStatus',
  description:
    '`pending` waits for an attempt; `dead` has failed for good and can be sent again; `redelivered` was dead and was sent again under another id; `canceled` was canceled by a caller, or belonged to a webhook that was deleted.',
});
export type DeliveryStatus = z.output<typeof DeliveryStatus>;

/** Why an attempt failed, or why none was made. */
export const FailureReason = z
  .enum([
    'http_error',
    'redirect',
    'gone',
    'rate_limited',
    // The time limit passed, wherever the exchange stood.
    'timeout',
    // The name of the receiver does not resolve.
    'dns',
    // The receiver is, or resolves to, what may not be written to.
    'refused_address',
    // No connection, or one that broke before the answer was whole.
    'connection',
    // The certificate is not valid for the name, or there is no common TLS.
    'tls',
    // The response is not HTTP/1.1.
    'protocol',
    'endpoint_disabled',
    // There is nothing to sign it with.
    'unsealable_secret',
    // The person whom the event names was erased.
    'erased',
  ])
  .meta({ id: 'WebhookFailureReason' });
export type FailureReason = z.output<typeof FailureReason>;

/** One event on its way to one endpoint. */
export const DeliveryView = namedObject('WebhookDelivery', {
  id: Id.meta({ description: 'What the receiver gets as `Svc-Delivery`; the same at each attempt.' }),
  webhookId: Id,
  eventId: Id,
  eventType: z.string(),
  status: DeliveryStatus,
  reason: FailureReason.nullable().meta({ description: 'Why the last attempt failed, or why none was made.' }),
  responseStatus: z.int().nullable().meta({ description: 'The HTTP status of the last answer.' }),
  attemptCount: z.int().min(0),
  firstAttemptAt: UtcTime.nullable(),
  nextAttemptAt: UtcTime.nullable().meta({ description: 'Null where no attempt is to come.' }),
  redeliveryOf: Id.nullable().meta({ description: 'The delivery that this one repeats.' }),
  createdAt: UtcTime,
  finishedAt: UtcTime.nullable(),
});
export type DeliveryView = z.output<typeof DeliveryView>;

/** One attempt, as it ended. */
export const AttemptView = namedObject('WebhookAttempt', {
  id: Id,
  at: UtcTime,
  outcome: z.enum(['delivered', ...FailureReason.options]).meta({ id: 'WebhookAttemptOutcome' }),
  responseStatus: z.int().nullable(),
  message: z.string().nullable().meta({ description: 'What went wrong.' }),
  excerpt: z.string().nullable().meta({ description: 'The beginning of what the receiver answered.' }),
  milliseconds: z.int().min(0).meta({ description: 'How long it took, until the whole answer or the failure.' }),
});

export const DeliveryDetail = DeliveryView.extend({
  event: namedObject('WebhookEvent', {
    id: Id,
    type: z.string(),
    createdAt: UtcTime,
    tenantId: Id,
    data: z.record(z.string(), AnyJson),
  }),
  attempts: z.array(AttemptView).meta({ description: 'Oldest first.' }),
}).meta({ id: 'WebhookDeliveryDetail' });
export type DeliveryDetail = z.output<typeof DeliveryDetail>;

export type DeliveryRow = Selectable<Tables['webhook_deliveries']>;
export type AttemptRow = Selectable<Tables['webhook_attempts']>;

/** A stored delivery as its tenant sees it in lists: without what happened. */
export function viewDelivery(row: DeliveryRow): DeliveryView {
  const { endpoint_id: webhookId, attempts: attemptCount, due_at: nextAttemptAt } = row;
  return viewRow(DeliveryView, row, { webhookId, attemptCount, nextAttemptAt });
}

const RedeliverableStatus = z
  .enum(['dead', 'delivered'])
  .meta({ id: 'RedeliverableStatus', description: 'Dead letters, or delivered ones.' });

/**
 * The deliveries to send again: of a webhook, or from a time on. One of the two is required, because all deliveries are
 * rarely meant.
 */
export const RedeliveryInput = z
  .strictObject({
    webhookId: Id.optional(),
    status: RedeliverableStatus.default('dead'),
    reason: FailureReason.optional(),
    eventType: EventTypeName.optional(),
    from: Time.optional().meta({ description: 'Deliveries created at this time or later.' }),
    to: Time.optional().meta({ description: 'Deliveries created before this time.' }),
  })
  .refine(({ webhookId, from }) => webhookId !== undefined || from !== undefined, {
    path: ['webhookId'],
    message: 'is required where there is no from',
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from < to, {
    path: ['to'],
    message: 'must be later than from',
  })
  .meta({ id: 'WebhookRedeliveryInput' });
export type RedeliveryInput = z.output<typeof RedeliveryInput>;

/** An order to send many deliveries again. */
export const RedeliveryView = z
  .strictObject({
    id: Id,
    status: z.enum(['running', 'finished', 'canceled']).meta({ id: 'WebhookRedeliveryStatus' }),
    filter: namedObject('WebhookRedeliveryFilter', {
      webhookId: Id.nullable(),
      status: RedeliverableStatus,
      reason: FailureReason.nullable(),
      eventType: z.string().nullable(),
      from: UtcTime.nullable(),
      to: UtcTime.nullable(),
    }),
    total: z.int().min(0).meta({ description: 'How many deliveries fitted when it was ordered.' }),
    queued: z.int().min(0).meta({
      description:
        'How many are queued by now; what is sent again otherwise or cannot be sent any more is passed over.',
    }),
    createdAt: UtcTime,
    finishedAt: UtcTime.nullable(),
  })
  .meta({ id: 'WebhookRedelivery' });
export type RedeliveryView = z.output<typeof RedeliveryView>;
export type RedeliveryFilter = RedeliveryView['filter'];
