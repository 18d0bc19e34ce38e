import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeServerOnEachDatabase, payload } from '../consent/helpers.ts';
import { eventsOf, happen } from './numbered-events.ts';
import { allowPrivate, createSubscriber, createTestSender, openScene, startScriptedReceiver } from './sending.ts';

const askForPause = (seconds: number, status = 429) => ({ status, headers: { 'Retry-After': String(seconds) } });

describeServerOnEachDatabase(
  'a pause that a receiver asks for',
  (server) => {
    const readHealth = (endpointId: string) =>
      server.installation.database.kysely
        .selectFrom('webhook_health')
        .selectAll()
        .where('endpoint_id', '=', endpointId)
        .executeTakeFirst();

    for (const status of [429, 503]) {
      test(`with ${status} is respected by every server, also by one that starts during it`, async () => {
        await using receiver = await startScriptedReceiver();
        await using other = createTestSender(server);
        const { tenant } = await createSubscriber(server, receiver.url);
        receiver.reply = askForPause(60, status);
        await happen(server, tenant, eventsOf('a', 1));
        const first = createTestSender(server);
        await first.deliver();
        await first.sender.stop(0);
        receiver.reply = { status: 204 };
        await happen(server, tenant, eventsOf('b', 3));
        await using next = createTestSender(server);
        for (const { deliver } of [other, next]) await deliver();
        server.clock.advance(59_999);
        for (const { deliver } of [other, next]) await deliver();
        assert.equal(receiver.received.length, 1);
        server.clock.advance(1);
        await next.deliver();
        assert.equal(receiver.received.length, 4);
      });
    }

    test('lasts at most one hour', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server);
      receiver.reply = askForPause(86_400);
      await happen(server, tenant, eventsOf('a', 1));
      await sending.deliver();
      const until = Date.parse((await readHealth(endpoint.id))?.paused_until ?? '');
      assert.equal(until - server.clock.milliseconds(), 3_600_000);
    });

    test('is not shortened by a concurrent success', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server);
      let isFirst = true;
      receiver.reply = () => {
        const reply = isFirst ? askForPause(60) : { status: 204 };
        isFirst = false;
        return reply;
      };
      await happen(server, tenant, eventsOf('a', 4));
      await sending.sender.poll();
      await sending.sender.tick();
      await sending.sender.drain();
      assert.equal(receiver.received.length, 4);
      await sending.sender.tick();
      const health = await readHealth(endpoint.id);
      assert.equal(Date.parse(health?.paused_until ?? '') - server.clock.milliseconds(), 60_000);
      await happen(server, tenant, eventsOf('b', 1));
      await sending.deliver();
      assert.equal(receiver.received.length, 4);
    });

    test('ends when the endpoint gets another address', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server, { path: 'old' });
      receiver.reply = ({ path }) => (path === '/old' ? askForPause(3600) : { status: 204 });
      await happen(server, tenant, eventsOf('a', 1));
      await sending.deliver();
      const body = { url: `${receiver.url}new` };
      payload(await server.request('PATCH', `/v1/webhooks/${endpoint.id}`, { key: tenant.key, body }), 200);
      await happen(server, tenant, eventsOf('b', 2));
      server.clock.advance(2000);
      await sending.deliver();
      const paths = receiver.received.map(({ path }) => path);
      assert.deepEqual(paths, ['/old', '/new', '/new']);
    });

    test('is shown on the webhook until it is over', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server);
      const read = async () =>
        payload(await server.request('GET', `/v1/webhooks/${endpoint.id}`, { key: tenant.key }), 200).pausedUntil;
      assert.equal(await read(), null);
      receiver.reply = askForPause(60);
      await happen(server, tenant, eventsOf('a', 1));
      await sending.deliver();
      const until = new Date(server.clock.milliseconds() + 60_000).toISOString();
      assert.equal(await read(), until);
      const list = payload(await server.request('GET', '/v1/webhooks', { key: tenant.key }), 200);
      assert.equal(list.items[0].pausedUntil, until);
      server.clock.advance(59_999);
      assert.equal(await read(), until);
      server.clock.advance(1);
      assert.equal(await read(), null);
    });

    test('ends when the webhook is paused and enabled, with its waiting deliveries sent', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server);
      receiver.reply = askForPause(3600);
      await happen(server, tenant, eventsOf('a', 2));
      await sending.deliver();
      const path = `/v1/webhooks/${endpoint.id}`;
      for (const status of ['paused', 'enabled']) {
        const view = payload(await server.request('PATCH', path, { key: tenant.key, body: { status } }), 200);
        assert.equal(view.pausedUntil === null, status === 'enabled');
      }
      receiver.reply = { status: 204 };
      const before = receiver.received.length;
      server.clock.advance(2000);
      await sending.deliver();
      assert.equal(receiver.received.length, before + 2);
    });

    test('and failures of an address are not recorded for its successor', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server, { path: 'old' });
      receiver.reply = askForPause(3600, 503);
      await happen(server, tenant, eventsOf('a', 1));
      const { sender } = sending;
      await sender.poll();
      await sender.tick();
      await sender.drain();
      const body = { url: `${receiver.url}new` };
      payload(await server.request('PATCH', `/v1/webhooks/${endpoint.id}`, { key: tenant.key, body }), 200);
      await sender.tick();
      const view = payload(await server.request('GET', `/v1/webhooks/${endpoint.id}`, { key: tenant.key }), 200);
      assert.deepEqual([view.failingSince, view.lastError], [null, null]);
      assert.equal(await readHealth(endpoint.id), undefined);
    });
  },
  allowPrivate,
);
