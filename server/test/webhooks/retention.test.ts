import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { createTenant } from '../../accounts/tenants/store.ts';
import { createApp } from '../../cli/server/app.ts';
import { startHousekeeping } from '../../cli/server/housekeeping.ts';
import { runTransaction } from '../../storage/database.ts';
import { emitEvents, newDelivery } from '../../webhooks/deliveries/outbox.ts';
import { forgetOldEvents } from '../../webhooks/deliveries/retention-store.ts';
import { describeServerOnEachDatabase } from '../consent/helpers.ts';
import { openTestInstallation, TestClock, type TestServer } from '../harness.ts';
import { readAllPages } from '../ledger/audit/audit-trail.ts';
import {
  allowPrivate,
  createSubscriber,
  createTestSender,
  openRequest,
  openScene,
  startScriptedReceiver,
} from './sending.ts';

const day = 24 * 60 * 60 * 1000;

async function forget({ installation, clock }: TestServer): Promise<void> {
  while (await forgetOldEvents(installation.database, clock.now()));
}

async function countRows({ installation }: TestServer, tenantId: string): Promise<readonly number[]> {
  const { kysely } = installation.database;
  const events = await kysely.selectFrom('webhook_events').select('id').where('tenant_id', '=', tenantId).execute();
  const deliveries = await kysely
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .execute();
  const attempts = await kysely.selectFrom('webhook_attempts').select('id').execute();
  return [events.length, deliveries.length, attempts.length];
}

describeServerOnEachDatabase(
  'what is kept of webhooks',
  (server) => {
    test('is forgotten after thirty days, with deliveries and attempts, and not before', async (context) => {
      const { sending, tenant } = await openScene(context, server);
      await openRequest(server, tenant);
      await sending.deliver();
      server.clock.advance(30 * day - 1);
      await openRequest(server, tenant);
      await sending.deliver();
      await forget(server);
      assert.deepEqual(await countRows(server, tenant.id), [2, 2, 2]);
      server.clock.advance(1);
      await forget(server);
      assert.deepEqual(await countRows(server, tenant.id), [1, 1, 1]);
      server.clock.advance(40 * day);
      await forget(server);
      assert.deepEqual(await countRows(server, tenant.id), [0, 0, 0]);
    });

    test('is forgotten in many small steps, however much it is', async () => {
      const { tenant } = await createSubscriber(server, 'http://127.0.0.1:9/', { status: 'paused' });
      for (let count = 0; count < 450; count += 1) await openRequest(server, tenant, `subject-${count}`);
      server.clock.advance(31 * day);
      const { installation, clock } = server;
      let steps = 1;
      while (await forgetOldEvents(installation.database, clock.now())) steps += 1;
      assert.ok(steps >= 3);
      assert.deepEqual((await countRows(server, tenant.id)).slice(0, 2), [0, 0]);
    });

    test('stays while a later delivery of the same event is younger', async () => {
      const { kysely } = server.installation.database;
      const { tenant, endpoint } = await createSubscriber(server, 'http://127.0.0.1:9/', { status: 'paused' });
      await openRequest(server, tenant);
      server.clock.advance(29 * day);
      const event = await kysely
        .selectFrom('webhook_events')
        .selectAll()
        .where('tenant_id', '=', tenant.id)
        .executeTakeFirstOrThrow();
      await kysely
        .insertInto('webhook_deliveries')
        .values(newDelivery(event, endpoint.id, server.clock.now()))
        .execute();
      server.clock.advance(2 * day);
      await forget(server);
      assert.deepEqual((await countRows(server, tenant.id)).slice(0, 2), [1, 2]);
      server.clock.advance(28 * day);
      await forget(server);
      assert.deepEqual((await countRows(server, tenant.id)).slice(0, 2), [0, 0]);
    });

    test('is forgotten after the days that the tenant chose, and only of this tenant', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const edit = (key: string, webhookDays: number) =>
        server.request('PATCH', '/v1/tenant', { key, body: { webhookDays } });
      const [short, usual, long] = [
        await createSubscriber(server, receiver.url),
        await createSubscriber(server, receiver.url),
        await createSubscriber(server, receiver.url),
      ];
      const count = async () =>
        (await Promise.all([short, usual, long].map(({ tenant }) => countRows(server, tenant.id)))).map(
          ([events, deliveries]) => [events, deliveries],
        );
      await edit(short.tenant.key, 7);
      await edit(long.tenant.key, 90);
      for (const { tenant } of [short, usual, long]) await openRequest(server, tenant);
      await sending.deliver();
      // The clock starts at noon: a day is forgotten as a whole, once all of it is as old.
      server.clock.advance(7 * day);
      await forget(server);
      assert.deepEqual(await count(), [
        [1, 1],
        [1, 1],
        [1, 1],
      ]);
      server.clock.advance(day / 2);
      await forget(server);
      assert.deepEqual(await count(), [
        [0, 0],
        [1, 1],
        [1, 1],
      ]);
      server.clock.advance(23 * day);
      await forget(server);
      assert.deepEqual(await count(), [
        [0, 0],
        [0, 0],
        [1, 1],
      ]);
      await edit(long.tenant.key, 30);
      await forget(server);
      assert.deepEqual((await count())[2], [0, 0]);
    });

    test('is audited by its number where the tenant chose the days', async () => {
      const { tenant } = await createSubscriber(server, 'http://127.0.0.1:9/', { status: 'paused' });
      await server.request('PATCH', '/v1/tenant', { key: tenant.key, body: { webhookDays: 7 } });
      for (let number = 0; number < 203; number += 1) await openRequest(server, tenant, `subject-${number}`);
      server.clock.advance(8 * day);
      await forget(server);
      await forget(server);
      const { events } = await readAllPages(server, { module: 'webhooks' }, { key: tenant.key });
      const forgotten = events.filter(({ action }) => action === 'webhook_delivery.forgotten');
      const diffs = await Promise.all(
        forgotten.map(async ({ id }) => {
          const { body } = await server.request('GET', `/v1/audit/${id}`, { key: tenant.key });
          return [body.data.actorType, body.data.targetId, body.data.diff];
        }),
      );
      assert.deepEqual(diffs, [
        ['system', null, { events: 3, deliveries: 3 }],
        ['system', null, { events: 200, deliveries: 200 }],
      ]);
    });
  },
  allowPrivate,
);

describe('the housekeeping', () => {
  test('forgets events for webhooks that are thirty days old', async (context) => {
    const clock = new TestClock();
    await using installation = await openTestInstallation('sqlite', { SVC_VERIFY_HOURS: '0' }, clock);
    const { database } = installation;
    const tenant = { slug: 'acme', name: 'Acme' };
    const { id: tenantId } = await runTransaction(database, clock.now(), (tx) => createTenant(tx, tenant));
    const emit = (name: string) =>
      runTransaction(database, clock.now(), (tx) =>
        emitEvents(tx, [{ tenantId, type: 'user.suspended', data: { name } }]),
      );
    await emit('old');
    clock.advance(1);
    await emit('new');
    clock.advance(30 * 24 * 60 * 60 * 1000 - 1);
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const app = createApp(installation, { log: pino({ level: 'silent' }) });
    const housekeeping = startHousekeeping(installation, app);
    context.mock.timers.tick(60_000);
    for (let times = 0; times < 100; times += 1) await turn();
    await housekeeping.stop();
    const left = await database.kysely.selectFrom('webhook_events').select('data').execute();
    assert.deepEqual(left, [{ data: '{"name":"new"}' }]);
  });
});
