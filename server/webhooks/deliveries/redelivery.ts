import { z } from 'zod';
import { Id, Time, UtcTime } from '../../http/schemas.ts';
import { FailureReason } from './delivery.ts';
import { EventTypeName } from './event.ts';

const RedeliverableStatus = z
  .enum(['dead', 'delivered'])
  .meta({ id: 'RedeliverableStatus', description: 'Dead letters, or delivered ones.' });

const filter = {
  webhookId: Id.optional(),
  status: RedeliverableStatus.default('dead'),
  reason: FailureReason.optional(),
  eventType: EventTypeName.optional(),
  from: Time.optional().meta({ description: 'Deliveries created at this time or later.' }),
  to: Time.optional().meta({ description: 'Deliveries created before this time.' }),
};

/** Which deliveries are sent again: of a webhook, or from a time on; everything there is would hardly be meant. */
export const RedeliveryInput = z
  .strictObject(filter)
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

export const redeliveryStatuses = ['running', 'finished', 'canceled'] as const;

/** An order to send many deliveries again. */
export const RedeliveryView = z
  .strictObject({
    id: Id,
    status: z.enum(redeliveryStatuses).meta({ id: 'WebhookRedeliveryStatus' }),
    filter: z
      .strictObject({
        webhookId: Id.nullable(),
        status: RedeliverableStatus,
        reason: FailureReason.nullable(),
        eventType: z.string().nullable(),
        from: UtcTime.nullable(),
        to: UtcTime.nullable(),
      })
      .meta({ id: 'WebhookRedeliveryFilter' }),
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

/** What an order says, as it is kept. */
export function filterOf(input: RedeliveryInput): RedeliveryFilter {
  const { webhookId = null, status, reason = null, eventType = null, from = null, to = null } = input;
  return { webhookId, status, reason, eventType, from, to };
}
