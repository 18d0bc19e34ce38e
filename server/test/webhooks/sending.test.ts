import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { pino } from 'pino';
import { attemptOffsets } from '../../webhooks/sender/attempt.ts';
import type { Lookup } from '../../webhooks/transport/connection.ts';
import { createFreshTenant, describeServerOnEachDatabase, payload } from '../consent/helpers.ts';
import type { TestServer, TestTenant } from '../harness.ts';
import { needle } from '../needle.ts';
import {
  allowPrivate,
  createEndpoint,
  createSubscriber,
  createTestSender,
  expireLeases,
  openRequest,
  openScene,
  type ReceivedDelivery,
  readAttempts,
  readDeliveries,
  readOnlyDelivery,
  startScriptedReceiver,
} from './sending.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

function sign(secret: string, time: string | undefined, body: Buffer): string {
  return createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex');
}

function readSignature({ headers }: ReceivedDelivery) {
  const parts = String(headers['svc-signature']).split(',');
  return {
    time: parts[0]?.slice('t='.length),
    signatures: parts.slice(1).map((part) => part.slice('v1='.length)),
  };
}

function bodyOf(delivery: ReceivedDelivery | undefined) {
  return JSON.parse(String(delivery?.body));
}

/** One event, attempted until nothing is due, with the clock moved to each due time. */
async function playOut(
  server: TestServer,
  deliver: () => Promise<void>,
  read: () => Promise<{ due_at: string | null }>,
) {
  for (;;) {
    await deliver();
    const { due_at } = await read();
    if (due_at === null) return;
    server.clock.advance(Date.parse(due_at) - server.clock.milliseconds());
  }
}

