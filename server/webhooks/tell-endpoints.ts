import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { nameEndpoint } from './endpoint.ts';
import type { SendingEndpoint } from './endpoint-store.ts';
import type { NewWebhookEvent } from './event.ts';
import { findSubscribers, isWanted } from './fan-out.ts';
import { emitEvents } from './outbox.ts';
import type { ClaimedDelivery, DeliveryState } from './queue-store.ts';

/** What the other endpoints of a tenant are told of one. */
export type EndpointNews = Pick<NewWebhookEvent, 'type' | 'data'>;

/**
 * Tells the other endpoints of a tenant what became of one, in the unit of work in which it does. What none of them wants is
 * not written: it stands in the view of the endpoint and of the delivery anyway.
 */
export async function tellOthers(
  work: UnitOfWork,
  { id, tenantId }: Pick<SendingEndpoint, 'id' | 'tenantId'>,
  news: readonly EndpointNews[],
): Promise<void> {
  if (news.length === 0) return;
  const others = (await findSubscribers(work.transaction, tenantId)).filter((subscriber) => subscriber.id !== id);
  const wanted = news.filter(({ type }) => isWanted(others, type)).map((one) => ({ tenantId, ...one }));
  if (wanted.length > 0) await emitEvents(work, wanted, id);
}

/**
 * What tells of dead letters that were tried in vain. Those whose endpoint is gone are told of as a whole; those that tell of
 * webhooks themselves are not, so that two endpoints that fail do not tell of each other without end.
 */
export function tellExhausted(
  endpoint: Pick<SendingEndpoint, 'id' | 'url'>,
  dead: readonly { readonly delivery: ClaimedDelivery; readonly state: DeliveryState }[],
): readonly EndpointNews[] {
  return dead
    .filter(({ delivery, state }) => state.reason !== 'gone' && !delivery.event.type.startsWith('webhook.'))
    .map(({ delivery, state }) => ({
      type: 'webhook.delivery_exhausted',
      data: {
        webhookId: endpoint.id,
        // The host alone: the path of an address is often a secret, and other receivers get this.
        host: nameEndpoint(endpoint),
        deliveryId: delivery.id,
        eventId: delivery.event.id,
        eventType: delivery.event.type,
        attempts: state.attempts,
        reason: state.reason,
      },
    }));
}
