import { z } from 'zod';
import { Id, UtcTime } from '../http/schemas.ts';
import { textLine } from '../http/text-line.ts';
import { type EventType, eventTypes } from './event.ts';
import { WebhookUrl } from './webhook-url.ts';

export const endpointStatuses = ['enabled', 'paused', 'disabled'] as const;
export const EndpointStatus = z.enum(endpointStatuses).meta({
  description:
    '`paused`: nothing is sent, and what happens waits. `disabled`: the server itself gave up (`disabledReason`), and what happens becomes a dead letter that can be sent again.',
});
export type EndpointStatus = z.output<typeof EndpointStatus>;

/** Why the server itself disables an endpoint. */
export const DisabledReason = z.enum(['gone', 'failing']).meta({
  description: '`gone`: it answered 410. `failing`: nothing arrived there for days.',
});
export type DisabledReason = z.output<typeof DisabledReason>;

/** What a caller may set: the third status is the server's own. */
const WantedStatus = z.enum(['enabled', 'paused']);

export const EventTypeName = z.enum(eventTypes).meta({ id: 'WebhookEventType' });

const filterMeta = { description: 'The types of events that it gets; null for all, also those that are added later.' };

const EventTypeFilter = z
  .array(EventTypeName)
  .min(1)
  .max(eventTypes.length)
  .superRefine((types, context) => {
    for (const [index, type] of types.entries()) {
      if (types.indexOf(type) < index)
        context.addIssue({ code: 'custom', path: [index], message: 'stands there already' });
    }
  })
  .transform(sortTypes)
  .nullable()
  .meta(filterMeta);

const fields = {
  url: WebhookUrl.meta({
    description: 'An https address on the public internet. A tenant has one webhook for an address.',
  }),
  description: textLine(200).nullable(),
};

/** What creates an endpoint. */
export const EndpointInput = z
  .strictObject({
    url: fields.url,
    description: fields.description.default(null),
    eventTypes: EventTypeFilter.default(null),
    status: WantedStatus.default('enabled'),
  })
  .meta({ id: 'WebhookInput' });
export type EndpointInput = z.output<typeof EndpointInput>;

/** A change of an endpoint; what is left out stays as it is. */
export const EndpointChange = z
  .strictObject({
    ...fields,
    eventTypes: EventTypeFilter,
    status: WantedStatus.meta({ description: 'Also takes a webhook that was disabled into use again.' }),
  })
  .partial()
  .meta({ id: 'WebhookChange' });
export type EndpointChange = z.output<typeof EndpointChange>;

/** An endpoint as its tenant sees it. */
export const EndpointView = z
  .strictObject({
    id: Id,
    url: z.string(),
    description: z.string().nullable(),
    eventTypes: z.array(EventTypeName).nullable().meta(filterMeta),
    status: EndpointStatus,
    disabledReason: DisabledReason.nullable(),
    disabledAt: UtcTime.nullable(),
    failingSince: UtcTime.nullable().meta({
      description: 'Since when every attempt has failed; null while all is well.',
    }),
    lastError: z.string().nullable(),
    previousSecretExpiresAt: UtcTime.nullable().meta({ description: 'Until then the previous secret signs along.' }),
    createdAt: UtcTime,
    updatedAt: UtcTime,
  })
  .meta({ id: 'Webhook' });
export type EndpointView = z.output<typeof EndpointView>;

/** An endpoint as it is kept, without its secrets. */
export type Endpoint = EndpointView;

/** An endpoint as it stands at a time: a previous secret that has expired is none. */
export function viewEndpoint(endpoint: Endpoint, now: string): EndpointView {
  const { previousSecretExpiresAt: end } = endpoint;
  return { ...endpoint, previousSecretExpiresAt: end !== null && end > now ? end : null };
}

/** An endpoint with its secret, which is shown this once. */
export const EndpointWithSecret = EndpointView.extend({
  secret: z.string().meta({ description: 'Signs every delivery; shown this once.' }),
}).meta({ id: 'WebhookWithSecret' });
export type EndpointWithSecret = z.output<typeof EndpointWithSecret>;

/** What the secrets of an endpoint are sealed for: none opens as that of another. */
export function secretPurpose(endpointId: string): string {
  return `webhook ${endpointId}`;
}

/**
 * What logs call an endpoint: the host and the port alone, because the path and the query of many addresses are secrets
 * that let whoever knows them write there.
 */
export function nameEndpoint({ url }: Pick<Endpoint, 'url'>): string {
  return new URL(url).host;
}

/** Types in the order of the list, so that the same filter is stored in one form. */
function sortTypes(types: readonly EventType[]): EventType[] {
  return eventTypes.filter((type) => types.includes(type));
}
