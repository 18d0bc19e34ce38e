import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeServerOnEachDatabase, payload } from '../consent/helpers.ts';
import { eventsOf, happen } from './numbered-events.ts';
import {
  allowPrivate,
  createEndpoint,
  createSubscriber,
  createTestSender,
  openScene,
  readDeliveries,
  startScriptedReceiver,
} from './sending.ts';

describeServerOnEachDatabase(
  'an endpoint with a limit of attempts a second',
  (server) => {
    test('gets them evenly, and no more', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server, { rateLimit: 10 });
      await happen(server, tenant, eventsOf('a', 25));
      const counts: number[] = [];
      for (let time = 0; time < 2500; time += 100) {
        await sending.deliver();
        counts.push(receiver.received.length);
        server.clock.advance(100);
      }
      assert.deepEqual(
        counts,
        Array.from({ length: 25 }, (_, index) => index + 1),
      );
    });

    test('has attempts that failed counted as well', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server, {
        rateLimit: 2,
        retrySchedule: [1, 2, 3],
      });
      receiver.reply = { status: 500 };
      await happen(server, tenant, eventsOf('a', 10));
      for (let time = 0; time < 4000; time += 250) {
        await sending.deliver();
        assert.ok(receiver.received.length <= 1 + time / 500);
        server.clock.advance(250);
      }
      assert.equal(receiver.received.length, 8);
    });

    test('goes on within a second after the clock of a server was ahead', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server, { rateLimit: 1 });
      await happen(server, tenant, eventsOf('a', 3));
      await sending.deliver();
      const ahead = server.clock.milliseconds() + 3_600_000;
      await server.installation.database.kysely
        .updateTable('webhook_rates')
        .set({ empty_at: ahead * 1000 })
        .execute();
      for (let time = 0; time < 3000; time += 500) {
        server.clock.advance(500);
        await sending.deliver();
      }
      assert.equal(receiver.received.length, 3);
    });

    test('has its limit shared by the servers that send', async () => {
      await using receiver = await startScriptedReceiver();
      await using one = createTestSender(server);
      await using other = createTestSender(server);
      const { tenant } = await createSubscriber(server, receiver.url, { rateLimit: 10 });
      await happen(server, tenant, eventsOf('a', 100));
      for (let time = 0; time <= 2000; time += 100) {
        await Promise.all([one.deliver(), other.deliver()]);
        assert.ok(receiver.received.length <= 1 + time / 100, `${receiver.received.length} after ${time} ms`);
        server.clock.advance(100);
      }
      assert.ok(receiver.received.length >= 20);
      for (const { sender } of [one, other]) await sender.stop(0);
    });

    test('may have a limit below the number of servers: they take their turns', async () => {
      await using receiver = await startScriptedReceiver();
      const senders = Array.from({ length: 3 }, () => createTestSender(server));
      const { tenant } = await createSubscriber(server, receiver.url, { rateLimit: 1 });
      await happen(server, tenant, eventsOf('a', 100));
      for (let time = 0; time <= 12_000; time += 500) {
        for (const { deliver } of senders) await deliver();
        assert.ok(receiver.received.length <= 1 + time / 1000);
        server.clock.advance(500);
      }
      assert.ok(receiver.received.length >= 12);
      for (const { sender } of senders) await sender.stop(0);
    });

    test('holds up no other endpoint while it waits, and takes no place', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server, { path: 'slow', rateLimit: 1 });
      await createEndpoint(server, tenant, `${receiver.url}quick`);
      await happen(server, tenant, eventsOf('a', 40));
      await sending.deliver();
      const paths = Map.groupBy(receiver.received, ({ path }) => path);
      assert.deepEqual([paths.get('/slow')?.length, paths.get('/quick')?.length], [1, 40]);
      assert.deepEqual([sending.sender.inFlight, sending.sender.hasWork], [0, false]);
      const claimed = (await readDeliveries(server, tenant)).filter(({ claimed_until }) => claimed_until !== null);
      assert.deepEqual(claimed, []);
    });

    test('wakes the sender when the next attempt may begin', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server, { rateLimit: 1000 });
      await happen(server, tenant, eventsOf('a', 150));
      await sending.deliver();
      assert.equal(receiver.received.length, 1);
      const { sender } = sending;
      // The end of the last attempts has woken it already.
      await sender.waitForWork();
      assert.equal(sender.hasWork, false);
      await sender.waitForWork();
      server.clock.advance(50);
      await sender.tick();
      await sender.drain();
      // As many as may be under way at once in the beginning.
      assert.equal(receiver.received.length, 10);
    });

    test('does not start afresh between two events that lie close together', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server, { rateLimit: 1 });
      for (let number = 1; number <= 3; number += 1) {
        await happen(server, tenant, [{ subject: 'a', number }]);
        await sending.deliver();
      }
      assert.equal(receiver.received.length, 1);
      server.clock.advance(999);
      await sending.deliver();
      assert.equal(receiver.received.length, 1);
      server.clock.advance(1);
      await sending.deliver();
      assert.equal(receiver.received.length, 2);
    });

    test('has what it got counted also when nothing waits in between', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server, { rateLimit: 500 });
      for (const [subject, count] of [
        ['a', 1],
        ['b', 40],
      ] as const) {
        await happen(server, tenant, eventsOf(subject, count));
        await sending.deliver();
      }
      assert.equal(receiver.received.length, 1);
    });

    test('gets no more than the limit in the first second, however much waits', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server, { rateLimit: 100 });
      await happen(server, tenant, eventsOf('a', 150));
      for (let time = 0; time < 1000; time += 10) {
        await sending.deliver();
        server.clock.advance(10);
      }
      assert.equal(receiver.received.length, 100);
    });

    test('gets everything once the limit is lifted', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server, { rateLimit: 1 });
      await happen(server, tenant, eventsOf('a', 20));
      await sending.deliver();
      const body = { rateLimit: null };
      payload(await server.request('PATCH', `/v1/webhooks/${endpoint.id}`, { key: tenant.key, body }), 200);
      server.clock.advance(1000);
      await sending.deliver();
      assert.equal(receiver.received.length, 20);
    });
  },
  allowPrivate,
);
