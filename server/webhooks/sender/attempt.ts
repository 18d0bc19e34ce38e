import type { Clock } from '../../storage/clock.ts';
import { addTime } from '../../storage/database.ts';
import { newId } from '../../storage/rows.ts';
import type { AttemptRow, DeliveryRow } from '../deliveries/delivery.ts';
import type { StoredEvent } from '../deliveries/event.ts';
import type { UnopenedKey } from '../endpoints/signing.ts';
import type { Endpoint } from '../endpoints/store.ts';
import type { DeliveryOutcome } from '../transport/receivers.ts';

/** The columns of a delivery that its attempts need. */
export type ClaimedRow = Pick<
  DeliveryRow,
  'tenant_id' | 'id' | 'event_id' | 'attempts' | 'first_attempt_at' | 'reason' | 'response_status'
>;

/** What identifies the lease of a server on a delivery. */
export type Lease = Pick<DeliveryRow, 'tenant_id' | 'id'> & { readonly claimed_until: string };

/** A delivery that this process is to attempt now. */
export type ClaimedDelivery = ClaimedRow & Lease & { readonly event: SentEvent };

/** An event with the body of its deliveries: the same bytes for every endpoint and each attempt. */
export interface SentEvent {
  readonly id: string;
  readonly type: string;
  readonly body: Buffer;
  readonly traceParent: string | null;
}

/** The state of a delivery after an attempt, or after it was decided that there will be none. */
export type DeliveryState = Omit<ClaimedRow, 'event_id'> &
  Lease & {
    readonly status: 'pending' | 'delivered' | 'dead';
    /** Null for a delivery that is finished. */
    readonly due_at: string | null;
  };

/** An attempt that ended: its row, the new state of the delivery, and what it says about the endpoint. */
export interface EndedAttempt extends Omit<Attempt, 'startedAt'> {
  readonly row: AttemptRow;
  readonly state: DeliveryState;
  /** Milliseconds until the receiver had answered; null if it did not. */
  readonly responseTime: number | null;
  /** Until when the receiver wants no requests at all (429 and 503 with Retry-After), for an hour at most: RFC 3339. */
  readonly pausedUntil: string | null;
}

export interface Attempt {
  readonly endpoint: Endpoint;
  readonly delivery: ClaimedDelivery;
  readonly startedAt: string;
}

/** The body of the deliveries of an event (spec.md "Webhook delivery body"), the same bytes for each. */
export function writeBody(event: Pick<StoredEvent, 'id' | 'type' | 'created_at' | 'tenant_id' | 'data'>): string {
  const { id, type, created_at, tenant_id, data } = event;
  return `{"id":"${id}","type":"${type}","createdAt":"${created_at}","tenantId":"${tenant_id}","data":${data}}`;
}

/** Judges an attempt that has just ended and plans the next one. @param random from 0 up to 1. */
export function endAttempt(
  { endpoint, delivery, startedAt }: Attempt,
  outcome: DeliveryOutcome,
  clock: Clock,
  random: number,
): EndedAttempt {
  const { milliseconds } = outcome;
  const answer = outcome.outcome === 'answered' ? outcome : null;
  const failure = outcome.outcome === 'answered' ? judgeStatus(outcome.status) : outcome;
  const status = answer?.status ?? null;
  const attempts = delivery.attempts + 1;
  const firstAttemptAt = delivery.first_attempt_at ?? startedAt;
  let dueAt: string | null = null;
  let pausedUntil: string | null = null;
  if (failure !== null) {
    const now = clock();
    const asked = readRetryAfter(answer?.retryAfter, now);
    const failed = { offsets: readOffsets(endpoint), attempts, firstAttemptAt, now, retryAfter: asked };
    if (failure.reason !== 'gone') dueAt = planRetry(failed, random);
    if (asked !== null && (status === 429 || status === 503)) pausedUntil = addTime(now, Math.min(asked, longestPause));
  }
  return {
    endpoint,
    delivery,
    row: {
      tenant_id: endpoint.tenant_id,
      delivery_id: delivery.id,
      id: newId(),
      at: startedAt,
      outcome: failure?.reason ?? 'delivered',
      response_status: status,
      message: failure?.message ?? null,
      excerpt: answer?.excerpt || null,
      milliseconds,
    },
    state: {
      tenant_id: delivery.tenant_id,
      id: delivery.id,
      status: failure === null ? 'delivered' : dueAt === null ? 'dead' : 'pending',
      reason: failure?.reason ?? null,
      response_status: status,
      attempts,
      first_attempt_at: firstAttemptAt,
      due_at: dueAt,
      claimed_until: delivery.claimed_until,
    },
    responseTime: answer === null ? null : milliseconds,
    pausedUntil,
  };
}

function readOffsets({ retry_schedule: schedule }: Endpoint): readonly number[] {
  return schedule === null ? attemptOffsets : [0, ...JSON.parse(schedule).map((seconds: number) => seconds * 1000)];
}

/** It holds for every delivery of the endpoint. */
const longestPause = 60 * 60 * 1000;

/** There is nothing to sign with, so nothing is sent. */
export function failUnsigned(what: UnopenedKey): DeliveryOutcome {
  const message = `The ${what} of the webhook cannot be opened with the secret of this installation: ${cures[what]}.`;
  return { outcome: 'failed', reason: 'unsealable_secret', message, milliseconds: 0, reused: false };
}

