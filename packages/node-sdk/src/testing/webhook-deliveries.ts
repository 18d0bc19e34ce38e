import type {
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookRedelivery,
  WebhookRedeliveryInput,
} from '../types/api.ts';
import { notFound, Refusal } from './refusal.ts';
import type { Sent } from './rules.ts';
import { viewDelivery, type WebhookState } from './webhook-state.ts';
import { type Call, type Handlers, newId, slicePage, type World } from './world.ts';

/** Deliveries of an order are sent at this rate. */
const perSecond = 100;
type Filter = WebhookRedelivery['filter'];

const placeOf = ({ createdAt, id }: WebhookDelivery): string => `${createdAt} ${id}`;

/** The operations on deliveries. An order to send many again is carried out as soon as it is answered. */
export function deliveryHandlers(world: World, state: WebhookState): Handlers {
  /** Oldest first. */
  const orders = new Map<string, WebhookRedelivery>();
  const newestFirst = () =>
    [...state.deliveries.values()].sort((one, other) => (placeOf(one) < placeOf(other) ? 1 : -1));
  const find = ({ params }: Call): WebhookDeliveryDetail => {
    const delivery = state.find(params.id ?? '');
    if (delivery === undefined) throw notFound('delivery');
    return delivery;
  };
  const findOrder = ({ params }: Call): WebhookRedelivery => {
    const order = orders.get(params.id ?? '');
    if (order === undefined) throw notFound('redelivery');
    return order;
  };
  const recordDelivery = (call: Call, verb: string, { id, webhookId, eventType }: WebhookDelivery): void => {
    const event = { module: 'webhooks', action: `webhook_delivery.${verb}`, targetId: id, targetRef: null };
    world.record(call, { ...event, diff: { webhookId, eventType } });
  };
  const redeliver = (earlier: WebhookDeliveryDetail, now: string, due: string): WebhookDeliveryDetail => {
    if (earlier.status === 'dead') state.save({ ...earlier, status: 'redelivered' });
    const redelivery = { redeliveryOf: earlier.id, nextAttemptAt: due };
    return state.add(earlier.event, earlier.webhookId, now, redelivery);
  };
  const fitting = ({ webhookId, status, reason, eventType, from, to }: Filter, now: string) => {
    if (webhookId !== null) requireReceiver(state, webhookId);
    const receives = (id: string) => state.webhooks.get(id) !== undefined && !isDisabled(state, id);
    return newestFirst()
      .filter(
        (one) =>
          (webhookId ?? one.webhookId) === one.webhookId &&
          one.status === status &&
          (reason ?? one.reason) === one.reason &&
          (eventType ?? one.eventType) === one.eventType &&
          (from === null || one.createdAt >= from) &&
          (to === null || one.createdAt < to) &&
          one.createdAt <= now &&
          receives(one.webhookId),
      )
      .reverse();
  };
  const carryOut = (order: WebhookRedelivery, deliveries: readonly WebhookDeliveryDetail[]): void => {
    const start = Date.parse(order.createdAt);
    const later = (milliseconds: number) => new Date(start + milliseconds).toISOString();
    // They come after the order itself, which never meets them.
    for (const [index, delivery] of deliveries.entries())
      redeliver(delivery, later(1), later((index * 1000) / perSecond));
    orders.set(order.id, { ...order, status: 'finished', queued: deliveries.length, finishedAt: order.createdAt });
  };
  return {
    listWebhookDeliveries({ query }) {
      const { status, webhookId, eventType, reason, from, to } = query;
      const matching = newestFirst().filter(
        (one) =>
          (status ?? one.status) === one.status &&
          (webhookId ?? one.webhookId) === one.webhookId &&
          (eventType ?? one.eventType) === one.eventType &&
          (reason ?? one.reason) === one.reason &&
          (from === undefined || one.createdAt >= String(from)) &&
          (to === undefined || one.createdAt < String(to)),
      );
      const list = ['webhook deliveries', status, webhookId, eventType, reason, from, to];
      return slicePage(matching.map(viewDelivery), placeOf, list, query);
    },
    getWebhookDelivery: find,
    redeliverWebhookDelivery(call): WebhookDelivery {
      const { now } = call;
      const earlier = find(call);
      requireReceiver(state, earlier.webhookId);
      if (earlier.status === 'pending') {
        recordDelivery(call, 'hastened', earlier);
        return viewDelivery(state.hasten(earlier, now));
      }
      const { id, webhookId, eventType } = redeliver(earlier, now, now);
      const event = { module: 'webhooks', action: 'webhook_delivery.redelivered', targetId: earlier.id };
      world.record(call, { ...event, targetRef: null, diff: { webhookId, eventType, redeliveryId: id } });
      return viewDelivery(state.deliveries.get(id) as WebhookDeliveryDetail);
    },
    cancelWebhookDelivery(call): WebhookDelivery {
      const delivery = find(call);
      const { status } = delivery;
      if (status !== 'pending')
        throw new Refusal(409, 'conflict', `The delivery is ${status}: there is nothing left to cancel.`);
      recordDelivery(call, 'canceled', delivery);
      return viewDelivery(state.end(delivery, 'canceled', call.now, null));
    },
    redeliverWebhookDeliveries(call: Call<Sent<WebhookRedeliveryInput>>): WebhookRedelivery {
      const { now } = call;
      const filter = filterOf(call.body);
      const deliveries = fitting(filter, now);
      const total = deliveries.length;
      const end = total === 0 ? ({ status: 'finished', finishedAt: now } as const) : null;
      const none = { status: 'running' as const, queued: 0, finishedAt: null, ...end };
      const order: WebhookRedelivery = { id: newId(), ...none, filter, total, createdAt: now };
      orders.set(order.id, order);
      const event = { module: 'webhooks', action: 'webhook_redelivery.ordered', targetId: order.id, targetRef: null };
      world.record(call, { ...event, diff: { filter, total } });
      if (total > 0) carryOut(order, deliveries);
      return order;
    },
    countWebhookRedelivery: ({ query, now }) => ({
      count: fitting(filterOf(query as Sent<WebhookRedeliveryInput>), now).length,
    }),
    listWebhookRedeliveries: ({ query }) =>
      slicePage([...orders.values()].reverse(), ({ id }) => id, ['webhook redeliveries'], query),
    getWebhookRedelivery: findOrder,
    // It has ended already.
    cancelWebhookRedelivery: findOrder,
  };
}

function filterOf(input: Sent<WebhookRedeliveryInput>): Filter {
  const { webhookId = null, status = 'dead', reason = null, eventType = null, from = null, to = null } = input;
  return { webhookId, status, reason, eventType, from, to };
}

const isDisabled = (state: WebhookState, id: string): boolean => state.webhooks.get(id)?.status === 'disabled';

function requireReceiver(state: WebhookState, id: string): void {
  if (state.deletedIds.has(id))
    throw new Refusal(409, 'webhook_deleted', 'The webhook was deleted: nothing can be sent to it.');
  if (!state.webhooks.has(id)) throw notFound('webhook');
  if (isDisabled(state, id))
    throw new Refusal(409, 'webhook_not_enabled', 'The webhook is disabled: enable it first, then send again.', {
      fields: { requiredStatus: 'enabled', actualStatus: 'disabled' },
    });
}
