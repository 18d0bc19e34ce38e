import type { WebhookFailureReason } from '../types/api.ts';

/** What a receiver answers: a status, or why there is no answer. */
export type DeliveryOutcome = number | DeliveryAnswer | NoAnswer;

/** A status with the header Retry-After. */
export interface DeliveryAnswer {
  readonly status: number;
  /** In whole seconds. With 429 and 503 it pauses the webhook, for an hour at most. */
  readonly retryAfter: number;
}

/** Why there is no answer. */
export type NoAnswer = Extract<
  WebhookFailureReason,
  'timeout' | 'dns' | 'refused_address' | 'connection' | 'tls' | 'protocol'
>;

/** What an outcome comes to. */
export interface JudgedOutcome {
  /** Null when it was delivered. */
  readonly reason: WebhookFailureReason | null;
  readonly message: string | null;
  readonly responseStatus: number | null;
  /** In seconds; null where the receiver asked for nothing. */
  readonly retryAfter: number | null;
  /** Whether the receiver wants nothing at all for that time. */
  readonly asksForPause: boolean;
}

const noAnswers: readonly string[] = ['timeout', 'dns', 'refused_address', 'connection', 'tls', 'protocol'];

/** @throws {TypeError} for an outcome that is none. */
export function judgeOutcome(outcome: DeliveryOutcome): JudgedOutcome {
  if (noAnswers.includes(outcome as string)) {
    const reason = outcome as NoAnswer;
    const message = `There was no answer: ${reason}.`;
    return { reason, message, responseStatus: null, retryAfter: null, asksForPause: false };
  }
  const answer = typeof outcome === 'number' ? { status: outcome, retryAfter: null } : outcome;
  const { status, retryAfter } = Object(answer) as { readonly status: number; readonly retryAfter: number | null };
  if (!isWhole(status, 200, 599) || !(retryAfter === null || isWhole(retryAfter, 0, 9_999_999_999)))
    throw new TypeError(
      `${JSON.stringify(outcome)} is no status of an answer (200 to 599), none with { status, retryAfter }, and none of ${noAnswers.join(', ')}`,
    );
  const reason = judgeStatus(status);
  const message = reason === null ? null : describeStatus(reason, status);
  const asksForPause = retryAfter !== null && (status === 429 || status === 503);
  return { reason, message, responseStatus: status, retryAfter: reason === null ? null : retryAfter, asksForPause };
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

function judgeStatus(status: number): 'redirect' | 'gone' | 'rate_limited' | 'http_error' | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return 'redirect';
  if (status === 410) return 'gone';
  return status === 429 ? 'rate_limited' : 'http_error';
}

function describeStatus(reason: WebhookFailureReason, status: number): string {
  if (reason === 'redirect')
    return `The receiver answered ${status}: redirects are not followed. Set its final address.`;
  if (reason === 'gone') return 'The receiver answered 410: it wants no events any more.';
  if (reason === 'rate_limited') return 'The receiver answered 429: it gets more than it can take.';
  return `The receiver answered ${status}.`;
}
