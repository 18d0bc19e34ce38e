/** How an endpoint fares. */
export interface Health {
  /** When the failures began that no success has ended; null while all is well. */
  readonly failingSince: string | null;
  /** When an attempt last failed; null also where failures before an edit count no more. */
  readonly failedAt: string | null;
  readonly lastError: string | null;
  /** How many attempts have failed since; null for none. */
  readonly failures: number | null;
  /** When the other endpoints were notified that it is failing; null while they were not. */
  readonly notifiedAt: string | null;
  /** Nothing is sent before, because the receiver asked for a pause. */
  readonly pausedUntil: string | null;
}

/** All is well. */
const wellHealth: Health = {
  failingSince: null,
  failedAt: null,
  lastError: null,
  failures: null,
  notifiedAt: null,
  pausedUntil: null,
};

/** What an attempt says of its endpoint. */
export interface AttemptSign {
  readonly at: string;
  /** Null when it was delivered. */
  readonly failure: { readonly message: string; readonly pausedUntil: string | null } | null;
}

/** The health of an endpoint after attempts, and what the other endpoints are notified of. */
export interface NotedHealth {
  readonly health: Health;
  /** Since when it had failed, as far as they know, until something arrived just now. */
  readonly recoveredFrom: string | null;
  /** Whether they are notified now that it is failing. */
  readonly isNewlyFailing: boolean;
}

/** Notes attempts, in the order in which they ended. */
export function noteAttempts(before: Health, attempts: readonly AttemptSign[], now: string): NotedHealth {
  let health = before;
  let recoveredFrom: string | null = null;
  for (const { at, failure } of attempts) {
    if (failure === null) {
      if (health.notifiedAt !== null) recoveredFrom = health.failingSince;
      health = { ...wellHealth, pausedUntil: health.pausedUntil };
    } else health = noteFailure(health, at, failure);
  }
  const isNewlyFailing =
    health.notifiedAt === null && failedFor(health, now) >= notifyAfter && count(health) >= leastFailures;
  return { health: isNewlyFailing ? { ...health, notifiedAt: now } : health, recoveredFrom, isNewlyFailing };
}

/** Milliseconds since every attempt has failed. */
export function failedFor({ failingSince }: Pick<Health, 'failingSince'>, now: string): number {
  return failingSince === null ? 0 : Date.parse(now) - Date.parse(failingSince);
}

/** Whether nothing has arrived for so long that the endpoint is disabled. */
export function hasFailedForGood(health: Pick<Health, 'failingSince'>, now: string): boolean {
  return failedFor(health, now) >= longestFailure;
}

function noteFailure(health: Health, at: string, failure: NonNullable<AttemptSign['failure']>): Health {
  const { failingSince, failedAt, pausedUntil, notifiedAt } = health;
  // A failure after a day without any starts a new period: days without attempts are no days of failure.
  const goesOn = failingSince !== null && failedAt !== null && Date.parse(at) - Date.parse(failedAt) <= day;
  return {
    failingSince: goesOn ? failingSince : at,
    failedAt: at,
    lastError: failure.message,
    failures: goesOn ? count(health) + 1 : 1,
    notifiedAt,
    pausedUntil:
      [pausedUntil, failure.pausedUntil]
        .filter((time) => time !== null)
        .sort()
        .at(-1) ?? null,
  };
}

function count({ failures }: Health): number {
  return failures ?? 0;
}

const minute = 60_000;
const day = 24 * 60 * minute;
/** The other endpoints are notified after so many failed attempts, and no other, for so long. */
const notifyAfter = 15 * minute;
const leastFailures = 4;
/** An endpoint at which nothing has arrived for so long is disabled. */
const longestFailure = 5 * day;
