import type { Transaction } from '../../storage/database.ts';
import { locksRows, type Queries } from '../../storage/queries.ts';
import { isOperational, type NewWebhookEvent } from '../deliveries/event.ts';
import { emitWanted, findSubscribers } from '../deliveries/outbox.ts';
import { disableEndpoint } from '../endpoints/changes.ts';
import { type DisabledReason, nameEndpoint } from '../endpoints/endpoint.ts';
import {
  type Endpoint,
  type EndpointKey,
  type Health,
  healthColumns,
  healthOf,
  wellHealth,
} from '../endpoints/store.ts';
import type { EndedAttempt } from './attempt.ts';

/** Attempts that change the health of an endpoint: some failed, or the endpoint had failed before. */
export interface HealthChange {
  /** As it was when the attempts began. */
  readonly endpoint: Endpoint;
  readonly attempts: readonly EndedAttempt[];
  /** The health before the attempts; null where the endpoint has another address by now, or was deleted. */
  readonly before: Health | null;
  /** Why the endpoint is to be disabled, or null. */
  readonly lostFor: DisabledReason | null;
}

/** @param found the endpoint as it is stored now. */
export function planHealthChange(
  endpoint: Endpoint,
  found: Endpoint | undefined,
  attempts: readonly EndedAttempt[],
  now: string,
): HealthChange {
  // Responses of another address say nothing about this one.
  const before = found?.url === endpoint.url ? healthOf(found) : null;
  let lostFor: DisabledReason | null = null;
  if (before !== null) {
    if (attempts.some(({ state }) => state.reason === 'gone')) lostFor = 'gone';
    else if (applyAttempts(before, attempts, now).isLost) lostFor = 'failing';
  }
  return { endpoint, attempts, before, lostFor };
}

/**
 * Updates the health of endpoints, disables those that are lost, and notifies the other endpoints of their tenants.
 * @param changes in the order of the ids of their endpoints: two servers that lock several do not deadlock.
 * @param written the ids of the deliveries whose attempts were written.
 */
export async function changeHealth(
  tx: Transaction,
  changes: readonly HealthChange[],
  written: ReadonlySet<string>,
): Promise<void> {
  for (const change of changes) {
    const { endpoint, attempts } = change;
    const exhausted = attempts.filter(({ state }) => state.status === 'dead' && written.has(state.id));
    await emitNews(tx, endpoint, [...describeExhausted(endpoint, exhausted), ...(await updateHealth(tx, change))]);
  }
  for (const { endpoint, lostFor } of changes) if (lostFor !== null) await disableEndpoint(tx, endpoint, lostFor);
}

/** Sends events about an endpoint to the others. Those that none wants are not stored: the endpoint and the delivery show the same. */
export async function emitNews(tx: Transaction, endpoint: EndpointKey, news: readonly EndpointNews[]): Promise<void> {
  if (news.length === 0) return;
  const { tenant_id, id } = endpoint;
  const subscribers = (await findSubscribers(tx, [tenant_id], id)).get(tenant_id) ?? [];
  await emitWanted(tx, tenant_id, subscribers, () => news);
}

/** @returns events for the others; none that it fails if they get one that it is disabled. */
async function updateHealth(
  { queries, now }: Transaction,
  { endpoint, attempts, before, lostFor }: HealthChange,
): Promise<readonly EndpointNews[]> {
  if (before === null) return [];
  const held = await lockHealth(queries, endpoint, before);
  const { health, recoveredFrom, isNewlyFailing } = applyAttempts(held, attempts, now);
  await queries
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
 * Applies attempts to the health of an endpoint, in the order in which they ended.
 * @returns the health after them; since when it had failed, as far as the other endpoints know, until something arrived just
 * now; whether they are notified now that it is failing; and whether nothing has arrived for so long that it is disabled.
 */
function applyAttempts(before: Health, attempts: readonly EndedAttempt[], now: string) {
  let health = before;
  let recoveredFrom: string | null = null;
  for (const attempt of attempts) {
    if (attempt.state.status === 'delivered') {
      if (health.notified_at !== null) recoveredFrom = health.failing_since;
      health = { ...wellHealth, paused_until: health.paused_until };
    } else health = applyFailure(health, attempt);
  }
  const failedFor = health.failing_since === null ? 0 : Date.parse(now) - Date.parse(health.failing_since);
  const isNewlyFailing =
    health.notified_at === null && failedFor >= notifyAfter && (health.failures ?? 0) >= leastFailures;
  if (isNewlyFailing) health = { ...health, notified_at: now };
  return { health, recoveredFrom, isNewlyFailing, isLost: failedFor >= longestFailure };
}

function applyFailure(health: Health, { row: { at, message }, pausedUntil }: EndedAttempt): Health {
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
export type EndpointNews = Pick<NewWebhookEvent, 'type' | 'data'>;

/**
 * Events about dead letters whose attempts all failed. There are none for an endpoint that is gone, which has a separate event,
 * nor for events about webhooks, so that two endpoints that fail do not report each other without end.
 */
export function describeExhausted(
  endpoint: Endpoint,
  dead: readonly Pick<EndedAttempt, 'delivery' | 'state'>[],
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
