import type { Webhook, WebhookDelivery, WebhookDeliveryDetail, WebhookFilter } from '../types/api.ts';
import { type Happening, newId, type World } from './world.ts';

/** A webhook as it is kept. */
export interface StoredWebhook extends Webhook {
  /** When each of its previous secrets ends, or ended, the newest first. */
  readonly secretEnds: readonly string[];
}

type Event = WebhookDeliveryDetail['event'];

/** The webhooks of the tenant, and what happened for them. */
export class WebhookState {
  readonly webhooks = new Map<string, StoredWebhook>();
  readonly deletedIds = new Set<string>();
  /** By id, in the order in which they were made. */
  readonly deliveries = new Map<string, WebhookDeliveryDetail>();
  readonly #tenantId: string;

  constructor(world: World) {
    this.#tenantId = world.tenantId;
    world.listener = (happening, now) => this.emit(happening, now);
  }

  /** Makes a delivery of what happened for each webhook that wants it. @param except the one that it is about. */
  emit({ type, data }: Happening, now: string, except?: string): void {
    const event = this.#newEvent(type, data as Event['data'], now);
    for (const { id, eventTypes, filter, status } of this.webhooks.values()) {
      const wants = eventTypes === null || eventTypes.includes(type);
      if (id === except || !wants || !(type.startsWith('webhook.') || passesFilter(filter, data))) continue;
      const delivery = this.add(event, id, now);
      if (status === 'disabled') this.end(delivery, 'dead', now, 'endpoint_disabled');
    }
  }

  /** A test event for one webhook. */
  addTest(webhookId: string, now: string): WebhookDeliveryDetail {
    return this.add(this.#newEvent('webhook.test', { webhookId }, now), webhookId, now);
  }

  /** Makes a delivery that waits for its first attempt, and for no other delivery. */
  add(event: Event, webhookId: string, now: string, redelivery?: Partial<WebhookDelivery>): WebhookDeliveryDetail {
    const none = { reason: null, responseStatus: null, firstAttemptAt: null, redeliveryOf: null, finishedAt: null };
    const delivery: WebhookDeliveryDetail = {
      ...{ id: newId(), webhookId, eventId: event.id, eventType: event.type, status: 'pending', ...none },
      ...{ attemptCount: 0, nextAttemptAt: now, createdAt: now, ...redelivery, event, attempts: [] },
    };
    this.deliveries.set(delivery.id, delivery);
    return delivery;
  }

  find(id: string): WebhookDeliveryDetail | undefined {
    return this.deliveries.get(id);
  }

  /** Every delivery, oldest first. */
  list(): readonly WebhookDeliveryDetail[] {
    return [...this.deliveries.keys()].map((id) => this.find(id) as WebhookDeliveryDetail);
  }

  /** Keeps a delivery as it is now. */
  save(delivery: WebhookDeliveryDetail): WebhookDeliveryDetail {
    this.deliveries.set(delivery.id, delivery);
    return delivery;
  }

  /** Ends a delivery that nothing more is tried for. */
  end(delivery: WebhookDeliveryDetail, status: 'dead' | 'canceled', now: string, reason: 'endpoint_disabled' | null) {
    const why = delivery.reason ?? reason;
    return this.save({ ...delivery, status, reason: why, nextAttemptAt: null, finishedAt: now });
  }

  /** Makes a delivery due that waits for its time. */
  hasten(delivery: WebhookDeliveryDetail, now: string): WebhookDeliveryDetail {
    const { nextAttemptAt } = delivery;
    return this.save({
      ...delivery,
      nextAttemptAt: nextAttemptAt !== null && nextAttemptAt < now ? nextAttemptAt : now,
    });
  }

  /** Makes due what waits for a webhook that is taken into use again, but for what many redeliveries have queued. */
  resume(webhookId: string, now: string): void {
    for (const waiting of this.pendingOf(webhookId))
      if (waiting.attemptCount > 0 || waiting.redeliveryOf === null) this.hasten(waiting, now);
  }

  /** What waits for a webhook. */
  pendingOf(webhookId: string): readonly WebhookDeliveryDetail[] {
    return [...this.deliveries.values()].filter((one) => one.webhookId === webhookId && one.status === 'pending');
  }

  #newEvent(type: string, data: Event['data'], now: string): Event {
    return { id: newId(), type, createdAt: now, tenantId: this.#tenantId, data };
  }
}

/** A delivery as lists have it: without what happened. */
export function viewDelivery({ event: _, attempts: ___, ...delivery }: WebhookDeliveryDetail): WebhookDelivery {
  return delivery;
}

/** Whether data holds, at every path of a filter, one of the values that are accepted there. */
function passesFilter(filter: WebhookFilter | null, data: unknown): boolean {
  return Object.entries(filter ?? {}).every(([path, accepted]) => holds(data, path, accepted));
}

/** @param path what is left of it; null where it has ended. */
function holds(value: unknown, path: string | null, accepted: readonly unknown[]): boolean {
  if (Array.isArray(value)) return value.some((item) => holds(item, path, accepted));
  if (path === null) return accepted.includes(value);
  if (typeof value !== 'object' || value === null) return false;
  // Keys may have dots of their own.
  return Object.entries(value).some(([key, inner]) => {
    if (path === key) return holds(inner, null, accepted);
    return path.startsWith(`${key}.`) && holds(inner, path.slice(key.length + 1), accepted);
  });
}
