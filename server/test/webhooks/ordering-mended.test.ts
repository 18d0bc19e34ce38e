import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runUnitOfWork } from '../../storage/unit-of-work.ts';
import { claimInOrder } from '../../webhooks/sender/order-store.ts';
import { describeServer, payload } from '../consent/helpers.ts';
import type { TestServer, TestTenant } from '../harness.ts';
import { eventsOf, happen, numbersOf, readEvent } from './ordered-sending.ts';
import {
  allowPrivate,
  createSubscriber,
  createTestSender,
  readDeliveries,
  startScriptedReceiver,
  type TestEndpoint,
} from './sending.ts';

const hour = 60 * 60_000;

async function edit(server: TestServer, { key }: TestTenant, { id }: TestEndpoint, ...bodies: readonly object[]) {
  for (const body of bodies) payload(await server.request('PATCH', `/v1/webhooks/${id}`, { key, body }), 200);
}

describeServer(
  'a receiver that was mended',
  (server) => {
    /** Five events of which the first has failed for seven hours, so that the next attempt is hours away. */
    const failForHours = async (url: string, more: object, sending: { deliver(): Promise<void> }) => {
      const { tenant, endpoint } = await createSubscriber(server, url, more);
      await happen(server, tenant, eventsOf('a', 5));
      for (let passed = 0; passed < 7 * hour; passed += 5 * 60_000) {
        await sending.deliver();
        server.clock.advance(5 * 60_000);
      }
      return { tenant, endpoint };
    };

    for (const ordering of ['none', 'all', 'subject']) {
      test(`gets what waits (${ordering}) as soon as its webhook is paused and enabled`, async () => {
        await using receiver = await startScriptedReceiver();
        await using sending = createTestSender(server);
        receiver.reply = { status: 500 };
        const { tenant, endpoint } = await failForHours(receiver.url, { ordering }, sending);
        receiver.reply = { status: 204 };
        const before = receiver.received.length;
        await sending.deliver();
        assert.equal(receiver.received.length, before);
        await edit(server, tenant, endpoint, { status: 'paused' }, { status: 'enabled' });
        await sending.deliver();
        const numbers = numbersOf(receiver.received.slice(before).map(readEvent)).a as readonly number[];
        assert.deepEqual(ordering === 'none' ? numbers.toSorted() : numbers, [1, 2, 3, 4, 5]);
      });
    }

    test('gets what waits as soon as the first of an order is sent again', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      receiver.reply = { status: 500 };
      const { tenant } = await failForHours(receiver.url, { ordering: 'all' }, sending);
      receiver.reply = { status: 204 };
      const before = receiver.received.length;
      const [first] = await readDeliveries(server, tenant);
      const path = `/v1/webhooks/deliveries/${first?.id}/redeliver`;
      assert.equal(payload(await server.request('POST', path, { key: tenant.key })).id, first?.id);
      await sending.deliver();
      assert.deepEqual(numbersOf(receiver.received.slice(before).map(readEvent)).a, [1, 2, 3, 4, 5]);
    });

    test('gets what many redeliveries queued at the times at which it was queued', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const { tenant, endpoint } = await createSubscriber(server, receiver.url);
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

    // A claim that read the endpoint before an edit, and goes on after it.
    test('has nothing put off by an order that it no longer keeps', async () => {
      await using receiver = await startScriptedReceiver();
      const { tenant, endpoint } = await createSubscriber(server, receiver.url, { ordering: 'all' });
      await happen(server, tenant, eventsOf('a', 3));
      const { database } = server.installation;
      if (database.dialect === 'sqlite') return;
      const now = server.clock.now();
      const claim = { endpointId: endpoint.id, sender: 'a process', now, limit: 8 };
      const claimed = await runUnitOfWork(database, now, async ({ transaction }) => {
        await edit(server, tenant, endpoint, { ordering: 'none' });
        return claimInOrder(transaction, claim);
      });
      assert.deepEqual(claimed, { deliveries: [], hasMore: true });
      assert.ok((await readDeliveries(server, tenant)).every(({ due_at }) => due_at === now));
    });

    test('has what a claim put off while it was edited made due by the edit', async () => {
      await using receiver = await startScriptedReceiver();
      const { tenant, endpoint } = await createSubscriber(server, receiver.url, { ordering: 'all' });
      await happen(server, tenant, eventsOf('a', 3));
      const { database } = server.installation;
      if (database.dialect === 'sqlite') return;
      const now = server.clock.now();
      const claim = { endpointId: endpoint.id, sender: 'a process', now, limit: 8 };
      let editing = Promise.resolve();
      await runUnitOfWork(database, now, async ({ transaction }) => {
        await claimInOrder(transaction, claim);
        editing = edit(server, tenant, endpoint, { ordering: 'none' });
        // It waits for this transaction: nothing of it is seen however often one looks.
        for (let look = 0; look < 20; look += 1) {
          const path = `/v1/webhooks/${endpoint.id}`;
          const view = payload(await server.request('GET', path, { key: tenant.key }), 200);
          assert.equal(view.ordering, 'all');
        }
      });
      await editing;
      const later = (await readDeliveries(server, tenant)).filter(({ due_at }) => due_at !== now);
      assert.deepEqual(later, []);
    });
  },
  allowPrivate,
);
