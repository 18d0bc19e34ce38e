import { z } from 'zod';
import { requireFound } from '../http/problem.ts';
import { defineRoute, listRoute, type Route } from '../http/route.ts';
import { cursorPageOf, Id, listOf, namedObject, queryInteger, Time } from '../http/schemas.ts';
import type { Installation } from '../installation/installation.ts';
import { addTime, dayMilliseconds } from '../storage/database.ts';
import { mapPage, takeNewest } from '../storage/rows.ts';
import { cancelDelivery, redeliver } from './deliveries/changes.ts';
import {
  DeliveryDetail,
  DeliveryStatus,
  DeliveryView,
  FailureReason,
  RedeliveryInput,
  RedeliveryView,
  viewDelivery,
} from './deliveries/delivery.ts';
import { EventTypeName } from './deliveries/event.ts';
import {
  cancelRedelivery,
  findRedelivery,
  listRedeliveries,
  orderRedeliveries,
  prepareOrder,
  prepareRedelivery,
  viewRedelivery,
} from './deliveries/redelivery.ts';
import { listPeriods, WebhookPeriod } from './deliveries/statistics-store.ts';
import { findDelivery, walkDeliveries } from './deliveries/store.ts';
import {
  createEndpoint,
  deleteEndpoint,
  editEndpoint,
  mostEndpoints,
  rotateSecret,
  sendTest,
} from './endpoints/changes.ts';
import {
  EndpointChange,
  EndpointInput,
  EndpointStatus,
  EndpointView,
  EndpointWithSecret,
} from './endpoints/endpoint.ts';
import { findEndpoint, selectEndpoints, viewEndpoint } from './endpoints/store.ts';

const reads = { tag: 'Webhooks', scope: 'webhooks:read' } as const;
const writes = { tag: 'Webhooks', scope: 'webhooks:write' } as const;
const params = z.strictObject({ id: Id });
const readsOne = { ...reads, params };
const changesOne = { ...writes, params };

const Rotation = namedObject('WebhookSecretRotation', {
  overlapHours: z
    .int()
    .min(0)
    .max(168)
    .default(24)
    .meta({ description: 'How long the old secret signs along; 0 ends it, and all before it, at once.' }),
}).prefault({});