const cures: Readonly<Record<UnopenedKey, string>> = {
  secret: 'rotate it',
  'private key': 'switch `asymmetric` off and on',
};

/** Why an answer is a failure (Standard Webhooks: everything but 2xx is). */
function judgeStatus(status: number): { readonly reason: string; readonly message: string } | null {
  const answered = `The receiver answered ${status}`;
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400)
    return { reason: 'redirect', message: `${answered}: redirects are not followed. Set its final address.` };
  if (status === 410) return { reason: 'gone', message: `${answered}: it wants no events any more.` };
  if (status === 429) return { reason: 'rate_limited', message: `${answered}: it gets more than it can take.` };
  return { reason: 'http_error', message: `${answered}.` };
}

/** When attempts are due, in milliseconds after the first one: 5 seconds to 24 hours, each wait about double the last. */
export const attemptOffsets = [
  0, 5_000, 30_000, 120_000, 480_000, 1_200_000, 2_700_000, 5_400_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000,
] as const;

/** Failed deliveries are retried for so long (spec.md "Limits"). */
export const retryWindow = 24 * 60 * 60 * 1000;

/** The last attempt keeps so far from the end of the window that the sender's own delays do not carry it over. */
const edge = 60_000;

export interface FailedAttempt {
  /** When attempts are due, in milliseconds after the first one, which is among them; by default the usual ones. */
  readonly offsets?: readonly number[];
  /** How many attempts were made, with this one. */
  readonly attempts: number;
  /** When the first attempt began: RFC 3339. */
  readonly firstAttemptAt: string;
  /** When this one ended. */
  readonly now: string;
  /** The delay that the receiver requested, in milliseconds from now; null if it requested none. */
  readonly retryAfter: number | null;
}

/**
 * When the next attempt is due: at the next offset of the schedule, moved by up to a tenth so that deliveries that failed
 * together do not return together, and not before the receiver said. Offsets that have passed are left out; where none is
 * left to come, attempts that the schedule still has follow at its own distances. What would come after the window comes
 * within its last minutes.
 * @param random from 0 up to 1.
 * @returns RFC 3339; null when all attempts were made, or the window of 24 hours has no time for another one.
 */
export function planRetry(failed: FailedAttempt, random: number): string | null {
  const { offsets = attemptOffsets, attempts, retryAfter } = failed;
  const [first, present] = [Date.parse(failed.firstAttemptAt), Date.parse(failed.now)];
  const last = first + retryWindow - edge;
  if (attempts >= offsets.length || present >= last - lastMinutes) return null;
  const planned = offsets
    .map((_, index) => ({ time: first + spread(offsets, index, random), gap: gapBefore(offsets, index) }))
    .slice(attempts)
    .find(({ time, gap }) => time >= present + Math.min(longestRest, gap / 4))?.time;
  // A tenth later than the receiver asked for, at most: every request that it refused at the same time got the same time.
  const asked = retryAfter === null ? 0 : present + retryAfter * (1 + 0.1 * random);
  const wanted = Math.max(planned ?? present + delayed(offsets, attempts, random), asked);
  return new Date(Math.floor(Math.min(wanted, last - lastMinutes * random))).toISOString();
}

/**
 * How long an attempt waits whose time has passed, because those before it took long, were held back by a rate or came late:
 * as long as the schedule has between the two, moved by a tenth at most. The last one of a schedule that is as long as the window
 * comes at its end.
 */
function delayed(offsets: readonly number[], attempts: number, random: number): number {
  if (offsets.at(-1) === retryWindow) return retryWindow;
  return gapBefore(offsets, attempts) * (1 + 0.1 * (2 * random - 1));
}

/**
 * Moves an offset by up to a tenth, and by a third of the way to its neighbours at most, so that they stay in order. One at
 * the end of the window is only moved to before it.
 */
function spread(offsets: readonly number[], index: number, random: number): number {
  const offset = Math.min(offsets[index] as number, retryWindow - edge);
  const gapAfter = index + 1 < offsets.length ? (offsets[index + 1] as number) - offset : Number.POSITIVE_INFINITY;
  const reach = Math.min(offset / 10, gapBefore(offsets, index) / 3, gapAfter / 3);
  return (offsets[index] as number) >= retryWindow ? offset - reach * (1 - random) : offset + reach * (2 * random - 1);
}

function gapBefore(offsets: readonly number[], index: number): number {
  return index === 0 ? 0 : (offsets[index] as number) - (offsets[index - 1] as number);
}

/** Attempts that would come later are spread over them; what fails in them is not retried. */
const lastMinutes = 10 * 60_000;

/**
 * Between the end of an attempt and the next one; less where the schedule itself is closer, for two neighbours may be moved to
 * within a third of their distance. Attempts that were due while a server was down are not made up for, one after the other.
 */
const longestRest = 1000;

/** True if a delivery that is due may still be attempted. */
export function isWithinWindow(firstAttemptAt: string | null, now: string): boolean {
  return firstAttemptAt === null || Date.parse(now) <= Date.parse(firstAttemptAt) + retryWindow;
}

/**
 * Reads the header Retry-After (RFC 9110 section 10.2.3): seconds, or a date.
 * @returns milliseconds from now; null where it says nothing that can be understood.
 */
export function readRetryAfter(value: string | null | undefined, now: string): number | null {
  if (value === null || value === undefined) return null;
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1000;
  const time = /^[A-Z][a-z]{2}, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : Math.max(0, time - Date.parse(now));
}
