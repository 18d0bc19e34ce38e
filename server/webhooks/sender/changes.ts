import type { UnitOfWork } from '../../storage/database.ts';
import type { NewWebhookEvent } from '../deliveries/event.ts';
import { emitEvents, findSubscribers, isWanted } from '../deliveries/outbox.ts';
import { disableEndpoint } from '../endpoints/changes.ts';
import { type DisabledReason, nameEndpoint } from '../endpoints/endpoint.ts';
import type { SendingEndpoint } from '../endpoints/store.ts';
import type { EndedAttempt } from './attempt.ts';
import { findHealth, type Health, lockHealth, noteAttempts, saveHealth } from './health.ts';
import { isWithinWindow } from './schedule.ts';
import { type ClaimedDelivery, claimDeliveries, type DeliveryState, finishAttempts, type SentEvents } from './store.ts';

/** The attempts of one endpoint that ended, and how it fared before them; null where it has another address by now. */
interface EndedAttempts {
  readonly endpoint: SendingEndpoint;
  readonly attempts: readonly EndedAttempt[];
  readonly before: Health | null;
}

/** Writes attempts that ended and all that follows from them: what is due next, the health of their endpoints, and events for other endpoints. */
export async function writeAttempts(work: UnitOfWork, sender: string, ended: readonly EndedAttempt[]): Promise<void> {
  if (ended.length === 0) return;
  const { transaction, now } = work;
  const rows = ended.map(({ row }) => row);
  const states = ended.map(({ state }) => state);
  const ofEndpoints = await readEndpoints(work, ended);
  const lost = ofEndpoints.flatMap((of) => judgeEndpoint(of, now));
  // Before the rows of the endpoints.
  await work.lockTenant(...lost.map(({ endpoint }) => endpoint.tenantId));
  const dead = await finishAttempts(transaction, sender, now, rows, states);
  for (const of of ofEndpoints) {
    const isLost = lost.some(({ endpoint }) => endpoint.id === of.endpoint.id);
    const news = await noteEndpoint(work, of, isLost);
    const exhausted = of.attempts.filter(({ state }) => dead.has(state.id));
    await notifyOthers(work, of.endpoint, [...describeExhausted(of.endpoint, exhausted), ...news]);
  }
  for (const { endpoint, reason } of lost) await disableEndpoint(work, endpoint, reason);
}

/** In the order of the ids: two servers that lock several do not deadlock. */
async function readEndpoints(
  { transaction }: UnitOfWork,
  ended: readonly EndedAttempt[],
): Promise<readonly EndedAttempts[]> {
  const groups = [...Map.groupBy(ended, ({ endpoint }) => endpoint.id).values()];
  const read: EndedAttempts[] = [];
  for (const attempts of groups) {
    const [{ endpoint }] = attempts as [EndedAttempt];
    const found = await findHealth(transaction, endpoint.id);
    // What another address answered says nothing of this one.
    read.push({ endpoint, attempts, before: found?.url === endpoint.url ? found.health : null });
  }
  return read.sort((one, other) => (one.endpoint.id < other.endpoint.id ? -1 : 1));
}

/** Whether an endpoint is to be disabled after attempts. */
function judgeEndpoint({ endpoint, attempts, before }: EndedAttempts, now: string): readonly LostEndpoint[] {
  if (before === null) return [];
  if (attempts.some(({ failure }) => failure?.isGone)) return [{ endpoint, reason: 'gone' }];
  return noteAttempts(before, attempts, now).isLost ? [{ endpoint, reason: 'failing' }] : [];
}

interface LostEndpoint {
  readonly endpoint: SendingEndpoint;
  readonly reason: DisabledReason;
}

/** Updates the health of an endpoint. @returns events for the others; none that it fails if they get one that it is disabled. */
async function noteEndpoint(
  { transaction, now }: UnitOfWork,
  { endpoint, attempts, before }: EndedAttempts,
  isLost: boolean,
): Promise<readonly EndpointNews[]> {
  // All was well and is: most attempts end here.
  if (before === null || (before.failing_since === null && attempts.every(({ failure }) => failure === null)))
    return [];
  const held = await lockHealth(transaction, endpoint.id, before);
  const { health, recoveredFrom, isNewlyFailing } = noteAttempts(held, attempts, now);
  await saveHealth(transaction, endpoint.id, health);
  const other = { webhookId: endpoint.id, host: nameEndpoint(endpoint) };
  const { failing_since: failingSince, last_error: lastError } = health;
  const news: EndpointNews[] = [];
  if (recoveredFrom !== null)
    news.push({
      type: 'webhook.endpoint_recovered',
      data: { ...other, failingSince: recoveredFrom, recoveredAt: now },
    });
  if (isNewlyFailing && !isLost)
    news.push({ type: 'webhook.endpoint_failing', data: { ...other, failingSince, lastError } });
  return news;
}

/** An event for the other endpoints of a tenant about one of them. */
type EndpointNews = Pick<NewWebhookEvent, 'type' | 'data'>;

/**
 * Notifies the other endpoints of a tenant of a change of one, in the unit of work of the change. Events that none of them wants
 * are not stored: the endpoint and the delivery show the same.
 */
async function notifyOthers(
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
 * Events about dead letters whose attempts all failed. There are none for an endpoint that is gone, which has an event of its own,
 * nor for events about webhooks, so that two endpoints that fail do not report each other without end.
 */
function describeExhausted(
  endpoint: Pick<SendingEndpoint, 'id' | 'url'>,
  dead: readonly { readonly delivery: ClaimedDelivery; readonly state: DeliveryState }[],
): readonly EndpointNews[] {
  return dead
    .filter(({ delivery, state }) => state.reason !== 'gone' && !delivery.event.type.startsWith('webhook.'))
    .map(({ delivery, state }) => ({
      type: 'webhook.delivery_exhausted',
      data: {
        webhookId: endpoint.id,
        // Only the host: the path of an address is often a secret, and other receivers get this.
        host: nameEndpoint(endpoint),
        deliveryId: delivery.id,
        eventId: delivery.event.id,
        eventType: delivery.event.type,
        attempts: state.attempts,
        reason: state.reason,
      },
    }));
}

/** What a process claimed for an endpoint. */
export interface ClaimedWork {
  /** To be attempted now. */
  readonly deliveries: readonly ClaimedDelivery[];
  /** Whether more may be due. */
  readonly hasMore: boolean;
}

/** Claims what is due to an endpoint; what can no longer be tried, because its 24 hours are over, is ended. */
export async function claimForEndpoint(
  work: UnitOfWork,
  sender: string,
  endpoint: SendingEndpoint,
  limit: number,
  sent: SentEvents,
): Promise<ClaimedWork> {
  const { transaction, now } = work;
  const claimed = await claimDeliveries(transaction, { endpointId: endpoint.id, sender, now, limit }, sent);
  const hasMore = claimed.length === limit;
  const deliveries = claimed.filter(({ first_attempt_at }) => isWithinWindow(first_attempt_at, now));
  if (deliveries.length === claimed.length) return { deliveries, hasMore };
  const expired = claimed
    .filter((delivery) => !deliveries.includes(delivery))
    .map((delivery) => {
      const { event: _, ...row } = delivery;
      return { delivery, state: { ...row, status: 'dead', due_at: null } as const };
    });
  const states = expired.map(({ state }) => state);
  await finishAttempts(transaction, sender, now, [], states);
  await notifyOthers(work, endpoint, describeExhausted(endpoint, expired));
  return { deliveries, hasMore };
}
