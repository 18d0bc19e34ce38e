import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeServer, payload } from '../consent/helpers.ts';
import type { TestServer, TestTenant } from '../harness.ts';
import { eventsOf, happen, readEvent } from './numbered-events.ts';
import {
  allowPrivate,
  createSubscriber,
  createTestSender,
  openScene,
  readDeliveries,
  startScriptedReceiver,
  type TestEndpoint,
} from './sending.ts';

const hour = 60 * 60_000;

async function edit(server: TestServer, { key }: TestTenant, { id }: TestEndpoint, ...bodies: readonly object[]) {
  for (const body of bodies) payload(await server.request('PATCH', `/v1/webhooks/${id}`, { key, body }), 200);
}

describeServer(
  'a receiver that works again',
  (server) => {
    /** Five events of which the first has failed for seven hours, so that the next attempt is hours away. */
    const failForHours = async (url: string, sending: { deliver(): Promise<void> }) => {
      const { tenant, endpoint } = await createSubscriber(server, url);
      await happen(server, tenant, eventsOf('a', 5));
      for (let passed = 0; passed < 7 * hour; passed += 5 * 60_000) {
        await sending.deliver();
        server.clock.advance(5 * 60_000);
      }
      return { tenant, endpoint };
    };

    test('gets what waits as soon as its webhook is paused and enabled', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      receiver.reply = { status: 500 };
      const { tenant, endpoint } = await failForHours(receiver.url, sending);
      receiver.reply = { status: 204 };
      const before = receiver.received.length;
      await sending.deliver();
      assert.equal(receiver.received.length, before);
      await edit(server, tenant, endpoint, { status: 'paused' }, { status: 'enabled' });
      await sending.deliver();
      const numbers = receiver.received.slice(before).map((delivery) => readEvent(delivery).number);
      assert.deepEqual(numbers.toSorted(), [1, 2, 3, 4, 5]);
    });

    test('gets what many redeliveries queued at the times at which it was queued', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server);
      await happen(server, tenant, eventsOf('a', 1));
      const { kysely } = server.installation.database;
      const due_at = new Date(server.clock.milliseconds() + hour).toISOString();
      const queued = { due_at, redelivery_of: 'another' };
      await kysely.updateTable('webhook_deliveries').set(queued).where('endpoint_id', '=', endpoint.id).execute();
      await edit(server, tenant, endpoint, { status: 'paused' }, { status: 'enabled' });
      await sending.deliver();
      assert.equal(receiver.received.length, 0);
      assert.equal((await readDeliveries(server, tenant))[0]?.due_at, due_at);
    });
  },
  allowPrivate,
);
