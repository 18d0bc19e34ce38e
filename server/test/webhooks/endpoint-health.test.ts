import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeServer, payload } from '../consent/helpers.ts';
import {
  allowPrivate,
  createEndpoint,
  createSubscriber,
  createTestSender,
  openRequest,
  openScene,
  type ReceivedDelivery,
  readDeliveries,
  type ScriptedReceiver,
  startScriptedReceiver,
} from './sending.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

function bodyOf(delivery: ReceivedDelivery | undefined) {
  return JSON.parse(String(delivery?.body));
}

describeServer(
  'an endpoint that takes nothing',
  (server) => {
    const readEndpoint = async (id: string, key: string) =>
      payload(await server.request('GET', `/v1/webhooks/${id}`, { key }), 200);

    /** A tenant with an endpoint that fails, and another that receives its operational events. */
    const createPair = async (receiver: ScriptedReceiver) => {
      const { tenant, endpoint } = await createSubscriber(server, `${receiver.url}bad`);
      await createEndpoint(server, tenant, `${receiver.url}watch`, { eventTypes: ['webhook.endpoint_disabled'] });
      return { tenant, endpoint };
    };

    test('is disabled immediately after a 410, and the other endpoints of the tenant are notified', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      receiver.reply = ({ path }) => ({ status: path === '/bad' ? 410 : 200 });
      const { tenant, endpoint } = await createPair(receiver);
      await openRequest(server, tenant);
      await sending.deliver();
      const view = await readEndpoint(endpoint.id, tenant.key);
      assert.deepEqual([view.status, view.disabledReason, view.disabledAt], ['disabled', 'gone', server.clock.now()]);
      const [dead] = await readDeliveries(server, tenant);
      assert.deepEqual([dead?.status, dead?.reason], ['dead', 'gone']);
      assert.deepEqual(
        receiver.received.map(({ path, headers }) => [path, headers['svc-event']]),
        [
          ['/bad', 'dsr.created'],
          ['/watch', 'webhook.endpoint_disabled'],
        ],
      );
      assert.deepEqual(bodyOf(receiver.received[1]).data, {
        webhookId: endpoint.id,
        host: new URL(receiver.url).host,
        reason: 'gone',
        failingSince: view.failingSince,
        lastError: view.lastError,
      });
    });

    test('gets dead letters for events while it is disabled, which can be redelivered', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server);
      receiver.reply = { status: 410 };
      await openRequest(server, tenant, 'first');
      await openRequest(server, tenant, 'second');
      await sending.deliver();
      await openRequest(server, tenant, 'third');
      await sending.deliver();
      const deliveries = await readDeliveries(server, tenant);
      assert.ok(deliveries.every(({ status, due_at }) => status === 'dead' && due_at === null));
      assert.equal(deliveries.at(-1)?.reason, 'endpoint_disabled');
    });

    test('shows since when it fails and why, until a delivery succeeds', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server);
      receiver.reply = { status: 500 };
      const since = server.clock.now();
      await openRequest(server, tenant);
      await sending.deliver();
      server.clock.advance(10_000);
      receiver.reply = { status: 502 };
      await sending.deliver();
      const failing = await readEndpoint(endpoint.id, tenant.key);
      assert.deepEqual([failing.failingSince, failing.status], [since, 'enabled']);
      assert.match(failing.lastError, /502/);
      server.clock.advance(minute);
      receiver.reply = { status: 200 };
      await sending.deliver();
      const well = await readEndpoint(endpoint.id, tenant.key);
      assert.deepEqual([well.failingSince, well.lastError], [null, null]);
    });

    test('is disabled after five days of failures, and not before', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      receiver.reply = ({ path }) => ({ status: path === '/bad' ? 500 : 200 });
      const { tenant, endpoint } = await createPair(receiver);
      const begun = server.clock.milliseconds();
      const fail = async () => {
        await openRequest(server, tenant);
        await sending.deliver();
      };
      for (let half = 0; half < 10; half += 1) {
        await fail();
        server.clock.advance(day / 2);
      }
      server.clock.advance(begun + 5 * day - 1 - server.clock.milliseconds());
      await fail();
      assert.equal((await readEndpoint(endpoint.id, tenant.key)).status, 'enabled');
      server.clock.advance(1);
      await fail();
      const { status, disabledReason } = await readEndpoint(endpoint.id, tenant.key);
      assert.deepEqual([status, disabledReason], ['disabled', 'failing']);
      const events = receiver.received.filter(({ path }) => path === '/watch');
      assert.deepEqual(
        events.map(({ headers }) => headers['svc-event']),
        ['webhook.endpoint_disabled'],
      );
    });

    test('is not disabled by single failures with days in between', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server);
      receiver.reply = { status: 500 };
      for (let week = 0; week < 3; week += 1) {
        await openRequest(server, tenant);
        await sending.deliver();
        const view = await readEndpoint(endpoint.id, tenant.key);
        assert.deepEqual([view.status, view.failingSince], ['enabled', server.clock.now()]);
        server.clock.advance(7 * day);
      }
    });

    test('has no failures after it is enabled again', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server);
      receiver.reply = { status: 410 };
      await openRequest(server, tenant);
      await sending.deliver();
      receiver.reply = { status: 200 };
      const body = { status: 'enabled' };
      payload(await server.request('PATCH', `/v1/webhooks/${endpoint.id}`, { key: tenant.key, body }), 200);
      await openRequest(server, tenant);
      await sending.deliver();
      const view = await readEndpoint(endpoint.id, tenant.key);
      assert.deepEqual([view.status, view.disabledReason, view.failingSince], ['enabled', null, null]);
      assert.equal((await readDeliveries(server, tenant)).at(-1)?.status, 'delivered');
    });
  },
  allowPrivate,
);
