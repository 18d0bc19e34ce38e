import { z } from 'zod';
import { callSource } from '../audit/source.ts';
import { readCursor, writeCursor } from '../http/cursor.ts';
import { notFound } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { Cursor, cursorPageOf, Id, queryInteger } from '../http/schemas.ts';
import { RedeliveryInput, RedeliveryView } from './redelivery.ts';
import { cancelRedelivery, countRedelivery, orderRedelivery } from './redelivery-changes.ts';
import { findRedelivery, listRedeliveries } from './redelivery-store.ts';
import type { WebhookServices } from './services.ts';

const tag = 'Webhooks';
const RedeliveryParams = z.strictObject({ id: Id });

/** The operations that send many deliveries again. */
export function redeliveryRoutes({ database, hasher }: Pick<WebhookServices, 'database' | 'hasher'>): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/webhooks/redeliver',
      operationId: 'redeliverWebhookDeliveries',
      tag,
      summary: 'Send many deliveries again',
      description:
        'All dead letters of a webhook (`webhookId`), those of a span of time (`from`, `to`), or both; with `status=delivered` what was delivered instead. It is carried out in the background: the order tells how far it is. Each delivery is made anew, with an id and 24 hours of its own. Webhooks that are disabled are passed over. A tenant has one order at a time.',
      scope: 'webhooks:write',
      body: RedeliveryInput,
      status: 201,
      result: RedeliveryView,
      errors: ['not_found', 'webhook_deleted', 'webhook_not_enabled', 'webhook_redelivery_running'],
      change: async (call, work) => orderRedelivery(work, callSource(call, hasher), call.body),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/webhooks/redeliver',
      operationId: 'countWebhookRedelivery',
      tag,
      summary: 'Count what an order would send again',
      description: 'Takes the fields of an order and does nothing.',
      scope: 'webhooks:read',
      query: RedeliveryInput,
      status: 200,
      result: z.strictObject({ count: z.int().min(0) }).meta({ id: 'WebhookRedeliveryCount' }),
      errors: ['not_found', 'webhook_deleted', 'webhook_not_enabled'],
      async handle({ query, principal, now }) {
        return { count: await countRedelivery(database.kysely, now, principal.tenantId, query) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/webhooks/redeliveries',
      operationId: 'listWebhookRedeliveries',
      tag,
      summary: 'List orders to send deliveries again, newest first',
      scope: 'webhooks:read',
      query: z.strictObject({ cursor: Cursor, limit: queryInteger(1, 100, 25) }),
      status: 200,
      result: cursorPageOf(RedeliveryView),
      errors: ['invalid_cursor'],
      async handle({ query: { cursor, limit }, principal: { tenantId } }) {
        const list = ['webhook redeliveries', tenantId];
        const before = cursor === undefined ? null : readCursor(list, cursor, 'string');
        const { items, next } = await listRedeliveries(database.kysely, tenantId, before, limit);
        return { items, nextCursor: next === null ? null : writeCursor(list, next) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/webhooks/redeliveries/{id}',
      operationId: 'getWebhookRedelivery',
      tag,
      summary: 'Get an order to send deliveries again',
      scope: 'webhooks:read',
      params: RedeliveryParams,
      status: 200,
      result: RedeliveryView,
      async handle({ params, principal }) {
        const redelivery = await findRedelivery(database.kysely, principal.tenantId, params.id);
        if (redelivery === undefined) throw notFound('redelivery');
        return redelivery;
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/webhooks/redeliveries/{id}',
      operationId: 'cancelWebhookRedelivery',
      tag,
      summary: 'Cancel an order to send deliveries again',
      description: 'What it has queued is sent all the same. One that has ended stays as it is.',
      scope: 'webhooks:write',
      params: RedeliveryParams,
      status: 200,
      result: RedeliveryView,
      change: async (call, work) => cancelRedelivery(work, callSource(call, hasher), call.params.id),
    }),
  ];
}
