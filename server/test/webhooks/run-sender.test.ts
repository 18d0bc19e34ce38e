import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { runTransaction, type Signals } from '../../storage/database.ts';
import { emitEvents } from '../../webhooks/deliveries/outbox.ts';
import { describeOnEachDatabase, startTestServer, type TestServer } from '../harness.ts';
import { allowPrivate, createSubscriber, openRequest, readDeliveries, startScriptedReceiver } from './sending.ts';

describeOnEachDatabase('a running server', (dialect) => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer(dialect, allowPrivate, { sends: true });
  });
  after(() => server[Symbol.asyncDispose]());

  test('sends events automatically, and records their delivery', async () => {
    await using receiver = await startScriptedReceiver();
    const { tenant } = await createSubscriber(server, receiver.url);
    const subjects = Array.from({ length: 40 }, (_, number) => `subject-${number}`);
    await Promise.all(subjects.map((subject) => openRequest(server, tenant, subject)));
    while ((await readDeliveries(server, tenant)).some(({ status }) => status !== 'delivered')) await turn();
    const ids = receiver.received.map(({ headers }) => headers['svc-delivery']);
    assert.deepEqual([ids.length, new Set(ids).size], [40, 40]);
  });

  test('sends events that another process has committed', async () => {
    await using receiver = await startScriptedReceiver();
    const { tenant } = await createSubscriber(server, receiver.url);
    const { database } = server.installation;
    // Separate signals, as in another process: nothing in this one is notified.
    const signals: Signals = new EventEmitter();
    const elsewhere = { ...database, signals };
    await runTransaction(elsewhere, server.clock.now(), (tx) =>
      emitEvents(tx, [{ tenantId: tenant.id, type: 'user.suspended', data: {} }]),
    );
    while ((await readDeliveries(server, tenant)).some(({ status }) => status !== 'delivered')) await turn();
    assert.equal(receiver.received.length, 1);
  });

  test('records every result before it stops', async () => {
    const stopping = await startTestServer(dialect, allowPrivate, { sends: true });
    await using receiver = await startScriptedReceiver();
    const { tenant } = await createSubscriber(stopping, receiver.url);
    const arrival = Promise.withResolvers<void>();
    receiver.reply = () => {
      arrival.resolve();
      return { status: 200 };
    };
    await openRequest(stopping, tenant);
    await arrival.promise;
    await stopping.close();
    const [delivery] = await readDeliveries(stopping, tenant);
    assert.deepEqual([delivery?.status, delivery?.claimed_until], ['delivered', null]);
    await stopping[Symbol.asyncDispose]();
  });
});
