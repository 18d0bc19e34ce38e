import { newId } from '../../storage/ids.ts';
import type { UnopenedKey } from '../endpoints/signing.ts';
import type { SendingEndpoint } from '../endpoints/store.ts';
import type { DeliveryOutcome } from '../transport/outcome.ts';
import { attemptOffsets, planRetry, readRetryAfter } from './schedule.ts';
import type { AttemptRow, ClaimedDelivery, DeliveryState } from './store.ts';

/** An attempt that ended: its row, the new state of the delivery, and what it says about the endpoint. */
export interface EndedAttempt {
  /** How long it took, in milliseconds. */
  readonly took: number;
  /** What became of connections: one was opened, or one of before was used again; null for neither. */
  readonly connection: 'opened' | 'reused' | null;
  readonly endpoint: SendingEndpoint;
  readonly delivery: ClaimedDelivery;
  readonly row: AttemptRow;
  readonly state: DeliveryState;
  /** Null when it was delivered. */
  readonly failure: {
    readonly message: string;
    /** 410 Gone: the receiver wants nothing any more. */
    readonly isGone: boolean;
    /** Until when the receiver wants no requests at all (429 and 503 with Retry-After), for an hour at most: RFC 3339. */
    readonly pausedUntil: string | null;
  } | null;
}

/** Why an answer is a failure (Standard Webhooks: everything but 2xx is). */
function judgeStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return 'redirect';
  if (status === 410) return 'gone';
  return status === 429 ? 'rate_limited' : 'http_error';
}

/** There was nothing to sign with, so nothing was sent. */
export interface UnsealableOutcome {
  readonly outcome: 'unsealable';
  readonly what: UnopenedKey;
}

/** Judges an attempt and plans the next one. */
export function endAttempt(attempt: {
  readonly endpoint: SendingEndpoint;
  readonly delivery: ClaimedDelivery;
  readonly startedAt: string;
  readonly outcome: DeliveryOutcome | UnsealableOutcome;
  readonly now: string;
  /** From 0 up to 1. */
  readonly random: number;
}): EndedAttempt {
  const { endpoint, delivery, startedAt, outcome, now, random } = attempt;
  const judged = judge(outcome);
  const { reason, message } = judged;
  const attempts = delivery.attempts + 1;
  const firstAttemptAt = delivery.firstAttemptAt ?? startedAt;
  const retryAfter = reason === null ? null : readRetryAfter(judged.retryAfter, now);
  const offsets = endpoint.retrySchedule === null ? attemptOffsets : [0, ...endpoint.retrySchedule];
  const isOver = reason === null || reason === 'gone';
  const dueAt = isOver ? null : planRetry({ offsets, attempts, firstAttemptAt, now, retryAfter }, random);
  const asksForPause = retryAfter !== null && (judged.status === 429 || judged.status === 503);
  return {
    took: judged.timing.total,
    connection: judged.timing.reused ? 'reused' : judged.timing.connect === null ? null : 'opened',
    endpoint,
    delivery,
    row: {
      delivery_id: delivery.id,
      id: newId(),
      at: startedAt,
      outcome: reason ?? 'delivered',
      response_status: judged.status,
      message,
      excerpt: judged.excerpt,
      timing: JSON.stringify(judged.timing),
    },
    state: {
      id: delivery.id,
      status: reason === null ? 'delivered' : dueAt === null ? 'dead' : 'pending',
      reason,
      responseStatus: judged.status,
      attempts,
      firstAttemptAt,
      dueAt,
    },
    failure:
      reason === null
        ? null
        : {
            message: message ?? reason,
            isGone: reason === 'gone',
            pausedUntil: asksForPause
              ? new Date(Date.parse(now) + Math.min(retryAfter, longestPause)).toISOString()
              : null,
          },
  };
}

/** It holds for every delivery of the endpoint. */
const longestPause = 60 * 60 * 1000;

/** A delivery whose 24 hours ended before it could be tried again. */
export function expireDelivery(delivery: ClaimedDelivery): DeliveryState {
  return {
    id: delivery.id,
    status: 'dead',
    reason: delivery.reason,
    responseStatus: delivery.responseStatus,
    attempts: delivery.attempts,
    firstAttemptAt: delivery.firstAttemptAt,
    dueAt: null,
  };
}

function judge(outcome: DeliveryOutcome | UnsealableOutcome) {
  const nothing = { status: null, excerpt: null, retryAfter: null };
  if (outcome.outcome === 'unsealable') {
    const message = `The ${outcome.what} of the webhook cannot be opened with the secret of this installation: ${cures[outcome.what]}.`;
    return { ...nothing, reason: 'unsealable_secret', message, timing: { connect: null, total: 0, reused: false } };
  }
  const timing = { ...outcome.timing, reused: outcome.reused };
  if (outcome.outcome === 'failed') return { ...nothing, reason: outcome.reason, message: outcome.message, timing };
  const { status, excerpt, retryAfter } = outcome;
  const reason = judgeStatus(status);
  const message = reason === null ? null : describeStatus(reason, status);
  return { reason, message, status, excerpt: excerpt === '' ? null : excerpt, retryAfter, timing };
}

const cures: Readonly<Record<UnopenedKey, string>> = {
  secret: 'rotate it',
  'private key': 'switch `asymmetric` off and on',
};

function describeStatus(reason: string, status: number): string {
  if (reason === 'redirect')
    return `The receiver answered ${status}: redirects are not followed. Set its final address.`;
  if (reason === 'gone') return 'The receiver answered 410: it wants no events any more.';
  if (reason === 'rate_limited') return 'The receiver answered 429: it gets more than it can take.';
  return `The receiver answered ${status}.`;
}

/** What was sent since it was asked for last. */
export interface SentCount {
  readonly delivered: number;
  readonly failed: number;
  /** Of the attempts that came to a connection: how many opened one, and how many used one of before again. */
  readonly connections: { readonly opened: number; readonly reused: number };
}

/** Counts attempts, for the log. */
export class SendCounter {
  #delivered = 0;
  #failed = 0;
  #opened = 0;
  #reused = 0;

  count({ failure, connection }: Pick<EndedAttempt, 'failure' | 'connection'>): void {
    if (failure === null) this.#delivered += 1;
    else this.#failed += 1;
    if (connection === 'opened') this.#opened += 1;
    if (connection === 'reused') this.#reused += 1;
  }

  /** Returns the counts and resets them; null when there were none. */
  take(): SentCount | null {
    const connections = { opened: this.#opened, reused: this.#reused };
    const counted = { delivered: this.#delivered, failed: this.#failed, connections };
    [this.#delivered, this.#failed, this.#opened, this.#reused] = [0, 0, 0, 0];
    return counted.delivered + counted.failed === 0 ? null : counted;
  }
}
