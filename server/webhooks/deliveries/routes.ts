import { z } from 'zod';
import { defineRoute, listRoute, type Route } from '../../http/route.ts';
import { cursorPageOf, Id, Time } from '../../http/schemas.ts';
import type { Installation } from '../../installation/installation.ts';
import { mapPage, takeNewest } from '../../storage/rows.ts';
import { cancelDelivery, redeliver } from './changes.ts';
import {
  DeliveryDetail,
  DeliveryStatus,
  DeliveryView,
  FailureReason,
  RedeliveryInput,
  RedeliveryView,
  viewDelivery,
} from './delivery.ts';
import { EventTypeName } from './event.ts';
import { cancelRedelivery, findRedelivery, orderRedelivery, prepareOrder, viewRedelivery } from './redelivery.ts';
import { findDelivery, walkDeliveries } from './store.ts';

const reads = { tag: 'Webhooks', scope: 'webhooks:read' } as const;
const writes = { tag: 'Webhooks', scope: 'webhooks:write' } as const;
const params = z.strictObject({ id: Id });
const readsOne = { ...reads, params };
const changesOne = { ...writes, params };

/** The operations on what was sent to webhooks, one delivery at a time. */
export function deliveryRoutes({ database }: Pick<Installation, 'database'>): readonly Route[] {
  return [
    listRoute('/v1/webhooks/deliveries', {
      operationId: 'listWebhookDeliveries',
      ...reads,
      summary: 'List deliveries, newest first',
      description:
        'With `status=dead` it is the dead-letter queue. The event is only in the single delivery. Where `eventType` or `reason` fit little, a page may have fewer items than `limit`, or none, although there are more: go on until `nextCursor` is null. Deliveries are forgotten after 30 days.',
      filters: {
        status: DeliveryStatus.optional(),
        webhookId: Id.optional(),
        eventType: EventTypeName.optional(),
        reason: FailureReason.optional(),
        from: Time.optional().meta({ description: 'Deliveries created at this time or later.' }),
        to: Time.optional().meta({ description: 'Deliveries created before this time.' }),
      },
      limit: { most: 200, usual: 50 },
      result: cursorPageOf(DeliveryView),
      place: 'string',
      async find({ query: filter, principal: { tenantId } }, { after, limit }) {
        const walk = { tenantId, filter, order: 'newest first', after } as const;
        return mapPage(await walkDeliveries(database.kysely, walk, limit), viewDelivery);
      },
    }),
    defineRoute('GET /v1/webhooks/deliveries/{id}', {
      operationId: 'getWebhookDelivery',
      ...readsOne,
      summary: 'Get a delivery with its event and every attempt',
      description: 'What receivers answered is given as it came: treat it as text of a stranger.',
      result: DeliveryDetail,
      handle: ({ params, principal }) => findDelivery(database.kysely, principal.tenantId, params.id),
    }),
    defineRoute('POST /v1/webhooks/deliveries/{id}/redeliver', {
      operationId: 'redeliverWebhookDelivery',
      ...changesOne,
      summary: 'Send a delivery again',
      description:
        'Makes a new delivery of the same event, with an id and 24 hours of its own, whether the earlier one was delivered or not; a dead letter becomes `redelivered`. One that still waits (`pending`) is due now instead, as the same delivery with its own 24 hours. To a paused webhook it is sent when that is enabled again. Each request makes another delivery: use an Idempotency-Key to repeat one safely.',
      status: 201,
      result: DeliveryView,
      errors: ['webhook_delivery_pending', 'webhook_deleted', 'webhook_not_enabled'],
      change: async (call, work) => viewDelivery(await redeliver(work, call.source(), call.params.id)),
    }),
    defineRoute('POST /v1/webhooks/deliveries/{id}/cancel', {
      operationId: 'cancelWebhookDelivery',
      ...changesOne,
      summary: 'Cancel a pending delivery',
      description: 'Nothing more is sent. An attempt that is under way is not aborted: try again when it has ended.',
      result: DeliveryView,
      errors: ['webhook_delivery_pending'],
      change: async (call, work) => viewDelivery(await cancelDelivery(work, call.source(), call.params.id)),
    }),
  ];
}

/** The operations that send many deliveries again. */
export function redeliveryRoutes({ database }: Pick<Installation, 'database'>): readonly Route[] {
  return [
    defineRoute('POST /v1/webhooks/redeliver', {
      operationId: 'redeliverWebhookDeliveries',
      ...writes,
      summary: 'Send many deliveries again',
      description:
        'All dead letters of a webhook (`webhookId`), those of a span of time (`from`, `to`), or both; with `status=delivered` what was delivered instead. The order runs in the background and reports its progress. Each redelivery is a new delivery with its own id and 24 hours. Disabled webhooks are skipped. A tenant has one order at a time.',
      body: RedeliveryInput,
      status: 201,
      result: RedeliveryView,
      errors: ['not_found', 'webhook_deleted', 'webhook_not_enabled', 'webhook_redelivery_running'],
      change: async (call, work) => orderRedelivery(work, call.source(), call.body),
    }),
    defineRoute('GET /v1/webhooks/redeliver', {
      operationId: 'countWebhookRedelivery',
      ...reads,
      summary: 'Count what an order would send again',
      description: 'Takes the fields of an order and does nothing.',
      query: RedeliveryInput,
      result: z.strictObject({ count: z.int().min(0) }).meta({ id: 'WebhookRedeliveryCount' }),
      errors: ['not_found', 'webhook_deleted', 'webhook_not_enabled'],
      async handle({ query, principal, now }) {
        return { count: (await prepareOrder(database.kysely, now, principal.tenantId, query)).total };
      },
    }),
    listRoute('/v1/webhooks/redeliveries', {
      operationId: 'listWebhookRedeliveries',
      ...reads,
      summary: 'List orders to send deliveries again, newest first',
      limit: { most: 100, usual: 25 },
      result: cursorPageOf(RedeliveryView),
      place: 'string',
      async find({ principal: { tenantId } }, { after, limit }) {
        const orders = database.kysely.selectFrom('webhook_redeliveries').selectAll();
        return mapPage(await takeNewest(orders.where('tenant_id', '=', tenantId), after, limit), viewRedelivery);
      },
    }),
    defineRoute('GET /v1/webhooks/redeliveries/{id}', {
      operationId: 'getWebhookRedelivery',
      ...readsOne,
      summary: 'Get an order to send deliveries again',
      result: RedeliveryView,
      handle: ({ params, principal }) => findRedelivery(database.kysely, principal.tenantId, params.id),
    }),
    defineRoute('DELETE /v1/webhooks/redeliveries/{id}', {
      operationId: 'cancelWebhookRedelivery',
      ...changesOne,
      summary: 'Cancel an order to send deliveries again',
      description: 'What it has queued is sent all the same. One that has ended stays as it is.',
      result: RedeliveryView,
      change: async (call, work) => cancelRedelivery(work, call.source(), call.params.id),
    }),
  ];
}