/** The operations on webhooks, on what was sent to them, and on orders to send it again. */
export function webhookRoutes(installation: Installation): readonly Route[] {
  const { database, box, settings } = installation;
  const rules = { box, policy: settings.webhooks };
  return [
    defineRoute('POST /v1/webhooks', {
      operationId: 'createWebhook',
      sdkMethod: 'webhooks.create',
      ...writes,
      summary: 'Create a webhook; its secret is shown once',
      description: `At most ${mostEndpoints} for a tenant, each with a different address.`,
      body: EndpointInput,
      status: 201,
      result: EndpointWithSecret,
      showsSecret: true,
      write: (call, tx) => createEndpoint(tx, call.source(), rules, call.body),
    }),
    listRoute('/v1/webhooks', {
      operationId: 'listWebhooks',
      reads: 'replica',
      sdkMethod: 'webhooks.list',
      ...reads,
      summary: 'List webhooks, newest first',
      filters: { status: EndpointStatus.optional() },
      limit: { most: 100, usual: 25 },
      result: cursorPageOf(EndpointView),
      place: 'string',
      async find({ query: { status }, queries, principal: { tenantId }, now }, { after, limit }) {
        let found = selectEndpoints(queries, tenantId);
        if (status !== undefined) found = found.where('status', '=', status);
        return mapPage(await takeNewest(found, after, limit), (endpoint) => viewEndpoint(endpoint, now));
      },
    }),
    defineRoute('GET /v1/webhooks/{id}', {
      operationId: 'getWebhook',
      sdkMethod: 'webhooks.retrieve',
      ...readsOne,
      summary: 'Get a webhook',
      result: EndpointView,
      async handle({ params, principal, now }) {
        const endpoint = await findEndpoint(database.kysely, principal.tenantId, params.id);
        return viewEndpoint(requireFound(endpoint, 'webhook'), now);
      },
    }),
    defineRoute('GET /v1/webhooks/{id}/statistics', {
      operationId: 'getWebhookStatistics',
      reads: 'replica',
      sdkMethod: 'webhooks.statistics',
      ...readsOne,
      summary: 'Count the deliveries to a webhook by day or hour, newest first',
      description:
        'In UTC, up to now. A day or an hour in which nothing was sent is absent. A failed attempt that makes a dead letter counts as both.',
      query: z.strictObject({
        per: z.enum(['day', 'hour']).default('day').meta({ id: 'WebhookPeriodLength' }),
        days: queryInteger(1, 30, 30),
      }),
      result: listOf(WebhookPeriod),
      async handle({ params: { id }, query: { per, days }, queries, principal, now }) {
        requireFound(await findEndpoint(queries, principal.tenantId, id), 'webhook');
        const first = addTime(now, -(days - 1) * dayMilliseconds).slice(0, 'YYYY-MM-DD'.length);
        return { items: await listPeriods(queries, principal.tenantId, id, per, first), nextCursor: null };
      },
    }),
    defineRoute('PATCH /v1/webhooks/{id}', {
      operationId: 'editWebhook',
      sdkMethod: 'webhooks.update',
      ...changesOne,
      summary: 'Edit, pause or enable a webhook',
      description:
        'What is left out stays as it is. While it is paused, what happens waits, and is sent as soon as it is enabled. With another address, or in use again, its failures so far count no more. What became a dead letter while it was disabled stays one until it is sent again.',
      body: EndpointChange,
      result: EndpointView,
      write: (call, tx) => editEndpoint(tx, call.source(), rules, call.params.id, call.body),
    }),
    defineRoute('DELETE /v1/webhooks/{id}', {
      operationId: 'deleteWebhook',
      sdkMethod: 'webhooks.delete',
      ...changesOne,
      summary: 'Delete a webhook',
      description: 'What still waits for it is canceled. What was sent stays in the list of deliveries.',
      result: z.null(),
      async write(call, tx) {
        await deleteEndpoint(tx, call.source(), call.params.id);
        return null;
      },
    }),
    defineRoute('POST /v1/webhooks/{id}/rotate-secret', {
      operationId: 'rotateWebhookSecret',
      sdkMethod: 'webhooks.rotateSecret',
      ...changesOne,
      summary: 'Give a webhook a new secret; it is shown once',
      description:
        'During the overlap each delivery has one more signature, by the old secret. Those of earlier rotations sign along to their own end, at most ten in all: of more, the oldest ends.',
      body: Rotation,
      result: EndpointWithSecret,
      showsSecret: true,
      write: (call, tx) => rotateSecret(tx, call.source(), rules, call.params.id, call.body.overlapHours),
    }),
    defineRoute('POST /v1/webhooks/{id}/test', {
      operationId: 'testWebhook',
      sdkMethod: 'webhooks.test',
      ...changesOne,
      summary: 'Send a test event to a webhook',
      description:
        'It gets a `webhook.test` event, whatever types of events it gets otherwise, and no other webhook does. The answer is the delivery, which is made right afterwards: look at it again to see how it went.',
      status: 201,
      result: DeliveryView,
      errors: ['webhook_not_enabled'],
      write: async (call, tx) => viewDelivery(await sendTest(tx, call.source(), call.params.id)),
    }),
    listRoute('/v1/webhooks/deliveries', {
      operationId: 'listWebhookDeliveries',
      reads: 'replica',
      sdkMethod: 'webhooks.deliveries.list',
      ...reads,
      summary: 'List deliveries, newest first',
      description:
        'With `status=dead` it is the dead-letter queue. The event is only in the single delivery. Where `eventType` or `reason` fit little, a page may have fewer items than `limit`, or none, although there are more: go on until `nextCursor` is null. Deliveries are forgotten after 30 days, or the `webhookDays` of the tenant.',
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
      async find({ query: filter, queries, principal: { tenantId } }, { after, limit }) {
        const walk = { tenantId, filter, order: 'newest first', after } as const;
        return mapPage(await walkDeliveries(queries, walk, limit), viewDelivery);
      },
    }),
    defineRoute('GET /v1/webhooks/deliveries/{id}', {
      operationId: 'getWebhookDelivery',
      sdkMethod: 'webhooks.deliveries.retrieve',
      ...readsOne,
      summary: 'Get a delivery with its event and every attempt',
      description: 'What receivers answered is given as it came: treat it as text of a stranger.',
      result: DeliveryDetail,
      handle: ({ params, principal }) => findDelivery(database.kysely, principal.tenantId, params.id),
    }),
    defineRoute('POST /v1/webhooks/deliveries/{id}/redeliver', {
      operationId: 'redeliverWebhookDelivery',
      sdkMethod: 'webhooks.deliveries.redeliver',
      ...changesOne,
      summary: 'Send a delivery again',
      description:
        'Makes a new delivery of the same event, with a new id and another 24 hours, whether the earlier one was delivered or not; a dead letter becomes `redelivered`. One that still waits (`pending`) is due now instead, as the same delivery with its own 24 hours. To a paused webhook it is sent when that is enabled again. Each request makes another delivery: use an Idempotency-Key to repeat one safely.',
      status: 201,
      result: DeliveryView,
      errors: ['webhook_delivery_pending', 'webhook_deleted', 'webhook_not_enabled'],
      write: async (call, tx) => viewDelivery(await redeliver(tx, call.source(), call.params.id)),
    }),
    defineRoute('POST /v1/webhooks/deliveries/{id}/cancel', {
      operationId: 'cancelWebhookDelivery',
      sdkMethod: 'webhooks.deliveries.cancel',
      ...changesOne,
      summary: 'Cancel a pending delivery',
      description:
        'Nothing more is sent. An attempt that is under way is not aborted: try again when it has ended. Answers 409 `conflict` for a delivery that has ended.',
      result: DeliveryView,
      errors: ['webhook_delivery_pending'],
      write: async (call, tx) => viewDelivery(await cancelDelivery(tx, call.source(), call.params.id)),
    }),
    defineRoute('POST /v1/webhooks/redeliver', {
      operationId: 'redeliverWebhookDeliveries',
      sdkMethod: 'webhooks.redeliveries.create',
      ...writes,
      summary: 'Send many deliveries again',
      description:
        'All dead letters of a webhook (`webhookId`), those of a span of time (`from`, `to`), or both; with `status=delivered` what was delivered instead. The order runs in the background and reports its progress. Each redelivery is a new delivery with its own id and 24 hours. Disabled webhooks are skipped. A tenant has one order at a time.',
      body: RedeliveryInput,
      status: 201,
      result: RedeliveryView,
      errors: ['webhook_deleted', 'webhook_not_enabled', 'webhook_redelivery_running'],
      prepare: (call) => prepareRedelivery(database.kysely, call.now, call.source(), call.body),
      writeMany: (orders, tx) => orderRedeliveries(tx, orders),
    }),
    defineRoute('GET /v1/webhooks/redeliver', {
      operationId: 'countWebhookRedelivery',
      sdkMethod: 'webhooks.redeliveries.count',
      ...reads,
      summary: 'Count what an order would send again',
      description: 'Takes the fields of an order and does nothing.',
      query: RedeliveryInput,
      result: namedObject('WebhookRedeliveryCount', { count: z.int().min(0) }),
      errors: ['webhook_deleted', 'webhook_not_enabled'],
      async handle({ query, principal, now }) {
        return { count: (await prepareOrder(database.kysely, now, principal.tenantId, query)).total };
      },
    }),
    listRoute('/v1/webhooks/redeliveries', {
      operationId: 'listWebhookRedeliveries',
      reads: 'replica',
      sdkMethod: 'webhooks.redeliveries.list',
      ...reads,
      summary: 'List orders to send deliveries again, newest first',
      limit: { most: 100, usual: 25 },
      result: cursorPageOf(RedeliveryView),
      place: 'string',
      async find({ queries, principal: { tenantId } }, { after, limit }) {
        return mapPage(await listRedeliveries(queries, tenantId, after, limit), viewRedelivery);
      },
    }),
    defineRoute('GET /v1/webhooks/redeliveries/{id}', {
      operationId: 'getWebhookRedelivery',
      sdkMethod: 'webhooks.redeliveries.retrieve',
      ...readsOne,
      summary: 'Get an order to send deliveries again',
      result: RedeliveryView,
      handle: ({ params, principal }) => findRedelivery(database.kysely, principal.tenantId, params.id),
    }),
    defineRoute('DELETE /v1/webhooks/redeliveries/{id}', {
      operationId: 'cancelWebhookRedelivery',
      sdkMethod: 'webhooks.redeliveries.cancel',
      ...changesOne,
      summary: 'Cancel an order to send deliveries again',
      description: 'What it has queued is sent all the same. One that has ended stays as it is.',
      result: RedeliveryView,
      write: async (call, tx) => cancelRedelivery(tx, call.source(), call.params.id),
    }),
  ];
}
