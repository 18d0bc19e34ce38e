import { locksRows, type Queries } from '../../storage/database.ts';
import { type Health, healthColumns, wellHealth } from '../endpoints/store.ts';
import type { EndedAttempt } from './attempt.ts';

/** The health of an endpoint after attempts, and what follows from it. */
export interface NotedHealth {
  readonly health: Health;
  /** Since when it had failed, as far as the other endpoints know, until something arrived just now. */
  readonly recoveredFrom: string | null;
  /** Whether they are notified now that it is failing. */
  readonly isNewlyFailing: boolean;
  /** Whether nothing has arrived for so long that it is disabled. */
  readonly isLost: boolean;
}

/** Notes attempts, in the order in which they ended. */
export function noteAttempts(before: Health, attempts: readonly EndedAttempt[], now: string): NotedHealth {
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
 * Reads how an endpoint fares and locks it until the transaction ends; SQLite has one writer in any case.
 * @param found what was read before.
 */
export async function lockHealth(queries: Queries, endpointId: string, found: Health): Promise<Health> {
  if (!locksRows(queries)) return found;
  const { endpoint_id: _, ...health } = await queries
    .insertInto('webhook_health')
    .values({ endpoint_id: endpointId })
    .onConflict((conflict) =>
      conflict.column('endpoint_id').doUpdateSet((row) => ({ endpoint_id: row.ref('excluded.endpoint_id') })),
    )
    .returning(['endpoint_id', ...healthColumns])
    .executeTakeFirstOrThrow();
  return health;
}

/** Notes how an endpoint fares. */
export async function saveHealth(queries: Queries, endpointId: string, health: Health): Promise<void> {
  await queries
    .insertInto('webhook_health')
    .values({ endpoint_id: endpointId, ...health })
    .onConflict((conflict) => conflict.column('endpoint_id').doUpdateSet(health))
    .execute();
}
