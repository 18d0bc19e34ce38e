import type { DeliveryFailure, WebhookDeliveryDetail } from '../types/webhooks.ts';
import type { DeliveryOutcome } from './delivery-outcome.ts';
import type { StoredWebhook, WebhookState } from './webhook-state.ts';
import { newId, stateHash, type World } from './world.ts';

/** Seconds after the first attempt. */
const usualSchedule = [5, 30, 120, 480, 1200, 2700, 5400, 10_800, 21_600, 43_200, 86_400];
const minutes = 60_000;
const window = 24 * 60 * minutes;
/** The others are told of a webhook that has failed so often for so long. */
const [leastFailures, tellAfter] = [4, 15 * minutes];
const noAnswers: readonly string[] = ['timeout', 'dns', 'refused_address', 'connection', 'tls', 'protocol'];

/** Makes the attempts of a server that sends. */
export class DeliverySettler {
  readonly #world: World;
  readonly #state: WebhookState;
  /** Of those that fail: how often, and whether the others were told. */
  readonly #failing = new Map<string, { readonly failures: number; readonly isTold: boolean }>();

  constructor(world: World, state: WebhookState) {
    this.#world = world;
    this.#state = state;
  }

  /** Makes one attempt of every delivery that is due, oldest first. @returns those that were tried, as they are now. */
  settle(
    told: DeliveryOutcome | ((delivery: WebhookDeliveryDetail) => DeliveryOutcome),
    now: string,
  ): readonly WebhookDeliveryDetail[] {
    if (typeof told !== 'function') requireOutcome(told);
    const due = [...this.#state.deliveries.values()].filter(
      ({ status, nextAttemptAt }) => status === 'pending' && (nextAttemptAt ?? '') <= now,
    );
    const tried: string[] = [];
    for (const { id } of due) {
      // An earlier one of them may have ended the webhook.
      const delivery = this.#state.deliveries.get(id);
      const webhook = this.#state.webhooks.get(delivery?.webhookId ?? '');
      if (delivery?.status !== 'pending' || webhook?.status !== 'enabled') continue;
      const outcome = typeof told === 'function' ? told(delivery) : told;
      requireOutcome(outcome);
      this.#attempt(webhook, delivery, outcome, now);
      tried.push(id);
    }
    return tried.map((id) => this.#state.deliveries.get(id) as WebhookDeliveryDetail);
  }

  #attempt(webhook: StoredWebhook, delivery: WebhookDeliveryDetail, outcome: DeliveryOutcome, now: string): void {
    const responseStatus = typeof outcome === 'number' ? outcome : null;
    const reason = typeof outcome === 'number' ? judge(outcome) : outcome;
    const message = reason === null ? null : describe(reason, responseStatus);
    const timing = { queued: null, lookup: null, connect: null, tls: null, firstByte: null, total: 0 };
    const judged = { outcome: reason ?? ('delivered' as const), responseStatus, message, excerpt: null };
    const attempt = { id: newId(), at: now, ...judged };
    const attemptCount = delivery.attemptCount + 1;
    const firstAttemptAt = delivery.firstAttemptAt ?? now;
    const isOver = reason === null || reason === 'gone';
    const nextAttemptAt = isOver ? null : planRetry(webhook, attemptCount, firstAttemptAt, now);
    const status = reason === null ? 'delivered' : nextAttemptAt === null ? 'dead' : 'pending';
    const saved = this.#state.save({
      ...{ ...delivery, status, reason, responseStatus, attemptCount, firstAttemptAt, nextAttemptAt },
      finishedAt: nextAttemptAt === null ? now : null,
      attempts: [...delivery.attempts, { ...attempt, timing, reused: false }],
    });
    if (reason === 'gone') this.#disable(webhook, message, now);
    else this.#noteHealth(webhook, message, now);
    if (status === 'dead' && reason !== 'gone') this.#tellExhausted(webhook, saved, now);
  }

  #noteHealth(webhook: StoredWebhook, message: string | null, now: string): void {
    const { id, failingSince } = webhook;
    const before = this.#failing.get(id) ?? { failures: 0, isTold: false };
    if (message === null) {
      this.#failing.delete(id);
      this.#state.webhooks.set(id, { ...webhook, failingSince: null, lastError: null });
      if (before.isTold) this.#tell(webhook, 'webhook.endpoint_recovered', { failingSince, recoveredAt: now }, now);
      return;
    }
    const since = failingSince ?? now;
    this.#state.webhooks.set(id, { ...webhook, failingSince: since, lastError: message });
    // One that was mended by hand begins anew.
    const failures = failingSince === null ? 1 : before.failures + 1;
    const isLong = failures >= leastFailures && Date.parse(now) - Date.parse(since) >= tellAfter;
    const isTold = failingSince !== null && before.isTold;
    this.#failing.set(id, { failures, isTold: isTold || isLong });
    const data = { failingSince: since, lastError: message };
    if (isLong && !isTold) this.#tell(webhook, 'webhook.endpoint_failing', data, now);
  }

  #disable(webhook: StoredWebhook, message: string | null, now: string): void {
    const { id } = webhook;
    const failingSince = webhook.failingSince ?? now;
    const disabled: StoredWebhook = {
      ...{ ...webhook, status: 'disabled', disabledReason: 'gone', disabledAt: now, updatedAt: now },
      ...{ failingSince, lastError: message },
    };
    this.#state.webhooks.set(id, disabled);
    for (const waiting of this.#state.pendingOf(id)) this.#state.end(waiting, 'dead', now, 'endpoint_disabled');
    const diff = { reason: 'gone', failingSince, stateHash: stateHash(disabled) };
    const { host } = new URL(webhook.url);
    const event = { module: 'webhooks', action: 'webhook.disabled', targetId: id, targetRef: host, diff };
    this.#world.record(null, event, now);
    this.#tell(webhook, 'webhook.endpoint_disabled', { reason: 'gone', failingSince, lastError: message }, now);
  }

  #tellExhausted(webhook: StoredWebhook, delivery: WebhookDeliveryDetail, now: string): void {
    const { id: deliveryId, eventId, eventType, attemptCount: attempts, reason } = delivery;
    // Two that fail do not tell of each other without end.
    if (eventType.startsWith('webhook.')) return;
    this.#tell(webhook, 'webhook.delivery_exhausted', { deliveryId, eventId, eventType, attempts, reason }, now);
  }

  #tell(
    { id, url }: StoredWebhook,
    type: `webhook.${'endpoint_failing' | 'endpoint_recovered' | 'endpoint_disabled' | 'delivery_exhausted'}`,
    data: Readonly<Record<string, unknown>>,
    now: string,
  ): void {
    this.#state.emit({ type, data: { webhookId: id, host: new URL(url).host, ...data } }, now, id);
  }
}

