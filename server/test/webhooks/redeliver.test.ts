import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeliveryView } from '../../webhooks/deliveries/delivery.ts';
import { assertProblem, describeServerOnEachDatabase, payload } from '../consent/helpers.ts';
import { runningLease } from './sending.ts';
import { assertNothingWritten, storeDelivery } from './stored-deliveries.ts';
import { createClient, type WebhookClient } from './webhook-client.ts';

function redeliver(client: WebhookClient, id: string, headers: Readonly<Record<string, string>> = {}) {
  return client.send('POST', `/deliveries/${id}/redeliver`, undefined, { headers });
}

async function read(client: WebhookClient, id: string): Promise<DeliveryView> {
  return payload(await client.send('GET', `/deliveries/${id}`), 200);
}

async function readAll(client: WebhookClient): Promise<readonly DeliveryView[]> {
  return payload(await client.send('GET', '/deliveries?limit=200'), 200).items;
}

describeServerOnEachDatabase('POST /v1/webhooks/deliveries/{id}/redeliver', (server) => {
  test('creates a new delivery of the same event, and marks a dead letter as redelivered', async () => {
    const client = await createClient(server);
    const { id: webhookId } = await client.created();
    const id = await storeDelivery(server, client.tenant, { webhookId, eventType: 'dsr.created' });
    const before = await read(client, id);
    server.clock.advance(1000);
    const now = server.clock.now();
    const made = payload(await redeliver(client, id));
    const { id: madeId, ...rest } = made;
    assert.notEqual(madeId, id);
    assert.deepEqual(rest, {
      webhookId,
      eventId: before.eventId,
      eventType: 'dsr.created',
      status: 'pending',
      reason: null,
      responseStatus: null,
      attemptCount: 0,
      firstAttemptAt: null,
      nextAttemptAt: now,
      redeliveryOf: id,
      createdAt: now,
      finishedAt: null,
    });
    assert.deepEqual(await read(client, id), { ...before, status: 'redelivered' });
    const { event } = payload(await client.send('GET', `/deliveries/${madeId}`), 200);
    assert.deepEqual(event, payload(await client.send('GET', `/deliveries/${id}`), 200).event);
  });

  test('creates another delivery each time, also concurrently', async () => {
    const client = await createClient(server);
    const { id: webhookId } = await client.created();
    const id = await storeDelivery(server, client.tenant, { webhookId });
    const made = await Promise.all([redeliver(client, id), redeliver(client, id)]);
    made.push(await redeliver(client, id));
    const ids = made.map((response) => payload(response).id);
    assert.equal(new Set([id, ...ids]).size, 4);
    assert.deepEqual((await readAll(client)).map((one) => one.id).sort(), [id, ...ids].sort());
  });

  test('redelivers a delivered one, which stays delivered', async () => {
    const client = await createClient(server);
    const { id: webhookId } = await client.created();
    const id = await storeDelivery(server, client.tenant, { webhookId, status: 'delivered' });
    const before = await read(client, id);
    payload(await redeliver(client, id));
    assert.deepEqual(await read(client, id), before);
  });

  test('returns the delivery of the first request to a repeated one', async () => {
    const client = await createClient(server);
    const { id: webhookId } = await client.created();
    const id = await storeDelivery(server, client.tenant, { webhookId });
    const headers = { 'Idempotency-Key': 'send-it-again' };
    const first = await redeliver(client, id, headers);
    const second = await redeliver(client, id, headers);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(payload(second), payload(first));
    assert.equal((await readAll(client)).length, 2);
  });

  test('signals the sender, except for a paused webhook, for which it waits', async () => {
    const client = await createClient(server);
    const { id: webhookId } = await client.created();
    const id = await storeDelivery(server, client.tenant, { webhookId });
    assert.deepEqual(await client.signalled(async () => payload(await redeliver(client, id))), [webhookId]);
    payload(await client.edit(webhookId, { status: 'paused' }), 200);
    const signalled = await client.signalled(async () =>
      assert.equal(payload(await redeliver(client, id)).status, 'pending'),
    );
    assert.deepEqual(signalled, []);
  });

  test('makes a waiting delivery due: the same delivery, within its 24 hours', async () => {
    const client = await createClient(server);
    const { id: webhookId } = await client.created();
    const id = await storeDelivery(server, client.tenant, { webhookId, status: 'pending' });
    const later = new Date(server.clock.milliseconds() + 6 * 3_600_000).toISOString();
    const { kysely } = server.installation.database;
    await kysely
      .updateTable('webhook_deliveries')
      .set({ due_at: later, attempts: 3, first_attempt_at: server.clock.now() })
      .where('id', '=', id)
      .execute();
    const before = await read(client, id);
    server.clock.advance(1000);
    const now = server.clock.now();
    const signalled = await client.signalled(async () => {
      const { status, nextAttemptAt, attemptCount, id: sameId } = payload(await redeliver(client, id));
      assert.deepEqual([sameId, status, nextAttemptAt, attemptCount], [id, 'pending', now, 3]);
    });
    assert.deepEqual(signalled, [webhookId]);
    assert.deepEqual(await read(client, id), { ...before, nextAttemptAt: now });
    const [event] = payload(await server.request('GET', '/v1/audit?limit=1', { key: client.tenant.key }), 200).items;
    assert.deepEqual([event.action, event.targetId], ['webhook_delivery.expedited', id]);
    // A due delivery keeps its place among the others.
    server.clock.advance(1000);
    assert.equal(payload(await redeliver(client, id)).nextAttemptAt, now);
  });

  test('rejects deliveries in progress, and those that cannot be sent, and changes nothing', async () => {
    const client = await createClient(server);
    const [open, disabled, deleted] = [await client.created(), await client.created(), await client.created()];
    const store = (webhookId: string, status: 'pending' | 'dead' | 'canceled') =>
      storeDelivery(server, client.tenant, { webhookId, status });
    const pending = await store(open.id, 'pending');
    await server.installation.database.kysely
      .updateTable('webhook_deliveries')
      .set({ claimed_until: runningLease() })
      .where('id', '=', pending)
      .execute();
    const dead = await store(open.id, 'dead');
    const ofDisabled = await store(disabled.id, 'dead');
    const ofDeleted = [await store(deleted.id, 'dead'), await store(deleted.id, 'canceled')];
    assert.ok(await client.disable(disabled.id, 'gone'));
    await client.delete(deleted.id);
    await assertNothingWritten(server, async () => {
      assertProblem(await redeliver(client, pending), '409 webhook_delivery_pending');
      const refused = await redeliver(client, ofDisabled);
      assertProblem(refused, '409 webhook_not_enabled');
      assert.match(refused.body.error.message, /enable it first/);
      for (const id of ofDeleted) assertProblem(await redeliver(client, id), '409 webhook_deleted');
      const body = { at: 'once' };
      const path = `/deliveries/${dead}/redeliver`;
      assertProblem(await client.send('POST', path, body), '422 validation_failed', ['body']);
    });
    payload(await client.edit(disabled.id, { status: 'enabled' }), 200);
    payload(await redeliver(client, ofDisabled));
  });

  test('records in the audit log which delivery was created from which', async () => {
    const client = await createClient(server);
    const { id: webhookId } = await client.created();
    const id = await storeDelivery(server, client.tenant, { webhookId });
    const made = payload(await redeliver(client, id));
    const options = { key: client.tenant.key };
    const [event] = payload(await server.request('GET', '/v1/audit?limit=1', options), 200).items;
    const { action, module, targetId, diff } = payload(
      await server.request('GET', `/v1/audit/${event.id}`, options),
      200,
    );
    assert.deepEqual([action, module, targetId], ['webhook_delivery.redelivered', 'webhooks', id]);
    assert.deepEqual(diff, { webhookId, eventType: 'consent.recorded', redeliveryId: made.id });
  });
});
