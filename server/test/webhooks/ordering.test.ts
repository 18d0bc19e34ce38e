import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeServerOnEachDatabase, payload } from '../consent/helpers.ts';
import type { TestServer, TestTenant } from '../harness.ts';
import { assertOneUnderWay, eventsOf, happen, numbersOf, readEvent } from './ordered-sending.ts';
import {
  allowPrivate,
  createSubscriber,
  createTestSender,
  readDeliveries,
  type ScriptedReceiver,
  startScriptedReceiver,
} from './sending.ts';

const hour = 60 * 60_000;

const seen = ({ received }: ScriptedReceiver) => received.map(readEvent);

const waiting = async (server: TestServer, tenant: TestTenant) =>
  (await readDeliveries(server, tenant)).filter(({ due_at }) => due_at !== null);

describeServerOnEachDatabase(
  'an endpoint that keeps an order',
  (server) => {
    test('gets everything in the order of the events, one after the other', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const { tenant, endpoint } = await createSubscriber(server, receiver.url, { ordering: 'all' });
      for (const subject of ['a', 'b', 'c']) await happen(server, tenant, eventsOf(subject, 4));
      await sending.sender.look();
      await sending.sender.turn();
      assert.equal(sending.sender.inFlight, 1);
      await assertOneUnderWay(server, endpoint.id);
      await sending.sender.settle();
      await sending.deliver();
      assert.deepEqual(seen(receiver), [...eventsOf('a', 4), ...eventsOf('b', 4), ...eventsOf('c', 4)]);
    });

    test('gets the events of one subject one after the other, and those of others beside them', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const { tenant } = await createSubscriber(server, receiver.url, { ordering: 'subject' });
      const subjects = ['a', 'b', 'c', 'd', 'e'];
      for (const subject of subjects) await happen(server, tenant, eventsOf(subject, 3));
      await sending.sender.look();
      await sending.sender.turn();
      assert.equal(sending.sender.inFlight, subjects.length);
      await sending.sender.settle();
      await sending.deliver();
      const inOrder = Object.fromEntries(subjects.map((subject) => [subject, [1, 2, 3]]));
      assert.deepEqual(numbersOf(seen(receiver)), inOrder);
    });

    test('gets what follows at once when the one before it has arrived at last, and other subjects meanwhile', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const { tenant } = await createSubscriber(server, receiver.url, { ordering: 'subject' });
      receiver.reply = (delivery) => ({ status: readEvent(delivery).subject === 'bad' ? 500 : 204 });
      await happen(server, tenant, [...eventsOf('bad', 3), ...eventsOf('good', 3)]);
      await sending.deliver();
      assert.deepEqual(numbersOf(seen(receiver)), { bad: [1], good: [1, 2, 3] });
      await happen(server, tenant, [{ subject: 'bad', number: 4 }]);
      await sending.deliver();
      assert.equal(receiver.received.length, 4);
      server.clock.advance(5000);
      await sending.deliver();
      receiver.reply = { status: 204 };
      server.clock.advance(25_000);
      await sending.deliver();
      assert.deepEqual(numbersOf(seen(receiver)).bad, [1, 1, 1, 2, 3, 4]);
      assert.equal((await waiting(server, tenant)).length, 0);
    });

    test('gets what follows a dead letter', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const retrySchedule = [10, 20];
      const { tenant } = await createSubscriber(server, receiver.url, { ordering: 'all', retrySchedule });
      receiver.reply = (delivery) => ({ status: readEvent(delivery).number === 1 ? 500 : 204 });
      await happen(server, tenant, eventsOf('a', 2));
      for (let times = 0; times < 3; times += 1) {
        await sending.deliver();
        server.clock.advance(10_000);
      }
      assert.deepEqual(numbersOf(seen(receiver)).a, [1, 1, 1, 2]);
      const statuses = (await readDeliveries(server, tenant)).map(({ status }) => status);
      assert.deepEqual(statuses, ['dead', 'delivered']);
    });

    test('gets what follows one whose 24 hours have passed while nobody sent', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const { tenant } = await createSubscriber(server, receiver.url, { ordering: 'all' });
      receiver.reply = { status: 500 };
      await happen(server, tenant, eventsOf('a', 3));
      await sending.deliver();
      receiver.reply = { status: 204 };
      server.clock.advance(24 * hour + 1);
      await sending.deliver();
      assert.deepEqual(numbersOf(seen(receiver)).a, [1, 2, 3]);
    });

    test('gets a test and what is sent again beside the order', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const { tenant, endpoint } = await createSubscriber(server, receiver.url, { ordering: 'all' });
      receiver.reply = ({ headers }) => ({ status: headers['svc-event'] === 'webhook.test' ? 204 : 500 });
      await happen(server, tenant, eventsOf('a', 2));
      await sending.deliver();
      payload(await server.request('POST', `/v1/webhooks/${endpoint.id}/test`, { key: tenant.key }));
      await sending.deliver();
      const types = receiver.received.map(({ headers }) => headers['svc-event']);
      assert.deepEqual(types, ['dsr.created', 'webhook.test']);
    });

    test('gets at once what was held back when it is to keep no order any more', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const { tenant, endpoint } = await createSubscriber(server, receiver.url, { ordering: 'all' });
      receiver.reply = (delivery) => ({ status: readEvent(delivery).number === 1 ? 500 : 204 });
      await happen(server, tenant, eventsOf('a', 4));
      await sending.deliver();
      assert.equal(receiver.received.length, 1);
      const body = { ordering: 'none' };
      payload(await server.request('PATCH', `/v1/webhooks/${endpoint.id}`, { key: tenant.key, body }), 200);
      await sending.deliver();
      assert.deepEqual([...(numbersOf(seen(receiver)).a as number[])].sort(), [1, 2, 3, 4]);
    });

    test('costs no look at what is held back, however much that is, until it may go', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const { tenant, endpoint } = await createSubscriber(server, receiver.url, { ordering: 'subject' });
      receiver.reply = (delivery) => ({ status: readEvent(delivery).subject === 'bad' ? 500 : 204 });
      await happen(server, tenant, [...eventsOf('bad', 1000), ...eventsOf('good', 3)]);
      await sending.deliver();
      assert.deepEqual(numbersOf(seen(receiver)), { bad: [1], good: [1, 2, 3] });
      server.clock.advance(1000);
      const now = server.clock.now();
      const due = (await waiting(server, tenant)).filter(({ due_at }) => (due_at as string) <= now);
      assert.deepEqual(due, []);
      await sending.sender.look();
      assert.equal(sending.sender.hasWork, false);
      await assertOneUnderWay(server, endpoint.id);
    });

    test('gets what a process held back and did not release, within an hour', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const { tenant } = await createSubscriber(server, receiver.url, { ordering: 'all' });
      receiver.reply = { status: 500 };
      await happen(server, tenant, eventsOf('a', 3));
      await sending.deliver();
      // The first is gone without a word: forgotten, or removed by hand.
      const [first] = await waiting(server, tenant);
      const { kysely } = server.installation.database;
      await kysely.deleteFrom('webhook_deliveries').where('id', '=', String(first?.id)).execute();
      receiver.reply = { status: 204 };
      server.clock.advance(hour);
      await sending.deliver();
      assert.deepEqual(numbersOf(seen(receiver)).a, [1, 2, 3]);
    });

    test('gets the next at once after something new has come behind one that nobody released', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const { tenant } = await createSubscriber(server, receiver.url, { ordering: 'all' });
      receiver.reply = { status: 500 };
      await happen(server, tenant, eventsOf('a', 2));
      await sending.deliver();
      const [first] = await waiting(server, tenant);
      const { kysely } = server.installation.database;
      await kysely.deleteFrom('webhook_deliveries').where('id', '=', String(first?.id)).execute();
      receiver.reply = { status: 204 };
      await happen(server, tenant, [{ subject: 'a', number: 3 }]);
      await sending.deliver();
      assert.deepEqual(numbersOf(seen(receiver)).a, [1, 2, 3]);
    });
  },
  allowPrivate,
);
