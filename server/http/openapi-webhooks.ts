import { z } from 'zod';
import type { ZodOpenApiPathItemObject } from 'zod-openapi';
import { Id, UtcTime } from './schemas.ts';

/** What the document says about one type of event. */
export interface DocumentedEvent {
  readonly type: string;
  /** When it is sent. */
  readonly occasion: string;
  readonly data: z.ZodType;
  /** The body of a delivery; undefined where none was recorded yet. */
  readonly example: unknown;
}

const signature =
  'HMAC-SHA256 over `<t>.<raw body>` with the secret of the webhook as the key. During a rotation of the secret there are two `v1`.';
const text = (example: string, description: string) => z.string().meta({ description, param: { example } });
const delivery = '01a1fe75-1160-7cb4-9aec-889ac858d528';
const headers = z.object({
  'Svc-Event': text('consent.recorded', 'The type of the event.'),
  'Svc-Delivery': z.uuid().meta({
    description: 'The id of the delivery: the same for every attempt, so a receiver can ignore repeats.',
    override: ({ jsonSchema }) => void delete jsonSchema.pattern,
    param: { example: delivery },
  }),
  'Svc-Signature': text(`t=1795271647,v1=${'5f'.repeat(32)}`, `\`t=<unix seconds>,v1=<hex>\`: ${signature}`),
  'webhook-id': text(delivery, 'Standard Webhooks: the id of the delivery.'),
  'webhook-timestamp': text('1795271647', 'Standard Webhooks: the time of the attempt in Unix seconds.'),
  'webhook-signature': text(
    `v1,${'X1'.repeat(21)}8=`,
    'Standard Webhooks: `v1,<base64>` for each secret, and `v1a,<base64>` (Ed25519) if the webhook is asymmetric.',
  ),
});

const pausing = (receiver: string) => ({
  description: `The receiver is ${receiver}. The server pauses the webhook for \`Retry-After\` and tries again.`,
  headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
});
const answers = {
  '2XX': { description: 'The receiver accepted the event. The delivery is complete.' },
  '410': { description: 'The receiver no longer wants events. The server disables the webhook.' },
  '429': pausing('busy'),
  '503': pausing('unavailable'),
  default: {
    description:
      'Any other status, a redirect, or no answer in 15 seconds is a failure. The server retries with exponential backoff for 24 hours, then moves the delivery to the dead letters.',
  },
};

/** The `webhooks` section: one entry for each type of event. */
export function describeWebhooks(events: readonly DocumentedEvent[]): Record<string, ZodOpenApiPathItemObject> {
  return Object.fromEntries(events.map((event) => [event.type, describeWebhook(event)]));
}

function describeWebhook({ type, occasion, data, example }: DocumentedEvent) {
  const name = type.replace(/(?:^|[._])(\w)/g, (_all, letter: string) => letter.toUpperCase());
  const body = z
    .strictObject({
      id: Id.meta({ description: 'The id of the event.' }),
      type: z.literal(type),
      createdAt: UtcTime,
      tenantId: Id,
      data,
    })
    .meta({ id: `${name}Event`, description: occasion });
  return {
    post: {
      operationId: `receive${name}`,
      tags: ['Webhooks'],
      summary: type,
      description: `${occasion} Verify the signature before you read the body.`,
      security: [],
      requestParams: { header: headers },
      requestBody: {
        required: true,
        content: { 'application/json': { schema: body, ...(example !== undefined && { example }) } },
      },
      responses: answers,
    },
  } as ZodOpenApiPathItemObject;
}
