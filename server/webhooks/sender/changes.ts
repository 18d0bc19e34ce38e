import type { UnitOfWork } from '../../storage/database.ts';
import { locksRows, type Queries } from '../../storage/queries.ts';
import { isOperational, type NewWebhookEvent } from '../deliveries/event.ts';
import { emitWanted } from '../deliveries/outbox.ts';
import { countOutcomes, type WebhookOutcome } from '../deliveries/statistics-store.ts';
import { disableEndpoint } from '../endpoints/changes.ts';
import { type DisabledReason, nameEndpoint } from '../endpoints/endpoint.ts';
import {
  type Endpoint,
  type EndpointKey,
  findEndpoint,
  type Health,
  healthColumns,
  healthOf,
  wellHealth,
} from '../endpoints/store.ts';
import type { EndedAttempt } from './attempt.ts';
import { isWithinWindow } from './schedule.ts';
import { type ClaimedDelivery, claimDeliveries, type DeliveryState, finishAttempts, type SentEvents } from './store.ts';

/** The attempts of one endpoint that ended, and what they say about it. */
type EndedAttempts = Awaited<ReturnType<typeof readEndpoints>>[number];

/** Writes attempts that ended, and what follows: what is due next, the health of their endpoints, events for other endpoints. */
export async function writeAttempts(work: UnitOfWork, ended: readonly EndedAttempt[]): Promise<void> {
  if (ended.length === 0) return;
  const { transaction, now } = work;
  const rows = ended.map(({ row }) => row);
  const states = ended.map(({ state }) => state);
  const ofEndpoints = await readEndpoints(work, ended);
  const lost = ofEndpoints.filter(({ lostFor }) => lostFor !== null);
  // Before the rows of the endpoints.
  await work.lockTenant(...lost.map(({ endpoint }) => endpoint.tenant_id));
  const written = await finishAttempts(transaction, now, rows, states);
  for (const group of ofEndpoints) {
    const exhausted = group.attempts.filter(({ state }) => state.status === 'dead' && written.has(state.id));
    const news = [...describeExhausted(group.endpoint, exhausted), ...(await noteEndpoint(work, group))];
    // Events that none of the other endpoints wants are not stored: the endpoint and the delivery show the same.
    if (news.length > 0) await emitWanted(work, group.endpoint.tenant_id, () => news, group.endpoint.id);
  }
  for (const { endpoint, lostFor } of lost) await disableEndpoint(work, endpoint, lostFor as DisabledReason);
  // The last lock of the transaction, for several servers may send to one endpoint. What a repeated commit wrote before
  // is not counted again.
  const outcomes = ended.filter(({ state }) => written.has(state.id)).flatMap(listOutcomes);
  await countOutcomes(transaction, now, outcomes);
}

function listOutcomes({ endpoint, state, responseTime }: EndedAttempt): readonly WebhookOutcome[] {
  if (state.status === 'delivered') return [{ endpoint, result: 'delivered', responseTime }];
  const failed = { endpoint, result: 'failed', responseTime } as const;
  return state.status === 'dead' ? [failed, { endpoint, result: 'dead', responseTime: null }] : [failed];
}

/**
 * In the order of the ids: two servers that lock several do not deadlock.
 * @returns `before`: how each fared before its attempts, null where it has another address by now; `lostFor`: why it is to
 * be disabled, or null.
 */
async function readEndpoints({ transaction, now }: UnitOfWork, ended: readonly EndedAttempt[]) {
  const read = [];
  for (const attempts of Map.groupBy(ended, ({ endpoint }) => endpoint.id).values()) {
    const [{ endpoint }] = attempts as [EndedAttempt];
    const found = await findEndpoint(transaction, endpoint.tenant_id, endpoint.id);
    // Responses of another address say nothing about this one.
    const before = found?.url === endpoint.url ? healthOf(found) : null;
    read.push({ endpoint, attempts, before, lostFor: before && findLoss(before, attempts, now) });
  }
  return read.sort((one, other) => (one.endpoint.id < other.endpoint.id ? -1 : 1));
}

function findLoss(before: Health, attempts: readonly EndedAttempt[], now: string): DisabledReason | null {
  if (attempts.some(({ state }) => state.reason === 'gone')) return 'gone';
  return noteAttempts(before, attempts, now).isLost ? 'failing' : null;
}

/**
 * Updates the health of an endpoint.
 * @returns events for the others; none that it fails if they get one that it is disabled.
 */
async function noteEndpoint(
  { transaction, now }: UnitOfWork,
  { endpoint, attempts, before, lostFor }: EndedAttempts,
): Promise<readonly EndpointNews[]> {
  // All was well and is: most attempts end here.
  const isWell = before?.failing_since === null && attempts.every(({ state }) => state.status === 'delivered');
  if (before === null || isWell) return [];
  const held = await lockHealth(transaction, endpoint, before);
  const { health, recoveredFrom, isNewlyFailing } = noteAttempts(held, attempts, now);
  await transaction
    .insertInto('webhook_health')
    .values({ tenant_id: endpoint.tenant_id, endpoint_id: endpoint.id, ...health })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'endpoint_id']).doUpdateSet(health))
    .execute();
  const other = { webhookId: endpoint.id, host: nameEndpoint(endpoint) };
  const { failing_since: failingSince, last_error: lastError } = health;
  const news: EndpointNews[] = [];
  if (recoveredFrom !== null)
    news.push({
      type: 'webhook.endpoint_recovered',
      data: { ...other, failingSince: recoveredFrom, recoveredAt: now },
    });
  if (isNewlyFailing && lostFor === null)
    news.push({ type: 'webhook.endpoint_failing', data: { ...other, failingSince, lastError } });
  return news;
}

