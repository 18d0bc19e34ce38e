import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTransaction } from '../../storage/database.ts';
import { forgetOldEvents } from '../../webhooks/deliveries/retention-store.ts';
import { writeAttempts } from '../../webhooks/sender/store.ts';
import { describeServerOnEachDatabase, payload } from '../consent/helpers.ts';
import type { TestTenant } from '../harness.ts';
import { assertInvalid, assertProblem } from '../http/problems.ts';
import {
  allowPrivate,
  createEndpoint,
  createSubscriber,
  createTestSender,
  openRequest,
  openScene,
  runningLease,
} from './sending.ts';

const hour = 60 * 60 * 1000;

describeServerOnEachDatabase(
  'the statistics of a webhook',
  (server) => {
    const read = async ({ key }: TestTenant, id: string, query = '') =>
      payload(await server.request('GET', `/v1/webhooks/${id}/statistics${query}`, { key }), 200).items;
    const now = (length: number) => `${server.clock.now().slice(0, length)}${'T00:00:00.000Z'.slice(length - 10)}`;
    const none = { delivered: 0, failedAttempts: 0, deadLetters: 0 };
    /** Response times vary: there are some, and the slowest is no faster than the average. */
    const withoutTimes = (items: readonly { readonly responseTime: Record<string, number> | null }[]) =>
      items.map(({ responseTime, ...counts }) => {
        if (responseTime === null) return { ...counts, isAnswered: false };
        const { averageMilliseconds = Number.NaN, slowestMilliseconds = Number.NaN } = responseTime;
        assert.ok(averageMilliseconds >= 0 && slowestMilliseconds >= averageMilliseconds);
        return { ...counts, isAnswered: true };
      });

    test('count deliveries, failed attempts and dead letters by hour and by day', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server, { retrySchedule: [3600] });
      const other = await createEndpoint(server, tenant, `${receiver.url}other`, { eventTypes: ['breach.reported'] });
      server.clock.advance(24 * hour - (server.clock.milliseconds() % (24 * hour)));
      assert.deepEqual(await read(tenant, endpoint.id), []);
      for (let index = 0; index < 3; index += 1) await openRequest(server, tenant);
      await sending.deliver();
      receiver.reply = { status: 500 };
      await openRequest(server, tenant);
      await sending.deliver();
      const first = { startsAt: now(13), ...none, delivered: 3, failedAttempts: 1, isAnswered: true };
      server.clock.advance(hour);
      await sending.deliver();
      const second = { startsAt: now(13), ...none, failedAttempts: 1, deadLetters: 1, isAnswered: true };
      assert.deepEqual(withoutTimes(await read(tenant, endpoint.id, '?per=hour&days=1')), [second, first]);
      const day = { startsAt: now(10), delivered: 3, failedAttempts: 2, deadLetters: 1, isAnswered: true };
      assert.deepEqual(withoutTimes(await read(tenant, endpoint.id)), [day]);
      assert.deepEqual(await read(tenant, other.id), []);
      server.clock.advance(23 * hour);
      assert.deepEqual(await read(tenant, endpoint.id, '?days=1'), []);
      assert.equal((await read(tenant, endpoint.id, '?days=2')).length, 1);
    });

    test('have no response time for attempts without an answer, and count what no attempt was made of', async () => {
      await using sending = createTestSender(server);
      const { tenant, endpoint } = await createSubscriber(server, 'http://127.0.0.1:9/', { retrySchedule: [3600] });
      await openRequest(server, tenant);
      await sending.deliver();
      const failed = { startsAt: now(10), ...none, failedAttempts: 1, responseTime: null };
      assert.deepEqual(await read(tenant, endpoint.id), [failed]);
      // Its 24 hours end before the next attempt.
      server.clock.advance(25 * hour);
      await sending.deliver();
      const expired = { startsAt: now(10), ...none, deadLetters: 1, responseTime: null };
      assert.deepEqual(await read(tenant, endpoint.id), [expired, failed]);
      await openRequest(server, tenant);
      await openRequest(server, tenant);
      await server.installation.database.kysely
        .updateTable('webhook_endpoints')
        .set({ status: 'disabled' })
        .where('id', '=', endpoint.id)
        .execute();
      await sending.deliver();
      assert.deepEqual((await read(tenant, endpoint.id))[0], { ...expired, deadLetters: 3 });
    });

    test('count an attempt once whose commit is repeated', async (context) => {
      const { sending, tenant, endpoint } = await openScene(context, server);
      await openRequest(server, tenant);
      await sending.deliver();
      const { database } = server.installation;
      const state = { status: 'delivered', reason: null, response_status: 204, attempts: 1, due_at: null } as const;
      const claimed_until = runningLease();
      const { id, first_attempt_at } = await database.kysely
        .selectFrom('webhook_deliveries')
        .select(['id', 'first_attempt_at'])
        .where('endpoint_id', '=', endpoint.id)
        .executeTakeFirstOrThrow();
      const row = await database.kysely
        .selectFrom('webhook_attempts')
        .selectAll()
        .where('delivery_id', '=', id)
        .executeTakeFirstOrThrow();
      const again = {
        endpoint,
        row,
        responseTime: 5,
        pausedUntil: null,
        state: { ...state, id, first_attempt_at, claimed_until },
      };
      await runTransaction(database, server.clock.now(), (tx) => writeAttempts(tx, [again as never]));
      assert.equal((await read(tenant, endpoint.id))[0].delivered, 1);
    });

    test('are forgotten after thirty days', async (context) => {
      const { sending, tenant, endpoint } = await openScene(context, server);
      const forget = async () => {
        const { installation, clock } = server;
        while (await forgetOldEvents(installation.database, clock.now()));
        const rows = await installation.database.kysely.selectFrom('webhook_hours').selectAll().execute();
        return rows.filter(({ endpoint_id }) => endpoint_id === endpoint.id).length;
      };
      await openRequest(server, tenant);
      await sending.deliver();
      server.clock.advance(29 * 24 * hour);
      assert.equal(await forget(), 1);
      assert.equal((await read(tenant, endpoint.id)).length, 1);
      server.clock.advance(2 * 24 * hour);
      assert.equal(await forget(), 0);
    });

    test('need a webhook that was not deleted, and a span of 1 to 30 days', async () => {
      const { tenant, endpoint } = await createSubscriber(server, 'http://127.0.0.1:9/');
      const path = `/v1/webhooks/${endpoint.id}/statistics`;
      for (const [query, field] of [
        ['days=0', 'query.days'],
        ['days=31', 'query.days'],
        ['per=week', 'query.per'],
      ])
        assertInvalid(await server.request('GET', `${path}?${query}`, { key: tenant.key }), field as string);
      await server.request('DELETE', `/v1/webhooks/${endpoint.id}`, { key: tenant.key });
      assertProblem(await server.request('GET', path, { key: tenant.key }), 'not_found');
    });
  },
  allowPrivate,
);