describeServerOnEachDatabase(
  'the sender of webhooks',
  (server) => {
    const eraseSubject = async (tenant: TestTenant, subjectId: string) => {
      const path = `/v1/consent/subjects/${subjectId}/erase`;
      payload(await server.request('POST', path, { key: tenant.key, body: { reason: 'Asked for it' } }), 200);
    };
    const completeRequest = async (tenant: TestTenant, subjectId: string) => {
      const id = await openRequest(server, tenant, subjectId);
      const body = { outcome: 'fulfilled' };
      payload(await server.request('POST', `/v1/dsr/${id}/complete`, { key: tenant.key, body }), 200);
    };

    test('keeps nothing of a response that arrives after the person was erased, and does not retry', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server);
      const subject = needle('subject');
      await completeRequest(tenant, subject);
      receiver.reply = { status: 500, text: `no ${subject} here` };
      await sending.sender.poll();
      await sending.sender.tick();
      await sending.sender.drain();
      assert.ok(receiver.received.length > 0);
      const sent = receiver.received.length;
      await eraseSubject(tenant, subject);
      await sending.deliver();
      const deliveries = (await readDeliveries(server, tenant)).filter(({ attempts, status }) => {
        return attempts === 0 && status === 'canceled';
      });
      assert.equal(deliveries.length, 2);
      const attempts = (await Promise.all(deliveries.map(({ id }) => readAttempts(server, id)))).flat();
      assert.equal(attempts.length, sent);
      assert.ok(attempts.every(({ excerpt }) => excerpt === null));
      assert.ok(receiver.received.slice(sent).every(({ body }) => !String(body).includes(subject)));
    });

    test('sends nothing that was erased while a connection was opened, whoever erased it', async () => {
      await using receiver = await startScriptedReceiver();
      const asked = Promise.withResolvers<void>();
      const found = Promise.withResolvers<void>();
      let lookups = 0;
      const lookup: Lookup = async () => {
        lookups += 1;
        if (lookups === 3) asked.resolve();
        await found.promise;
        return [{ address: '127.0.0.1', family: 4 }];
      };
      await using sending = createTestSender(server, undefined, undefined, { lookup });
      const { tenant } = await createSubscriber(server, receiver.url.replace('127.0.0.1', 'receiver.example'));
      const subject = needle('subject');
      await completeRequest(tenant, subject);
      await completeRequest(tenant, 'kept-at-once');
      await sending.sender.poll();
      await sending.sender.tick();
      await asked.promise;
      await eraseSubject(tenant, subject);
      found.resolve();
      await sending.deliver();
      assert.ok(receiver.received.every(({ body }) => !String(body).includes(subject)));
      const types = receiver.received.map((delivery) => bodyOf(delivery).type).sort();
      assert.deepEqual(types, ['dsr.completed', 'dsr.created', 'subject.erased']);
      const deliveries = await readDeliveries(server, tenant);
      const canceled = deliveries.filter(({ status, attempts }) => status === 'canceled' && attempts === 0);
      assert.equal(canceled.length, 2);
      assert.equal(deliveries.filter(({ claimed_until }) => claimed_until !== null).length, 0);
    });

    test('delivers an event again without what was erased, even if another server erased it', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server);
      await completeRequest(tenant, 'erased-elsewhere');
      await sending.deliver();
      const id = (await readDeliveries(server, tenant))[0]?.id;
      await eraseSubject(tenant, 'erased-elsewhere');
      const redeliver = `/v1/webhooks/deliveries/${id}/redeliver`;
      const answer = await server.request('POST', redeliver, { key: tenant.key });
      assert.ok(answer.status < 300, JSON.stringify(answer.body));
      const before = receiver.received.length;
      await sending.deliver();
      const later = receiver.received.slice(before).map(bodyOf);
      assert.deepEqual(later.map(({ type }) => type).sort(), ['dsr.created', 'subject.erased']);
      assert.equal(later.find(({ type }) => type === 'dsr.created').data.subjectId, null);
    });

    test('sends what it can when the event of a delivery is missing in a damaged database', async () => {
      await using receiver = await startScriptedReceiver();
      const lines: string[] = [];
      const log = pino({}, { write: (line: string) => lines.push(line) });
      await using sending = createTestSender(server, undefined, log);
      const damaged = await createSubscriber(server, `${receiver.url}damaged`);
      const healthy = await createSubscriber(server, `${receiver.url}healthy`);
      await openRequest(server, damaged.tenant);
      await openRequest(server, healthy.tenant);
      const { kysely } = server.installation.database;
      const [lost] = await readDeliveries(server, damaged.tenant);
      await kysely.deleteFrom('webhook_events').where('tenant_id', '=', damaged.tenant.id).execute();
      await sending.deliver();
      assert.deepEqual(
        receiver.received.map(({ path }) => path),
        ['/healthy'],
      );
      assert.deepEqual(await readDeliveries(server, damaged.tenant), []);
      const [{ level, msg, webhookId, orphaned } = {}, ...more] = lines.map((line) => JSON.parse(line));
      assert.deepEqual([level, msg], [50, 'deleted deliveries whose event is missing']);
      assert.deepEqual([webhookId, orphaned, more], [damaged.endpoint.id, [lost?.id], []]);
    });

    test('posts the body and the documented headers, signed with the secret of the endpoint', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server, { path: 'hooks?from=svc' });
      const dsrId = await openRequest(server, tenant);
      await sending.deliver();
      const [delivery] = await readDeliveries(server, tenant);
      assert.equal(receiver.received.length, 1);
      const [sent] = receiver.received as [ReceivedDelivery];
      assert.equal(sent.path, '/hooks?from=svc');
      assert.equal(sent.headers['content-type'], 'application/json');
      assert.equal(sent.headers['svc-event'], 'dsr.created');
      assert.equal(sent.headers['svc-delivery'], delivery?.id);
      const { time, signatures } = readSignature(sent);
      assert.equal(time, String(Math.floor(server.clock.milliseconds() / 1000)));
      assert.deepEqual(signatures, [sign(endpoint.secret, time, sent.body)]);
      const { data, ...rest } = bodyOf(sent);
      const about = { id: delivery?.event_id, type: 'dsr.created', createdAt: server.clock.now(), tenantId: tenant.id };
      assert.deepEqual(rest, about);
      assert.equal(data.dsrId, dsrId);
      assert.deepEqual(
        [delivery?.status, delivery?.attempts, delivery?.response_status, delivery?.due_at, delivery?.claimed_until],
        ['delivered', 1, 204, null, null],
      );
      await sending.deliver();
      assert.equal(receiver.received.length, 1);
    });

    test('follows the schedule to the last attempt, then keeps a dead letter, and sends nothing after 24 hours', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server);
      receiver.reply = { status: 500, text: 'out of order' };
      const begun = server.clock.milliseconds();
      await openRequest(server, tenant);
      await playOut(server, sending.deliver, () => readOnlyDelivery(server, tenant));
      const delivery = await readOnlyDelivery(server, tenant);
      const attempts = await readAttempts(server, delivery.id);
      const offsets = attempts.map(({ at }) => Date.parse(at) - begun);
      assert.deepEqual(offsets, [...attemptOffsets.slice(0, -1), 0.95 * (day - minute)]);
      assert.deepEqual(
        attempts.map(({ outcome, response_status, excerpt }) => [outcome, response_status, excerpt]),
        attempts.map(() => ['http_error', 500, 'out of order']),
      );
      assert.deepEqual(
        [delivery.status, delivery.reason, delivery.response_status, delivery.attempts, delivery.finished_at],
        ['dead', 'http_error', 500, 12, server.clock.now()],
      );
      const bodies = new Set(receiver.received.map(({ body }) => body.toString()));
      const ids = new Set(receiver.received.map(({ headers }) => headers['svc-delivery']));
      assert.deepEqual([receiver.received.length, bodies.size, ids.size], [12, 1, 1]);
      for (let hours = 0; hours < 48; hours += 1) {
        server.clock.advance(60 * minute);
        await sending.deliver();
      }
      assert.equal(receiver.received.length, 12);
    });

    test('signs each attempt with its time', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server);
      receiver.reply = { status: 503 };
      await openRequest(server, tenant);
      await sending.deliver();
      server.clock.advance(10_000);
      await sending.deliver();
      const times = receiver.received.map((sent) => {
        const { time, signatures } = readSignature(sent);
        assert.deepEqual(signatures, [sign(endpoint.secret, time, sent.body)]);
        return Number(time);
      });
      assert.equal(times.length, 2);
      assert.equal((times[1] as number) - (times[0] as number), 10);
    });

    test('respects Retry-After, up to the end of the 24 hours', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server);
      receiver.reply = { status: 503, headers: { 'Retry-After': '1800' } };
      const begun = server.clock.milliseconds();
      await openRequest(server, tenant);
      await sending.deliver();
      const due = async () => Date.parse((await readOnlyDelivery(server, tenant)).due_at ?? '') - begun;
      assert.equal(await due(), 31.5 * minute);
      receiver.reply = { status: 429, headers: { 'Retry-After': String(7 * 24 * 3600) } };
      server.clock.advance(31.5 * minute);
      await sending.deliver();
      assert.equal(await due(), day - 6 * minute);
      server.clock.advance(day - 37.5 * minute);
      await sending.deliver();
      const { status, reason, attempts } = await readOnlyDelivery(server, tenant);
      assert.deepEqual([status, reason, attempts], ['dead', 'rate_limited', 3]);
    });

    test('sends nothing else to a receiver during its Retry-After', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server);
      receiver.reply = { status: 429, headers: { 'Retry-After': '60' } };
      await openRequest(server, tenant, 'first');
      await sending.deliver();
      receiver.reply = { status: 204 };
      await openRequest(server, tenant, 'second');
      await sending.deliver();
      assert.equal(receiver.received.length, 1);
      server.clock.advance(60_000);
      await sending.deliver();
      assert.equal(receiver.received.length, 2);
      server.clock.advance(3000);
      await sending.deliver();
      assert.equal(receiver.received.length, 3);
    });

    for (const [status, reason] of [
      [301, 'redirect'],
      [307, 'redirect'],
      [400, 'http_error'],
      [404, 'http_error'],
      [429, 'rate_limited'],
      [500, 'http_error'],
    ] as const) {
      test(`treats ${status} as a failure: ${reason}`, async () => {
        await using receiver = await startScriptedReceiver();
        await using sending = createTestSender(server);
        receiver.reply = ({ path }) =>
          path === '/' ? { status, headers: { Location: '/elsewhere' } } : { status: 200 };
        const { tenant } = await createSubscriber(server, receiver.url);
        await openRequest(server, tenant);
        await sending.deliver();
        const delivery = await readOnlyDelivery(server, tenant);
        assert.deepEqual([delivery.status, delivery.reason, delivery.response_status], ['pending', reason, status]);
        assert.deepEqual(
          receiver.received.map(({ path }) => path),
          ['/'],
        );
      });
    }

    test('records the error if there was no response, and retries', async () => {
      await using sending = createTestSender(server);
      const receiver = await startScriptedReceiver();
      const { tenant } = await createSubscriber(server, receiver.url);
      await receiver[Symbol.asyncDispose]();
      await openRequest(server, tenant);
      await sending.deliver();
      const { id, status, reason, response_status } = await readOnlyDelivery(server, tenant);
      assert.deepEqual([status, reason, response_status], ['pending', 'connection', null]);
      const [attempt] = await readAttempts(server, id);
      assert.match(attempt?.message ?? '', /refused the connection/);
    });

    test('sends to every endpoint subscribed to the type of the event, and to no other tenant', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const tenant = await createFreshTenant(server);
      await createEndpoint(server, tenant, `${receiver.url}all`);
      await createEndpoint(server, tenant, `${receiver.url}some`, { eventTypes: ['breach.reported', 'dsr.created'] });
      await createEndpoint(server, tenant, `${receiver.url}other`, { eventTypes: ['dsr.completed'] });
      await createSubscriber(server, `${receiver.url}stranger`);
      await openRequest(server, tenant);
      await sending.deliver();
      assert.deepEqual(receiver.received.map(({ path }) => path).sort(), ['/all', '/some']);
      assert.equal(receiver.received[0]?.body.equals(receiver.received[1]?.body as Buffer), true);
    });

    test('stores events while an endpoint is paused, and sends them when it is resumed', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server, { status: 'paused' });
      for (const subject of ['a', 'b', 'c']) await openRequest(server, tenant, subject);
      server.clock.advance(3 * day);
      await sending.deliver();
      assert.equal(receiver.received.length, 0);
      const body = { status: 'enabled' };
      payload(await server.request('PATCH', `/v1/webhooks/${endpoint.id}`, { key: tenant.key, body }), 200);
      await sending.deliver();
      const statuses = (await readDeliveries(server, tenant)).map(({ status }) => status);
      assert.deepEqual([receiver.received.length, statuses], [3, ['delivered', 'delivered', 'delivered']]);
    });

    test('cancels the deliveries of a deleted endpoint', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server);
      receiver.reply = { status: 500 };
      await openRequest(server, tenant);
      await sending.deliver();
      const answer = await server.request('DELETE', `/v1/webhooks/${endpoint.id}`, { key: tenant.key });
      assert.ok(answer.status < 300);
      server.clock.advance(minute);
      await sending.deliver();
      const { status, due_at, finished_at } = await readOnlyDelivery(server, tenant);
      assert.deepEqual([status, due_at, finished_at], ['canceled', null, server.clock.now()]);
      await openRequest(server, tenant);
      await sending.deliver();
      assert.equal(receiver.received.length, 1);
    });

    test('signs with both secrets during a rotation, and with only the new one after it', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server);
      const rotated = payload(
        await server.request('POST', `/v1/webhooks/${endpoint.id}/rotate-secret`, {
          key: tenant.key,
          body: { overlapHours: 1 },
        }),
        200,
      );
      const secretsOf = (sent: ReceivedDelivery | undefined) => {
        const { time, signatures } = readSignature(sent as ReceivedDelivery);
        const secrets = [rotated.secret, endpoint.secret];
        return signatures.map((one) => secrets.findIndex((secret) => sign(secret, time, sent?.body as Buffer) === one));
      };
      await openRequest(server, tenant);
      await sending.deliver();
      server.clock.advance(60 * minute);
      await openRequest(server, tenant);
      await sending.deliver();
      assert.deepEqual(receiver.received.map(secretsOf), [[0, 1], [0]]);
    });

    test('signs with a new secret while an earlier delivery is in progress', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server);
      receiver.reply = null;
      const send = async (count: number) => {
        await openRequest(server, tenant);
        await sending.sender.poll();
        await sending.sender.tick();
        while (receiver.received.length < count) await new Promise(setImmediate);
      };
      await send(1);
      const path = `/v1/webhooks/${endpoint.id}/rotate-secret`;
      const { secret } = payload(
        await server.request('POST', path, { key: tenant.key, body: { overlapHours: 0 } }),
        200,
      );
      await send(2);
      const sent = receiver.received[1] as ReceivedDelivery;
      const { time, signatures } = readSignature(sent);
      assert.deepEqual(signatures, [sign(secret, time, sent.body)]);
    });

    test('sends nothing if the secret cannot be opened, and sends again once it is rotated, also during its overlap', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server);
      const { database, box } = server.installation;
      const secret = box.seal('whsec_of_another', 'webhook of another');
      await database.kysely.updateTable('webhook_endpoints').set({ secret }).where('id', '=', endpoint.id).execute();
      await openRequest(server, tenant);
      await sending.deliver();
      const { status, reason } = await readOnlyDelivery(server, tenant);
      assert.deepEqual([status, reason, receiver.received.length], ['pending', 'unsealable_secret', 0]);
      const path = `/v1/webhooks/${endpoint.id}/rotate-secret`;
      const rotated = payload(await server.request('POST', path, { key: tenant.key, body: {} }), 200);
      server.clock.advance(5000);
      await sending.deliver();
      assert.equal((await readOnlyDelivery(server, tenant)).status, 'delivered');
      const sent = receiver.received[0] as ReceivedDelivery;
      const { time, signatures } = readSignature(sent);
      assert.deepEqual(signatures, [sign(rotated.secret, time, sent.body)]);
    });

    test('reports how to fix a private key that cannot be opened', async (context) => {
      const { sending, tenant, endpoint } = await openScene(context, server, { asymmetric: true });
      const { database, box } = server.installation;
      const signing_key = box.seal('of another', 'webhook of another');
      await database.kysely
        .updateTable('webhook_endpoints')
        .set({ signing_key })
        .where('id', '=', endpoint.id)
        .execute();
      await openRequest(server, tenant);
      await sending.deliver();
      const { id, reason } = await readOnlyDelivery(server, tenant);
      const [attempt] = await readAttempts(server, id);
      assert.equal(reason, 'unsealable_secret');
      assert.match(String(attempt?.message), /private key .* switch `asymmetric` off and on/);
      for (const asymmetric of [false, true]) {
        const body = { asymmetric };
        payload(await server.request('PATCH', `/v1/webhooks/${endpoint.id}`, { key: tenant.key, body }), 200);
      }
      server.clock.advance(5000);
      await sending.deliver();
      assert.equal((await readOnlyDelivery(server, tenant)).status, 'delivered');
    });

    test('sends nothing more once 24 hours have passed since the first attempt, however long the server was down', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server);
      receiver.reply = { status: 500 };
      await openRequest(server, tenant);
      await sending.deliver();
      server.clock.advance(day + 1);
      await sending.deliver();
      const { status, reason, attempts, due_at } = await readOnlyDelivery(server, tenant);
      assert.deepEqual([status, reason, attempts, due_at], ['dead', 'http_error', 1, null]);
      assert.equal(receiver.received.length, 1);
    });

    test('sends many concurrently, and each once', async (context) => {
      const { receiver, sending, tenant } = await openScene(context, server);
      const subjects = Array.from({ length: 150 }, (_, number) => `subject-${number}`);
      for (const subject of subjects) await openRequest(server, tenant, subject);
      await sending.deliver();
      const deliveries = await readDeliveries(server, tenant);
      assert.deepEqual(
        receiver.received.map(({ headers }) => headers['svc-delivery']).sort(),
        deliveries.map(({ id }) => id).sort(),
      );
      assert.ok(deliveries.every(({ status, claimed_until }) => status === 'delivered' && claimed_until === null));
    });

    test('is not blocked by an endpoint that hangs', async () => {
      await using hanging = await startScriptedReceiver();
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      hanging.reply = null;
      const tenant = await createFreshTenant(server);
      await createEndpoint(server, tenant, hanging.url);
      const good = await createEndpoint(server, tenant, receiver.url);
      for (let count = 0; count < 100; count += 1) await openRequest(server, tenant, `subject-${count}`);
      const { sender } = sending;
      await sender.poll();
      const arrived = () => receiver.received.length;
      while (arrived() < 100) {
        if (sender.hasWork) await sender.tick();
        else await sender.waitForWork();
      }
      assert.ok(hanging.received.length <= 8);
      while (sender.hasWork) await sender.tick();
      const done = (await readDeliveries(server, tenant)).filter(({ endpoint_id }) => endpoint_id === good.id);
      assert.ok(done.filter(({ status }) => status === 'delivered').length >= 90);
    });

    test('is not blocked by any number of slow endpoints, also of one tenant', async () => {
      await using slow = await startScriptedReceiver();
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      slow.reply = null;
      const tenant = await createFreshTenant(server);
      for (let count = 0; count < 49; count += 1) await createEndpoint(server, tenant, `${slow.url}${count}`);
      const events = 8;
      for (let count = 0; count < events; count += 1) await openRequest(server, tenant, `subject-${count}`);
      const { sender } = sending;
      await sender.poll();
      await sender.tick();
      // A share of all slots, and one for each of the others.
      assert.ok(sender.inFlight >= 256 && sender.inFlight <= 256 + 49);
      const good = await createEndpoint(server, tenant, receiver.url, { eventTypes: ['webhook.test'] });
      payload(await server.request('POST', `/v1/webhooks/${good.id}/test`, { key: tenant.key }));
      await sender.poll();
      await sender.tick();
      while (receiver.received.length < 1) await sender.waitForWork();
    });

    test('continues after a commit whose response was lost: what it claimed is sent when the lease has expired', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const { sender } = sending;
      const { tenant } = await createSubscriber(server, receiver.url);
      await openRequest(server, tenant, 'first');
      const { database } = server.installation;
      /** Commits, and then throws. */
      const loseAnswer = async () => {
        const { transaction } = database.kysely;
        const begin = () => ({
          execute: async (step: (work: never) => Promise<unknown>) => {
            await transaction.call(database.kysely).execute(step as never);
            throw new Error('the connection was lost');
          },
        });
        Object.assign(database.kysely, { transaction: begin });
        await assert.rejects(sender.tick(), /the connection was lost/);
        Object.assign(database.kysely, { transaction: transaction.bind(database.kysely) });
      };
      await sender.poll();
      await loseAnswer();
      assert.equal(receiver.received.length, 0);
      await expireLeases(server);
      await sender.poll();
      await sender.tick();
      await sender.drain();
      await loseAnswer();
      await sending.deliver();
      await openRequest(server, tenant, 'second');
      await sending.deliver();
      const deliveries = await readDeliveries(server, tenant);
      assert.deepEqual(
        deliveries.map(({ status, claimed_until, attempts }) => [status, claimed_until, attempts]),
        [
          ['delivered', null, 1],
          ['delivered', null, 1],
        ],
      );
      assert.equal(receiver.received.length, 2);
    });

    test('releases its claims when it stops, for the next process', async () => {
      await using receiver = await startScriptedReceiver();
      const { tenant } = await createSubscriber(server, receiver.url);
      receiver.reply = null;
      await openRequest(server, tenant);
      const first = createTestSender(server);
      await first.sender.poll();
      await first.sender.tick();
      assert.notEqual((await readOnlyDelivery(server, tenant)).claimed_until, null);
      await first.sender.stop(0);
      const { claimed_until, attempts, status } = await readOnlyDelivery(server, tenant);
      assert.deepEqual([claimed_until, attempts, status], [null, 0, 'pending']);
      receiver.reply = { status: 200 };
      await using second = createTestSender(server);
      await second.deliver();
      assert.equal((await readOnlyDelivery(server, tenant)).status, 'delivered');
    });

    test('attempts a delivery again whose attempt broke off, when its lease has expired', async () => {
      await using receiver = await startScriptedReceiver();
      let isBroken = true;
      await using sending = createTestSender(server, () => {
        if (isBroken) throw new Error('broken');
        return 0.5;
      });
      const { tenant } = await createSubscriber(server, receiver.url);
      await openRequest(server, tenant);
      await sending.sender.poll();
      await sending.sender.tick();
      await sending.sender.drain();
      isBroken = false;
      await expireLeases(server);
      await sending.deliver();
      const { status, claimed_until, attempts } = await readOnlyDelivery(server, tenant);
      assert.deepEqual([status, claimed_until, attempts], ['delivered', null, 1]);
      assert.equal(receiver.received.length, 2);
    });

    for (const [when, end] of [
      ['when its lease has expired', undefined],
      // Its clock was ahead, or is set back by now.
      ['if its lease ends later than any can', '2999-01-01T00:00:00.000Z'],
    ] as const)
      test(`sends what a crashed server had claimed, ${when}`, async () => {
        await using receiver = await startScriptedReceiver();
        const { tenant } = await createSubscriber(server, receiver.url);
        receiver.reply = null;
        await openRequest(server, tenant);
        await using dead = createTestSender(server);
        await dead.sender.poll();
        const started = Date.now();
        await dead.sender.tick();
        const { claimed_until } = await readOnlyDelivery(server, tenant);
        const claimedAt = Date.parse(claimed_until ?? '') - 20_000;
        assert.ok(claimedAt >= started - 1 && claimedAt <= Date.now(), `${claimedAt - started}`);
        await using next = createTestSender(server);
        receiver.reply = { status: 200 };
        await next.deliver();
        assert.deepEqual((await readOnlyDelivery(server, tenant)).claimed_until, claimed_until);
        await expireLeases(server, end);
        await next.deliver();
        const { status, claimed_until: left, attempts } = await readOnlyDelivery(server, tenant);
        assert.deepEqual([status, left, attempts], ['delivered', null, 1]);
      });

    test('shares the work with another sender on the same database, and nothing is sent twice', async () => {
      await using receiver = await startScriptedReceiver();
      await using one = createTestSender(server);
      await using other = createTestSender(server);
      const { tenant } = await createSubscriber(server, receiver.url);
      for (let count = 0; count < 60; count += 1) await openRequest(server, tenant, `subject-${count}`);
      await Promise.all([one.deliver(), other.deliver()]);
      const sent = receiver.received.map(({ headers }) => headers['svc-delivery']);
      assert.deepEqual([sent.length, new Set(sent).size], [60, 60]);
    });
  },
  allowPrivate,
);
