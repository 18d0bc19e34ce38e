import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTransaction } from '../../storage/database.ts';
import { newDelivery } from '../../webhooks/deliveries/outbox.ts';
import { forgetOldEvents } from '../../webhooks/deliveries/store.ts';
import { describeServerOnEachDatabase } from '../consent/helpers.ts';
import type { TestServer } from '../harness.ts';
import { allowPrivate, createSubscriber, createTestSender, openRequest, startScriptedReceiver } from './sending.ts';

const day = 24 * 60 * 60 * 1000;

async function forget({ installation, clock }: TestServer): Promise<void> {
  while (await inTransaction(installation.database, (transaction) => forgetOldEvents(transaction, clock.now())));
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
    test('is forgotten after thirty days, with deliveries and attempts, and not before', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const { tenant } = await createSubscriber(server, receiver.url);
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
      while (await inTransaction(installation.database, (transaction) => forgetOldEvents(transaction, clock.now())))
        steps += 1;
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
  },
  allowPrivate,
);
