import { addTime, type Clock } from '../../storage/database.ts';
import { newId } from '../../storage/rows.ts';
import type { AttemptRow } from '../deliveries/delivery.ts';
import type { UnopenedKey } from '../endpoints/signing.ts';
import type { Endpoint } from '../endpoints/store.ts';
import type { DeliveryOutcome } from '../transport/receivers.ts';
import { attemptOffsets, planRetry, readRetryAfter } from './schedule.ts';
import type { ClaimedDelivery, DeliveryState } from './store.ts';

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
