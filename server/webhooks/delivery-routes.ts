import { z } from 'zod';
import { callSource } from '../audit/source.ts';
import { readCursor, writeCursor } from '../http/cursor.ts';
import { notFound } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { Cursor, cursorPageOf, Id, queryInteger, Time } from '../http/schemas.ts';
import { DeliveryDetail, DeliveryStatus, DeliveryView, FailureReason } from './delivery.ts';
import { cancelDelivery } from './delivery-changes.ts';
import { findDelivery, listDeliveries } from './delivery-store.ts';
import { viewDelivery } from './delivery-view.ts';
import { readPlace, writePlace } from './delivery-walk.ts';
import { EventTypeName } from './endpoint.ts';
import { redeliver } from './redelivery-changes.ts';
import type { WebhookServices } from './services.ts';

const tag = 'Webhooks';
const DeliveryParams = z.strictObject({ id: Id });

/** The operations on what was sent to webhooks, one delivery at a time. */
export function deliveryRoutes({ database, hasher }: Pick<WebhookServices, 'database' | 'hasher'>): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/webhooks/deliveries',
      operationId: 'listWebhookDeliveries',
      tag,
      summary: 'List deliveries, newest first',
      description:
        'With `status=dead` it is the dead-letter queue. What happened stands in the single delivery alone. Where `eventType` or `reason` fit little, a page may have fewer items than `limit`, or none, although there are more: go on until `nextCursor` is null. Deliveries are forgotten after 30 days.',
      scope: 'webhooks:read',
      query: z.strictObject({
        status: DeliveryStatus.optional(),
        webhookId: Id.optional(),
        eventType: EventTypeName.optional(),
        reason: FailureReason.optional(),
        from: Time.optional().meta({ description: 'Deliveries created at this time or later.' }),
        to: Time.optional().meta({ description: 'Deliveries created before this time.' }),
        cursor: Cursor,
        limit: queryInteger(1, 200, 50),
      }),
      status: 200,
      result: cursorPageOf(DeliveryView),
      errors: ['invalid_cursor'],
      async handle({ query, principal: { tenantId } }) {
        const { cursor, limit, ...filter } = query;
        const { status, webhookId, eventType, reason, from, to } = filter;
        const list = ['webhook deliveries', tenantId, status, webhookId, eventType, reason, from, to];
        const after = cursor === undefined ? null : readPlace(readCursor(list, cursor, 'string'));
        const { rows, next } = await listDeliveries(database.kysely, tenantId, filter, after, limit);
        return {
          items: rows.map(viewDelivery),
          nextCursor: next === null ? null : writeCursor(list, writePlace(next)),
        };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/webhooks/deliveries/{id}',
      operationId: 'getWebhookDelivery',
      tag,
      summary: 'Get a delivery with its event and every attempt',
      description: 'What receivers answered is given as it came: treat it as text of a stranger.',
      scope: 'webhooks:read',
      params: DeliveryParams,
      status: 200,
      result: DeliveryDetail,
      async handle({ params, principal }) {
        const delivery = await findDelivery(database.kysely, principal.tenantId, params.id);
        if (delivery === undefined) throw notFound('delivery');
        return delivery;
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/webhooks/deliveries/{id}/redeliver',
      operationId: 'redeliverWebhookDelivery',
      tag,
      summary: 'Send a delivery again',
      description:
        'Makes a new delivery of the same event, with an id and 24 hours of its own, whether the earlier one was delivered or not; a dead letter becomes `redelivered`. One that still waits (`pending`) is due now instead, as the same delivery with its own 24 hours; what it waits for in an order still goes before it. To a paused webhook it is sent when that is enabled again. Each request makes another delivery: use an Idempotency-Key to repeat one safely.',
      scope: 'webhooks:write',
      params: DeliveryParams,
      status: 201,
      result: DeliveryView,
      errors: ['webhook_delivery_pending', 'webhook_deleted', 'webhook_not_enabled'],
      change: async (call, work) => viewDelivery(await redeliver(work, callSource(call, hasher), call.params.id)),
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/webhooks/deliveries/{id}/cancel',
      operationId: 'cancelWebhookDelivery',
      tag,
      summary: 'Cancel a pending delivery',
      description:
        'Nothing more is sent, and what waited behind it, of a webhook that keeps an order, comes next. An attempt that is under way is not broken off: try again when it has ended.',
      scope: 'webhooks:write',
      params: DeliveryParams,
      status: 200,
      result: DeliveryView,
      errors: ['webhook_delivery_pending'],
      change: async (call, work) => viewDelivery(await cancelDelivery(work, callSource(call, hasher), call.params.id)),
    }),
  ];
}