/**
 * Notes attempts, in the order in which they ended.
 * @returns the health after them; since when it had failed, as far as the other endpoints know, until something arrived just
 * now; whether they are notified now that it is failing; and whether nothing has arrived for so long that it is disabled.
 */
function noteAttempts(before: Health, attempts: readonly EndedAttempt[], now: string) {
  let health = before;
  let recoveredFrom: string | null = null;
  for (const attempt of attempts) {
    if (attempt.state.status === 'delivered') {
      if (health.notified_at !== null) recoveredFrom = health.failing_since;
      health = { ...wellHealth, paused_until: health.paused_until };
    } else health = noteFailure(health, attempt);
  }
  const failedFor = health.failing_since === null ? 0 : Date.parse(now) - Date.parse(health.failing_since);
  const isNewlyFailing =
    health.notified_at === null && failedFor >= notifyAfter && (health.failures ?? 0) >= leastFailures;
  if (isNewlyFailing) health = { ...health, notified_at: now };
  return { health, recoveredFrom, isNewlyFailing, isLost: failedFor >= longestFailure };
}

function noteFailure(health: Health, { row: { at, message }, pausedUntil }: EndedAttempt): Health {
  const { failing_since, failed_at, failures, notified_at } = health;
  // A failure after a day without any starts a new period: days without attempts are no days of failure.
  const goesOn = failing_since !== null && failed_at !== null && Date.parse(at) - Date.parse(failed_at) <= day;
  const pauses = [health.paused_until, pausedUntil].filter((time) => time !== null);
  return {
    failing_since: goesOn ? failing_since : at,
    failed_at: at,
    last_error: message,
    failures: goesOn ? (failures ?? 0) + 1 : 1,
    notified_at,
    paused_until: pauses.sort().at(-1) ?? null,
  };
}

const minute = 60_000;
const day = 24 * 60 * minute;
/** The other endpoints are notified after so many failed attempts, and no other, for so long. */
const notifyAfter = 15 * minute;
const leastFailures = 4;
/** An endpoint at which nothing has arrived for so long is disabled. */
const longestFailure = 5 * day;

/**
 * Reads the health of an endpoint and locks it until the transaction ends; SQLite has one writer in any case.
 * @param found the row that was read before.
 */
async function lockHealth(queries: Queries, { tenant_id, id }: EndpointKey, found: Health): Promise<Health> {
  if (!locksRows(queries)) return found;
  return queries
    .insertInto('webhook_health')
    .values({ tenant_id, endpoint_id: id })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'endpoint_id'])
        .doUpdateSet((row) => ({ endpoint_id: row.ref('excluded.endpoint_id') })),
    )
    .returning(healthColumns)
    .executeTakeFirstOrThrow();
}

/** An event for the other endpoints of a tenant about one of them. */
type EndpointNews = Pick<NewWebhookEvent, 'type' | 'data'>;

/**
 * Events about dead letters whose attempts all failed. There are none for an endpoint that is gone, which has a separate event,
 * nor for events about webhooks, so that two endpoints that fail do not report each other without end.
 */
function describeExhausted(
  endpoint: Endpoint,
  dead: readonly { readonly delivery: ClaimedDelivery; readonly state: DeliveryState }[],
): readonly EndpointNews[] {
  return dead
    .filter(({ delivery, state }) => state.reason !== 'gone' && !isOperational(delivery.event.type))
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

/**
 * Claims what is due to an endpoint; what can no longer be tried, because its 24 hours are over, is ended.
 * @returns the deliveries to be attempted now, the ids of those that were deleted because their event is missing, and
 * whether more may be due.
 */
export async function claimForEndpoint(
  work: UnitOfWork,
  endpoint: Endpoint,
  until: string,
  limit: number,
  sent: SentEvents,
) {
  const { transaction, now } = work;
  const claim = { endpoint, until, now, limit };
  const { deliveries, orphaned } = await claimDeliveries(transaction, claim, sent);
  const hasMore = deliveries.length + orphaned.length === limit;
  const isInTime = ({ first_attempt_at }: ClaimedDelivery) => isWithinWindow(first_attempt_at, now);
  const expired = deliveries
    .filter((delivery) => !isInTime(delivery))
    .map((delivery) => {
      const { event: _, ...row } = delivery;
      return { delivery, state: { ...row, status: 'dead', due_at: null } as const };
    });
  if (expired.length === 0) return { deliveries, orphaned, hasMore };
  const states = expired.map(({ state }) => state);
  const written = await finishAttempts(transaction, now, [], states);
  const news = describeExhausted(endpoint, expired);
  if (news.length > 0) await emitWanted(work, endpoint.tenant_id, () => news, endpoint.id);
  const outcome = { endpoint, result: 'dead', responseTime: null } as const;
  await countOutcomes(transaction, now, Array(written.size).fill(outcome));
  return { deliveries: deliveries.filter(isInTime), orphaned, hasMore };
}