/** The next time of the schedule that has not passed; null where there is none inside 24 hours. */
function planRetry({ retrySchedule }: StoredWebhook, attempts: number, first: string, now: string): string | null {
  const start = Date.parse(first);
  const last = start + window - minutes;
  const offsets = (retrySchedule ?? usualSchedule).slice(attempts - 1).map((seconds) => seconds * 1000);
  const next = offsets.map((offset) => Math.min(start + offset, last)).find((time) => time > Date.parse(now));
  return next === undefined ? null : new Date(next).toISOString();
}

function judge(status: number): 'redirect' | 'gone' | 'rate_limited' | 'http_error' | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return 'redirect';
  if (status === 410) return 'gone';
  return status === 429 ? 'rate_limited' : 'http_error';
}

function describe(reason: DeliveryFailure, status: number | null): string {
  if (status === null) return `There was no answer: ${reason}.`;
  if (reason === 'redirect')
    return `The receiver answered ${status}: redirects are not followed. Set its final address.`;
  if (reason === 'gone') return 'The receiver answered 410: it wants no events any more.';
  if (reason === 'rate_limited') return 'The receiver answered 429: it gets more than it can take.';
  return `The receiver answered ${status}.`;
}

function requireOutcome(outcome: DeliveryOutcome): void {
  const isStatus = typeof outcome === 'number' && Number.isInteger(outcome) && outcome >= 200 && outcome <= 599;
  if (isStatus || noAnswers.includes(outcome as string)) return;
  throw new TypeError(`${String(outcome)} is no status of an answer (200 to 599), and none of ${noAnswers.join(', ')}`);
}
