import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, describeServer, payload } from '../consent/helpers.ts';
import { eventsOf, happen } from './numbered-events.ts';
import { allowPrivate, openScene, readDeliveries, runningLease } from './sending.ts';
import { assertNothingWritten, storeDelivery } from './stored-deliveries.ts';
import { createClient, type WebhookClient } from './webhook-client.ts';

function cancel(client: WebhookClient, id: string) {
  return client.send('POST', `/deliveries/${id}/cancel`);
}

describeServer(
  'POST /v1/webhooks/deliveries/{id}/cancel',
  (server) => {
    test('cancels a pending delivery: nothing more is sent', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server);
      receiver.reply = { status: 500 };
      await happen(server, tenant, eventsOf('a', 1));
      await sending.deliver();
      const [row] = await readDeliveries(server, tenant);
      const path = `/v1/webhooks/deliveries/${row?.id}`;
      const before = payload(await server.request('GET', path, { key: tenant.key }), 200);
      server.clock.advance(1000);
      const canceled = payload(await server.request('POST', `${path}/cancel`, { key: tenant.key }), 200);
      const { event: _, attempts: __, ...shown } = before;
      const finishedAt = server.clock.now();
      assert.deepEqual(canceled, { ...shown, status: 'canceled', nextAttemptAt: null, finishedAt });
      server.clock.advance(86_400_000);
      await sending.deliver();
      assert.equal(receiver.received.length, 1);
    });

    test('is recorded in the audit log', async () => {
      const client = await createClient(server);
      const { id: webhookId } = await client.created();
      const id = await storeDelivery(server, client.tenant, { webhookId, status: 'pending' });
      payload(await cancel(client, id), 200);
      const options = { key: client.tenant.key };
      const [{ id: eventId }] = payload(await server.request('GET', '/v1/audit?limit=1', options), 200).items;
      const event = payload(await server.request('GET', `/v1/audit/${eventId}`, options), 200);
      assert.deepEqual([event.action, event.module, event.targetId], ['webhook_delivery.canceled', 'webhooks', id]);
      assert.deepEqual(event.diff, { webhookId, eventType: 'consent.recorded' });
    });

    test('rejects deliveries that are being sent or have ended, and changes nothing', async () => {
      const client = await createClient(server);
      const { id: webhookId } = await client.created();
      const underWay = await storeDelivery(server, client.tenant, { webhookId, status: 'pending' });
      const waiting = await storeDelivery(server, client.tenant, { webhookId, status: 'pending' });
      await server.installation.database.kysely
        .updateTable('webhook_deliveries')
        .set({ claimed_until: runningLease() })
        .where('id', '=', underWay)
        .execute();
      const ended = ['delivered', 'dead', 'redelivered', 'canceled'] as const;
      const ids: string[] = [];
      for (const status of ended) ids.push(await storeDelivery(server, client.tenant, { webhookId, status }));
      await assertNothingWritten(server, async () => {
        assertProblem(await cancel(client, underWay), '409 webhook_delivery_pending');
        for (const id of ids) assertProblem(await cancel(client, id), '409 conflict');
        const body = { at: 'once' };
        assertProblem(await client.send('POST', `/deliveries/${waiting}/cancel`, body), '422 validation_failed', [
          'body',
        ]);
      });
    });
  },
  allowPrivate,
);
