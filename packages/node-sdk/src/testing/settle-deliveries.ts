import type { WebhookDeliveryDetail } from '../types/api.ts';
import { type DeliveryOutcome, type JudgedOutcome, judgeOutcome } from './delivery-outcome.ts';
import { isWithinWindow, planRetry } from './plan-retry.ts';
import { WebhookHealth } from './webhook-health.ts';
import type { StoredWebhook, WebhookState } from './webhook-state.ts';
import { newId, stateHash, type World } from './world.ts';

/** What a receiver asks for holds for so long at most, in seconds. */
const longestPause = 3600;

/** Makes the attempts of a server that sends. */
export class DeliverySettler {
  readonly #world: World;
  readonly #state: WebhookState;
  readonly #health = new WebhookHealth();

  constructor(world: World, state: WebhookState) {
    this.#world = world;
    this.#state = state;
  }

  /** Makes one attempt of every delivery that is due, oldest first. @returns those that were tried, as they are now. */
  settle(
    told: DeliveryOutcome | ((delivery: WebhookDeliveryDetail) => DeliveryOutcome),
    now: string,
  ): readonly WebhookDeliveryDetail[] {
    if (typeof told !== 'function') judgeOutcome(told);
    const due = [...this.#state.deliveries.values()].filter(
      ({ status, nextAttemptAt }) => status === 'pending' && (nextAttemptAt ?? '') <= now,
    );
    const tried: string[] = [];
    for (const { id } of due) {
      // An earlier one of them may have ended or paused the webhook, and may go before this one.
      const delivery = this.#state.find(id);
      const webhook = this.#state.webhooks.get(delivery?.webhookId ?? '');
      if (delivery?.status !== 'pending' || webhook?.status !== 'enabled') continue;
      if (webhook.pausedUntil !== null && webhook.pausedUntil > now) continue;
      if (!isWithinWindow(delivery.firstAttemptAt, now)) {
        this.#tellExhausted(webhook, this.#state.end(delivery, 'dead', now, null), now);
        continue;
      }
      this.#attempt(webhook, delivery, judgeOutcome(typeof told === 'function' ? told(delivery) : told), now);
      tried.push(id);
    }
    return tried.map((id) => this.#state.find(id) as WebhookDeliveryDetail);
  }

  #attempt(webhook: StoredWebhook, delivery: WebhookDeliveryDetail, judged: JudgedOutcome, now: string): void {
    const { reason, responseStatus, message, retryAfter, asksForPause } = judged;
    const timing = { queued: null, lookup: null, connect: null, tls: null, firstByte: null, total: 0 };
    const attempt = { id: newId(), at: now, outcome: reason ?? ('delivered' as const), responseStatus, message };
    const attempts = delivery.attemptCount + 1;
    const firstAttemptAt = delivery.firstAttemptAt ?? now;
    const { retrySchedule } = webhook;
    const isOver = reason === null || reason === 'gone';
    const nextAttemptAt = isOver ? null : planRetry({ retrySchedule, attempts, firstAttemptAt, now, retryAfter });
    const status = reason === null ? 'delivered' : nextAttemptAt === null ? 'dead' : 'pending';
    const saved = this.#state.save({
      ...{ ...delivery, status, reason, responseStatus, attemptCount: attempts, firstAttemptAt, nextAttemptAt },
      finishedAt: nextAttemptAt === null ? now : null,
      attempts: [...delivery.attempts, { ...attempt, excerpt: null, timing, reused: false }],
    });
    if (status === 'dead' && reason !== 'gone') this.#tellExhausted(webhook, saved, now);
    this.#noteHealth(
      webhook,
      judged,
      asksForPause ? laterPause(webhook, retryAfter ?? 0, now) : webhook.pausedUntil,
      now,
    );
  }

  #noteHealth(webhook: StoredWebhook, judged: JudgedOutcome, pausedUntil: string | null, now: string): void {
    const { message: lastError, reason } = judged;
    const noted = this.#health.note(webhook, reason !== null, now);
    const { failingSince, recoveredFrom } = noted;
    const after = { ...webhook, failingSince, lastError, pausedUntil };
    this.#state.webhooks.set(webhook.id, after);
    const isLost = reason === 'gone' || noted.hasFailedForGood;
    const recovery = { failingSince: recoveredFrom, recoveredAt: now };
    if (recoveredFrom !== null) this.#tell(webhook, 'webhook.endpoint_recovered', recovery, now);
    if (isLost) this.#disable(after, reason === 'gone' ? 'gone' : 'failing', now);
    else if (noted.isNewlyFailing) this.#tell(webhook, 'webhook.endpoint_failing', { failingSince, lastError }, now);
  }

  #disable(webhook: StoredWebhook, reason: 'gone' | 'failing', now: string): void {
    const { id, failingSince, lastError } = webhook;
    const disabled: StoredWebhook = {
      ...{ ...webhook, status: 'disabled', disabledReason: reason, disabledAt: now, updatedAt: now },
    };
    this.#state.webhooks.set(id, disabled);
    for (const waiting of this.#state.pendingOf(id)) this.#state.end(waiting, 'dead', now, 'endpoint_disabled');
    const diff = { reason, failingSince, stateHash: stateHash(disabled) };
    const { host } = new URL(webhook.url);
    const event = { module: 'webhooks', action: 'webhook.disabled', targetId: id, targetRef: host, diff };
    this.#world.record(null, event, now);
    this.#tell(webhook, 'webhook.endpoint_disabled', { reason, failingSince, lastError }, now);
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

/** The later one of the pause that there is and the one that is asked for. */
function laterPause({ pausedUntil }: StoredWebhook, seconds: number, now: string): string {
  const asked = new Date(Date.parse(now) + Math.min(seconds, longestPause) * 1000).toISOString();
  return pausedUntil !== null && pausedUntil > asked ? pausedUntil : asked;
}
