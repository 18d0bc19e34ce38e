import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createFreshTenant, describeServer, payload } from '../consent/helpers.ts';
import type { TestTenant } from '../harness.ts';
import { eventsOf, happen } from './numbered-events.ts';
import {
  allowPrivate,
  createEndpoint,
  createTestSender,
  openRequest,
  openScene,
  readDeliveries,
  type ScriptedReceiver,
  startScriptedReceiver,
} from './sending.ts';

const minute = 60_000;
const watched = ['webhook.endpoint_failing', 'webhook.endpoint_recovered', 'webhook.delivery_exhausted'];

/** The events that the watching endpoint received. */
const eventsAt = ({ received }: ScriptedReceiver) =>
  received
    .filter(({ path }) => path === '/watch')
    .map(({ headers, body }) => ({ type: headers['svc-event'], data: JSON.parse(String(body)).data }));

describeServer(
  'operational events of webhooks',
  (server) => {
    /** An endpoint at `/bad` that fails, and another one that receives events about it. */
    const openPair = async (context: TestContext, more: object = {}) => {
      const scene = await openScene(context, server, { path: 'bad', ...more });
      const { receiver, tenant, endpoint } = scene;
      receiver.reply = ({ path }) => ({ status: path === '/watch' ? 204 : 500 });
      await createEndpoint(server, tenant, `${receiver.url}watch`, { eventTypes: watched });
      return { ...scene, about: { webhookId: endpoint.id, host: new URL(receiver.url).host } };
    };
    const countEvents = async ({ id }: TestTenant) => {
      const rows = await server.installation.database.kysely
        .selectFrom('webhook_events')
        .select('id')
        .where('tenant_id', '=', id)
        .where('type', 'like', 'webhook.%')
        .execute();
      return rows.length;
    };

    test('an endpoint that has failed for 15 minutes is failing, once, and recovered after a success', async (context) => {
      const { receiver, sending, tenant, about } = await openPair(context, {
        retrySchedule: [60, 120, 180, 899, 900, 1800, 2400],
      });
      const failingSince = server.clock.now();
      await openRequest(server, tenant);
      let passed = 0;
      for (const seconds of [0, 60, 120, 180, 899]) {
        server.clock.advance((seconds - passed) * 1000);
        passed = seconds;
        await sending.deliver();
      }
      assert.deepEqual(eventsAt(receiver), []);
      server.clock.advance(1000);
      await sending.deliver();
      const failing = { type: 'webhook.endpoint_failing', data: { ...about, failingSince } };
      assert.partialDeepStrictEqual(eventsAt(receiver), [failing]);
      assert.match(eventsAt(receiver)[0]?.data.lastError, /500/);
      server.clock.advance(15 * minute);
      await sending.deliver();
      assert.equal(eventsAt(receiver).length, 1);
      receiver.reply = { status: 204 };
      server.clock.advance(10 * minute);
      await sending.deliver();
      const recovered = { ...about, failingSince, recoveredAt: server.clock.now() };
      assert.deepEqual(eventsAt(receiver).slice(1), [{ type: 'webhook.endpoint_recovered', data: recovered }]);
      await openRequest(server, tenant);
      await sending.deliver();
      assert.equal(eventsAt(receiver).length, 2);
    });

    const edits: readonly (readonly [string, (receiver: ScriptedReceiver) => readonly object[]])[] = [
      ['is paused and enabled', () => [{ status: 'paused' }, { status: 'enabled' }]],
      ['gets another address', ({ url }) => [{ url: `${url}other` }]],
      [
        'is paused, and enabled with another address',
        ({ url }) => [{ status: 'paused' }, { status: 'enabled', url: `${url}other` }],
      ],
    ];
    for (const [what, bodies] of edits) {
      test(`an endpoint that was failing and ${what} is recovered after a success`, async (context) => {
        const { receiver, sending, tenant, endpoint, about } = await openPair(context, {
          retrySchedule: [60, 120, 1000, 2000, 3000],
        });
        const failingSince = server.clock.now();
        await openRequest(server, tenant);
        for (const seconds of [0, 60, 60, 880]) {
          server.clock.advance(seconds * 1000);
          await sending.deliver();
        }
        const types = () => eventsAt(receiver).map(({ type }) => type);
        assert.deepEqual(types(), ['webhook.endpoint_failing']);
        for (const body of bodies(receiver)) {
          const view = await server.request('PATCH', `/v1/webhooks/${endpoint.id}`, { key: tenant.key, body });
          payload(view, 200);
        }
        const view = payload(await server.request('GET', `/v1/webhooks/${endpoint.id}`, { key: tenant.key }), 200);
        assert.deepEqual([view.failingSince, view.lastError], [null, null]);
        assert.deepEqual(types(), ['webhook.endpoint_failing']);
        receiver.reply = { status: 204 };
        server.clock.advance(2000_000);
        await sending.deliver();
        const recovered = { ...about, failingSince, recoveredAt: server.clock.now() };
        assert.deepEqual(eventsAt(receiver).slice(1), [{ type: 'webhook.endpoint_recovered', data: recovered }]);
        await openRequest(server, tenant);
        await sending.deliver();
        assert.equal(eventsAt(receiver).length, 2);
      });
    }

    test('a disabled endpoint is recovered when it is enabled and a delivery succeeds', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openPair(context, { retrySchedule: [1] });
      for (let half = 0; half <= 10; half += 1) {
        await openRequest(server, tenant);
        await sending.deliver();
        server.clock.advance(12 * 60 * minute);
      }
      const path = `/v1/webhooks/${endpoint.id}`;
      const { status } = payload(await server.request('GET', path, { key: tenant.key }), 200);
      assert.equal(status, 'disabled');
      receiver.reply = { status: 204 };
      payload(await server.request('PATCH', path, { key: tenant.key, body: { status: 'enabled' } }), 200);
      await openRequest(server, tenant);
      await sending.deliver();
      const events = eventsAt(receiver).filter(({ type }) => type !== 'webhook.delivery_exhausted');
      assert.deepEqual(
        events.map(({ type }) => type),
        ['webhook.endpoint_failing', 'webhook.endpoint_recovered'],
      );
    });

    test('an endpoint that keeps failing after an edit is not reported as failing again', async (context) => {
      const retrySchedule = [60, 120, 1000, 2000, 3000, 4000, 5000];
      const { receiver, sending, tenant, endpoint } = await openPair(context, { retrySchedule });
      await openRequest(server, tenant);
      const sendFor = async (times: number) => {
        for (let time = 0; time < times; time += 1) {
          await sending.deliver();
          server.clock.advance(10 * minute);
        }
      };
      await sendFor(3);
      const body = { url: `${receiver.url}other` };
      payload(await server.request('PATCH', `/v1/webhooks/${endpoint.id}`, { key: tenant.key, body }), 200);
      await sendFor(8);
      const events = eventsAt(receiver).filter(({ type }) => type === 'webhook.endpoint_failing');
      assert.equal(events.length, 1);
    });

    test('an endpoint with fewer than four failures is not failing, however long ago they were', async (context) => {
      const { receiver, sending, tenant } = await openPair(context, { retrySchedule: [1200, 1300, 1400] });
      await openRequest(server, tenant);
      for (const seconds of [0, 1200, 100]) {
        server.clock.advance(seconds * 1000);
        await sending.deliver();
      }
      assert.deepEqual(eventsAt(receiver), []);
      server.clock.advance(100_000);
      await sending.deliver();
      const types = eventsAt(receiver).map(({ type }) => type);
      assert.deepEqual(types.sort(), ['webhook.delivery_exhausted', 'webhook.endpoint_failing']);
    });

    test('a delivery that became a dead letter is exhausted, in the transaction of its last attempt', async (context) => {
      const { receiver, sending, tenant, about } = await openPair(context, { retrySchedule: [1] });
      await openRequest(server, tenant);
      await sending.deliver();
      assert.deepEqual(eventsAt(receiver), []);
      server.clock.advance(1000);
      await sending.deliver();
      const dead = (await readDeliveries(server, tenant)).find(({ status }) => status === 'dead');
      const data = {
        ...about,
        deliveryId: dead?.id,
        eventId: dead?.event_id,
        eventType: 'dsr.created',
        attempts: 2,
        reason: 'http_error',
      };
      assert.deepEqual(eventsAt(receiver), [{ type: 'webhook.delivery_exhausted', data }]);
    });

    test('a delivery whose 24 hours have passed without a running sender is exhausted as well', async (context) => {
      const { receiver, sending, tenant } = await openPair(context);
      await openRequest(server, tenant);
      await sending.deliver();
      server.clock.advance(24 * 60 * minute + 1);
      await sending.deliver();
      assert.partialDeepStrictEqual(eventsAt(receiver), [
        { type: 'webhook.delivery_exhausted', data: { attempts: 1, reason: 'http_error' } },
      ]);
    });

    test('a deleted or previously disabled endpoint has no exhausted deliveries', async (context) => {
      const { receiver, sending, tenant } = await openPair(context);
      receiver.reply = ({ path }) => ({ status: path === '/bad' ? 410 : 204 });
      await openRequest(server, tenant);
      await sending.deliver();
      await openRequest(server, tenant);
      await sending.deliver();
      assert.deepEqual(eventsAt(receiver), []);
    });

    test('an endpoint gets no events about itself, and events without a subscriber are not stored', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      receiver.reply = { status: 500 };
      const tenant = await createFreshTenant(server);
      await createEndpoint(server, tenant, receiver.url, { retrySchedule: [1, 2, 3, 1000] });
      await createEndpoint(server, tenant, `${receiver.url}other`, { eventTypes: ['dsr.completed'] });
      await openRequest(server, tenant);
      for (const seconds of [0, 1, 1, 1, 997]) {
        server.clock.advance(seconds * 1000);
        await sending.deliver();
      }
      assert.equal((await readDeliveries(server, tenant))[0]?.status, 'dead');
      assert.equal(await countEvents(tenant), 0);
    });

    test('two failing endpoints do not report deliveries of such events', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      receiver.reply = { status: 500 };
      const tenant = await createFreshTenant(server);
      for (const path of ['one', 'other'])
        await createEndpoint(server, tenant, receiver.url + path, { retrySchedule: [1] });
      await openRequest(server, tenant);
      for (let seconds = 0; seconds < 10; seconds += 1) {
        await sending.deliver();
        server.clock.advance(1000);
      }
      assert.equal(await countEvents(tenant), 2);
      const deliveries = await readDeliveries(server, tenant);
      assert.deepEqual([deliveries.length, deliveries.every(({ status }) => status === 'dead')], [4, true]);
    });

    test('concurrent failures at two servers are all counted', async () => {
      await using receiver = await startScriptedReceiver();
      await using one = createTestSender(server);
      await using other = createTestSender(server);
      receiver.reply = { status: 500 };
      const tenant = await createFreshTenant(server);
      const endpoint = await createEndpoint(server, tenant, receiver.url);
      await happen(server, tenant, eventsOf('a', 16));
      const senders = [one.sender, other.sender];
      for (const sender of senders) {
        await sender.poll();
        await sender.tick();
      }
      await Promise.all(senders.map((sender) => sender.drain()));
      assert.equal(receiver.received.length, 16);
      await Promise.all(senders.map((sender) => sender.tick()));
      const health = await server.installation.database.kysely
        .selectFrom('webhook_health')
        .select('failures')
        .where('endpoint_id', '=', endpoint.id)
        .executeTakeFirstOrThrow();
      assert.equal(health.failures, 16);
    });
  },
  allowPrivate,
);
