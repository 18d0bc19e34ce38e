import { z } from 'zod';
import { requireFound } from '../../http/problem.ts';
import { defineRoute, listRoute, type Route } from '../../http/route.ts';
import { cursorPageOf, Id } from '../../http/schemas.ts';
import type { Installation } from '../../installation/installation.ts';
import { mapPage, takeNewest } from '../../storage/rows.ts';
import { DeliveryView, viewDelivery } from '../deliveries/delivery.ts';
import { createEndpoint, deleteEndpoint, editEndpoint, mostEndpoints, rotateSecret, sendTest } from './changes.ts';
import { EndpointChange, EndpointInput, EndpointStatus, EndpointView, EndpointWithSecret } from './endpoint.ts';
import { findEndpoint, selectEndpoints, viewEndpoint } from './store.ts';

const reads = { tag: 'Webhooks', scope: 'webhooks:read' } as const;
const writes = { tag: 'Webhooks', scope: 'webhooks:write' } as const;
const params = z.strictObject({ id: Id });
const readsOne = { ...reads, params };
const changesOne = { ...writes, params };

const Rotation = z
  .strictObject({
    overlapHours: z
      .int()
      .min(0)
      .max(168)
      .default(24)
      .meta({ description: 'How long the old secret signs along; 0 ends it, and all before it, at once.' }),
  })
  .meta({ id: 'WebhookSecretRotation' })
  .prefault({});

/** The operations on webhook endpoints. */
export function webhookRoutes({
  database,
  box,
  settings,
}: Pick<Installation, 'database' | 'box' | 'settings'>): readonly Route[] {
  const rules = { box, policy: settings.webhooks };
  return [
    defineRoute('POST /v1/webhooks', {
      operationId: 'createWebhook',
      ...writes,
      summary: 'Create a webhook; its secret is shown once',
      description: `At most ${mostEndpoints} for a tenant, each with an address of its own.`,
      body: EndpointInput,
      status: 201,
      result: EndpointWithSecret,
      showsSecret: true,
      change: (call, work) => createEndpoint(work, call.source(), rules, call.body),
    }),
    listRoute('/v1/webhooks', {
      operationId: 'listWebhooks',
      ...reads,
      summary: 'List webhooks, newest first',
      filters: { status: EndpointStatus.optional() },
      limit: { most: 100, usual: 25 },
      result: cursorPageOf(EndpointView),
      place: 'string',
      async find({ query: { status }, principal: { tenantId }, now }, { after, limit }) {
        let found = selectEndpoints(database.kysely).where('tenant_id', '=', tenantId);
        if (status !== undefined) found = found.where('status', '=', status);
        return mapPage(await takeNewest(found, after, limit), (endpoint) => viewEndpoint(endpoint, now));
      },
    }),
    defineRoute('GET /v1/webhooks/{id}', {
      operationId: 'getWebhook',
      ...readsOne,
      summary: 'Get a webhook',
      result: EndpointView,
      async handle({ params, principal, now }) {
        const endpoint = await findEndpoint(database.kysely, principal.tenantId, params.id);
        return viewEndpoint(requireFound(endpoint, 'webhook'), now);
      },
    }),
    defineRoute('PATCH /v1/webhooks/{id}', {
      operationId: 'editWebhook',
      ...changesOne,
      summary: 'Edit, pause or enable a webhook',
      description:
        'What is left out stays as it is. While it is paused, what happens waits, and is sent as soon as it is enabled. With another address, or in use again, its failures so far count no more. What became a dead letter while it was disabled stays one until it is sent again.',
      body: EndpointChange,
      result: EndpointView,
      change: (call, work) => editEndpoint(work, call.source(), rules, call.params.id, call.body),
    }),
    defineRoute('DELETE /v1/webhooks/{id}', {
      operationId: 'deleteWebhook',
      ...changesOne,
      summary: 'Delete a webhook',
      description: 'What still waits for it is canceled. What was sent stays in the list of deliveries.',
      result: z.null(),
      async change(call, work) {
        await deleteEndpoint(work, call.source(), call.params.id);
        return null;
      },
    }),
    defineRoute('POST /v1/webhooks/{id}/rotate-secret', {
      operationId: 'rotateWebhookSecret',
      ...changesOne,
      summary: 'Give a webhook a new secret; it is shown once',
      description:
        'During the overlap each delivery has one more signature, by the old secret. Those of earlier rotations sign along to their own end, at most ten in all: of more, the oldest ends.',
      body: Rotation,
      result: EndpointWithSecret,
      showsSecret: true,
      change: (call, work) => rotateSecret(work, call.source(), rules, call.params.id, call.body.overlapHours),
    }),
    defineRoute('POST /v1/webhooks/{id}/test', {
      operationId: 'testWebhook',
      ...changesOne,
      summary: 'Send a test event to a webhook',
      description:
        'It gets a `webhook.test` event, whatever types of events it gets otherwise, and no other webhook does. The answer is the delivery, which is made right afterwards: look at it again to see how it went.',
      status: 201,
      result: DeliveryView,
      errors: ['webhook_not_enabled'],
      change: async (call, work) => viewDelivery(await sendTest(work, call.source(), call.params.id)),
    }),
  ];
}
