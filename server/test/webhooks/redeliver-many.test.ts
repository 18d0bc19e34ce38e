import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Database } from '../../storage/database.ts';
import { type DeliveryRow, DeliveryStatus, type RedeliveryView } from '../../webhooks/deliveries/delivery.ts';
import { stepRedeliveries } from '../../webhooks/deliveries/redelivery.ts';
import { assertProblem, describeServerOnEachDatabase, payload, unknownId } from '../consent/helpers.ts';
import type { TestServer } from '../harness.ts';
import { readDeliveries } from './sending.ts';
import { assertNothingWritten, storeDeliveries } from './stored-deliveries.ts';
import { createClient, type WebhookClient } from './webhook-client.ts';

const start = '2026-11-01T00:00:00.000Z';
const reasons = ['timeout', 'tls'] as const;
const types = ['consent.recorded', 'dsr.created'] as const;
const minute = (number: number) => `2026-11-20T10:0${number}:00.000Z`;

async function order(client: WebhookClient, body: object): Promise<RedeliveryView> {
  return payload(await client.send('POST', '/redeliver', body));
}

async function count(client: WebhookClient, filter: Readonly<Record<string, string>>): Promise<number> {
  return payload(await client.send('GET', `/redeliver?${new URLSearchParams(filter)}`), 200).count;
}

async function read(client: WebhookClient, id: string): Promise<RedeliveryView> {
  return payload(await client.send('GET', `/redeliveries/${id}`), 200);
}

/** Runs the background jobs of a server until none is left. @returns the number of steps. */
async function carryOut({ installation, clock }: Pick<TestServer, 'installation' | 'clock'>): Promise<number> {
  for (let steps = 0; ; steps += 1) {
    assert.ok(steps < 100, 'the orders do not come to an end');
    if (!(await stepRedeliveries(installation.database, clock.now()))) return steps;
  }
}

/** The redeliveries, by the id of the original. */
function repeatsOf(rows: readonly DeliveryRow[]): ReadonlyMap<string | null, readonly DeliveryRow[]> {
  return Map.groupBy(
    rows.filter(({ redelivery_of }) => redelivery_of !== null),
    ({ redelivery_of }) => redelivery_of,
  );
}

/** Creates so many dead letters of a webhook. */
function storeDead({ server, tenant }: WebhookClient, webhookId: string, number: number, status?: DeliveryStatus) {
  const wanted = { webhookId, ...(status && { status }) };
  return storeDeliveries(
    server,
    tenant,
    Array.from({ length: number }, () => wanted),
  );
}

/** Asserts that every one of the deliveries is redelivered, once. */
async function assertEachOnce({ server, tenant }: WebhookClient, wanted: readonly { readonly id: string }[]) {
  const repeats = repeatsOf(await readDeliveries(server, tenant));
  assert.deepEqual([...repeats.keys()].sort(), wanted.map(({ id }) => id).sort());
  for (const made of repeats.values()) assert.equal(made.length, 1);
}

describeServerOnEachDatabase('POST /v1/webhooks/redeliver', (server) => {
  test('queues the matching deliveries once each, as many as were counted', async () => {
    const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
    const time = fc.integer({ min: 0, max: 9 }).map(minute);
    const delivery = fc.record({
      webhook: fc.nat(3),
      status: fc.constantFrom(...DeliveryStatus.options, 'dead' as const, 'delivered' as const),
      reason: fc.constantFrom(...reasons),
      eventType: fc.constantFrom(...types),
      createdAt: time,
    });
    const wish = fc.record({
      webhook: optional(fc.nat(1)),
      status: optional(fc.constantFrom('dead' as const, 'delivered' as const)),
      reason: optional(fc.constantFrom(...reasons)),
      eventType: optional(fc.constantFrom(...types)),
      from: optional(time),
      to: optional(time),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(delivery, { minLength: 1, maxLength: 60 }), wish, async (deliveries, wished) => {
        const client = await createClient(server);
        const [one, paused, disabled, deleted] = [
          await client.created(),
          await client.created({ status: 'paused' }),
          await client.created(),
          await client.created(),
        ].map(({ id }) => id as string) as [string, string, string, string];
        const webhooks = [one, paused, disabled, deleted];
        const stored = await storeDeliveries(
          server,
          client.tenant,
          deliveries.map(({ webhook, ...rest }) => ({ ...rest, webhookId: webhooks[webhook] as string })),
        );
        assert.ok(await client.disable(disabled, 'gone'));
        await client.delete(deleted);
        const { webhook, status, reason, eventType } = wished;
        const webhookId = webhook === undefined ? undefined : (webhooks[webhook] as string);
        const from = wished.from ?? (webhookId === undefined ? start : undefined);
        const to = wished.to !== undefined && wished.to > (from ?? '') ? wished.to : undefined;
        const fitting = stored.filter(
          (row) =>
            [one, paused].includes(row.endpoint_id) &&
            row.endpoint_id === (webhookId ?? row.endpoint_id) &&
            row.status === (status ?? 'dead') &&
            row.reason === (reason ?? row.reason) &&
            row.event_type === (eventType ?? row.event_type) &&
            row.created_at >= (from ?? '') &&
            row.created_at < (to ?? '9'),
        );
        const filter = {
          ...(webhookId && { webhookId }),
          ...(status && { status }),
          ...(reason && { reason }),
          ...(eventType && { eventType }),
          ...(from && { from }),
          ...(to && { to }),
        };
        assert.equal(await count(client, filter), fitting.length);
        const { id, total } = await order(client, filter);
        assert.equal(total, fitting.length);
        await carryOut(server);
        const { queued, status: end } = await read(client, id);
        assert.deepEqual([queued, end], [fitting.length, 'finished']);
        await assertEachOnce(client, fitting);
        const after = new Map((await readDeliveries(server, client.tenant)).map((row) => [row.id, row]));
        for (const row of stored) {
          const changed = row.status === 'dead' && fitting.includes(row) ? { status: 'redelivered' } : {};
          assert.deepEqual(after.get(row.id), { ...row, ...changed });
        }
        for (const row of after.values()) {
          if (row.redelivery_of === null) continue;
          const { endpoint_id, event_id, event_type } = after.get(row.redelivery_of) as DeliveryRow;
          assert.deepEqual(
            [row.endpoint_id, row.event_id, row.event_type, row.status, row.attempts, row.first_attempt_at],
            [endpoint_id, event_id, event_type, 'pending', 0, null],
          );
        }
        // A hundred a second.
        const due = [...after.values()].filter((row) => row.redelivery_of !== null).map((row) => row.due_at);
        const planned = fitting.map((_, index) => new Date(server.clock.milliseconds() + index * 10).toISOString());
        assert.deepEqual(due.sort(), planned);
      }),
      { numRuns: 25 },
    );
  });

  test('returns a job with its progress', async () => {
    const client = await createClient(server);
    const { id: webhookId } = await client.created();
    await storeDead(client, webhookId, 501);
    const ordered = await order(client, { webhookId, from: '2026-11-01T01:00:00+01:00' });
    const { id, ...rest } = ordered;
    const createdAt = server.clock.now();
    const filter = { webhookId, status: 'dead', reason: null, eventType: null, from: start, to: null };
    assert.deepEqual(rest, { status: 'running', filter, total: 501, queued: 0, createdAt, finishedAt: null });
    assert.deepEqual(await read(client, id), ordered);
    server.clock.advance(1000);
    const signalled = await client.signalled(() => stepRedeliveries(server.installation.database, server.clock.now()));
    assert.deepEqual(signalled, [webhookId]);
    assert.deepEqual(await read(client, id), { ...ordered, queued: 500 });
    await carryOut(server);
    const finishedAt = server.clock.now();
    assert.deepEqual(await read(client, id), { ...ordered, status: 'finished', queued: 501, finishedAt });
  });

  test('is finished immediately if nothing matches', async () => {
    const client = await createClient(server);
    const { id: webhookId } = await client.created();
    const { status, total, finishedAt } = await order(client, { webhookId });
    assert.deepEqual([status, total, finishedAt], ['finished', 0, server.clock.now()]);
    payload(await client.send('POST', '/redeliver', { webhookId }));
  });

  test('never includes its own deliveries, even if they have already been delivered', async () => {
    const client = await createClient(server);
    const { id: webhookId } = await client.created();
    const stored = await storeDead(client, webhookId, 700, 'delivered');
    server.clock.advance(60_000);
    const { id } = await order(client, { webhookId, status: 'delivered' });
    const { kysely } = server.installation.database;
    // The clock of the server that runs it is behind.
    const late = new Date(Date.parse(server.clock.now()) - 1000).toISOString();
    for (let steps = 0; await stepRedeliveries(server.installation.database, late); steps += 1) {
      assert.ok(steps < 10, 'the order does not come to an end');
      await kysely.updateTable('webhook_deliveries').set({ status: 'delivered' }).execute();
    }
    assert.equal((await read(client, id)).queued, 700);
    await assertEachOnce(client, stored);
  });

  test('skips deliveries that are redelivered individually in the meantime', async () => {
    const client = await createClient(server);
    const { id: webhookId } = await client.created();
    const stored = await storeDead(client, webhookId, 3);
    const { id } = await order(client, { webhookId });
    payload(await client.send('POST', `/deliveries/${stored[1]?.id}/redeliver`));
    await carryOut(server);
    const { total, queued } = await read(client, id);
    assert.deepEqual([total, queued], [3, 2]);
    await assertEachOnce(client, stored);
  });

  test('skips webhooks that are deleted or disabled in the meantime', async () => {
    const client = await createClient(server);
    const webhooks = [await client.created(), await client.created(), await client.created()];
    const stored: DeliveryRow[] = [];
    for (const { id } of webhooks) stored.push(...(await storeDead(client, id, 2)));
    const { id } = await order(client, { from: start });
    assert.ok(await client.disable(webhooks[0].id, 'gone'));
    await client.delete(webhooks[1].id);
    await carryOut(server);
    const { status, total, queued } = await read(client, id);
    assert.deepEqual([status, total, queued], ['finished', 6, 2]);
    await assertEachOnce(client, stored.slice(4));
    const [last] = webhooks.slice(2);
    await storeDead(client, last.id, 1);
    const second = await order(client, { webhookId: last.id });
    await client.delete(last.id);
    await carryOut(server);
    const ended = await read(client, second.id);
    assert.deepEqual([ended.status, ended.queued], ['finished', 0]);
  });

  test('resumes when a server fails in the middle of a step', async () => {
    const client = await createClient(server);
    const { id: webhookId } = await client.created();
    const stored = await storeDead(client, webhookId, 1100);
    const { id } = await order(client, { webhookId });
    const { database } = server.installation;
    assert.equal(await stepRedeliveries(database, server.clock.now()), true);
    for (const table of ['webhook_redeliveries', 'webhook_deliveries'] as const) {
      const signalled = await client.signalled(async () => {
        await assert.rejects(stepRedeliveries(failAtUpdateOf(database, table), server.clock.now()), /the server ended/);
      });
      assert.deepEqual(signalled, []);
      assert.equal((await read(client, id)).queued, 500);
      assert.equal(repeatsOf(await readDeliveries(server, client.tenant)).size, 500);
    }
    await carryOut(server);
    assert.equal((await read(client, id)).queued, 1100);
    await assertEachOnce(client, stored);
  });

  test('is run by several servers concurrently, which repeat nothing', async () => {
    const clients = [await createClient(server), await createClient(server), await createClient(server)];
    const all = [];
    for (const client of clients) {
      const { id: webhookId } = await client.created();
      const stored = await storeDead(client, webhookId, 1200);
      all.push({ client, stored, id: (await order(client, { webhookId })).id });
    }
    await Promise.all([carryOut(server), carryOut(server), carryOut(server), carryOut(server)]);
    await carryOut(server);
    for (const { client, stored, id } of all) {
      const { status, queued } = await read(client, id);
      assert.deepEqual([status, queued], ['finished', 1200]);
      await assertEachOnce(client, stored);
    }
  });

  test('does not delay a tenant by the large job of another', async () => {
    const [large, small] = [await createClient(server), await createClient(server)];
    const { id: largeId } = await large.created();
    const { id: smallId } = await small.created();
    await storeDead(large, largeId, 1600);
    await storeDead(small, smallId, 1);
    const first = await order(large, { webhookId: largeId });
    const { database } = server.installation;
    await stepRedeliveries(database, server.clock.now());
    const second = await order(small, { webhookId: smallId });
    await stepRedeliveries(database, server.clock.now());
    assert.equal((await read(small, second.id)).status, 'finished');
    assert.equal((await read(large, first.id)).status, 'running');
    await carryOut(server);
    assert.equal((await read(large, first.id)).queued, 1600);
  });

  test('allows one job per tenant at a time', async () => {
    const client = await createClient(server);
    const { id: webhookId } = await client.created();
    await storeDead(client, webhookId, 2);
    const answers = await Promise.all(
      [1, 2, 3].map(() => client.send('POST', '/redeliver', { webhookId, status: 'dead' })),
    );
    const [made] = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 2);
    for (const answer of refused) {
      assertProblem(answer, '409 webhook_redelivery_running');
      assert.ok(answer.body.error.message.includes(made?.body.data.id));
    }
    await carryOut(server);
    payload(await client.send('POST', '/redeliver', { webhookId }));
  });

  test('rejects a request that is too broad, names a webhook that cannot receive, or belongs to another tenant', async () => {
    const [client, stranger] = [await createClient(server), await createClient(server)];
    const [open, disabled, deleted] = [await client.created(), await client.created(), await client.created()];
    await storeDead(client, open.id, 1);
    assert.ok(await client.disable(disabled.id, 'gone'));
    await client.delete(deleted.id);
    const both = [
      [{}, 'webhookId'],
      [{ status: 'dead' }, 'webhookId'],
      [{ to: start }, 'webhookId'],
      [{ webhookId: 'all' }, 'webhookId'],
      [{ webhookId: open.id, status: 'pending' }, 'status'],
      [{ webhookId: open.id, status: 'redelivered' }, 'status'],
      [{ webhookId: open.id, reason: 'because' }, 'reason'],
      [{ webhookId: open.id, eventType: 'consent' }, 'eventType'],
      [{ from: 'yesterday' }, 'from'],
      [{ from: start, to: start }, 'to'],
      [{ webhookId: open.id, dryrun: 'true' }, 'dryrun'],
    ] as const;
    await assertNothingWritten(server, async () => {
      for (const [body, path] of both) {
        const query = new URLSearchParams(body as Record<string, string>);
        assertProblem(await client.send('POST', '/redeliver', body), '422 validation_failed', [`body.${path}`]);
        assertProblem(await client.send('GET', `/redeliver?${query}`), '422 validation_failed', [`query.${path}`]);
      }
      for (const [asking, webhookId, problem] of [
        [client, unknownId, '404 not_found'],
        [stranger, open.id, '404 not_found'],
        [client, disabled.id, '409 webhook_not_enabled'],
        [client, deleted.id, '409 webhook_deleted'],
      ] as const) {
        assertProblem(await asking.send('POST', '/redeliver', { webhookId }), problem);
        assertProblem(await asking.send('GET', `/redeliver?webhookId=${webhookId}`), problem);
      }
    });
    assert.equal(await count(stranger, { from: start }), 0);
    assert.equal((await order(stranger, { from: start })).total, 0);
  });

  test('is recorded in the audit log', async () => {
    const client = await createClient(server);
    const { id: webhookId } = await client.created();
    await storeDead(client, webhookId, 2);
    const { id, filter } = await order(client, { webhookId, reason: 'http_error' });
    payload(await client.send('DELETE', `/redeliveries/${id}`), 200);
    const options = { key: client.tenant.key };
    const { items } = payload(await server.request('GET', '/v1/audit?limit=2', options), 200);
    const events = [];
    for (const item of items) {
      const { action, targetId, diff } = payload(await server.request('GET', `/v1/audit/${item.id}`, options), 200);
      events.push([action, targetId, diff]);
    }
    assert.deepEqual(events, [
      ['webhook_redelivery.canceled', id, { queued: 0, total: 2 }],
      ['webhook_redelivery.ordered', id, { filter, total: 2 }],
    ]);
  });
});

describeServerOnEachDatabase('redelivery jobs', (server) => {
  test('stop when they are canceled, and do not change after their end', async () => {
    const client = await createClient(server);
    const { id: webhookId } = await client.created();
    const stored = await storeDead(client, webhookId, 600);
    const { id } = await order(client, { webhookId });
    await stepRedeliveries(server.installation.database, server.clock.now());
    server.clock.advance(1000);
    const canceled = payload(await client.send('DELETE', `/redeliveries/${id}`), 200);
    const { status, queued, finishedAt } = canceled;
    assert.deepEqual([status, queued, finishedAt], ['canceled', 500, server.clock.now()]);
    assert.equal(await carryOut(server), 0);
    await assertEachOnce(client, stored.slice(0, 500));
    server.clock.advance(1000);
    await assertNothingWritten(server, async () => {
      assert.deepEqual(payload(await client.send('DELETE', `/redeliveries/${id}`), 200), canceled);
    });
    const rest = await order(client, { webhookId });
    await carryOut(server);
    const finished = await read(client, rest.id);
    assert.deepEqual([finished.status, finished.queued], ['finished', 100]);
    assert.deepEqual(payload(await client.send('DELETE', `/redeliveries/${rest.id}`), 200), finished);
    await assertEachOnce(client, stored);
  });

  test('are listed newest first, in pages', async () => {
    const [client, stranger] = [await createClient(server), await createClient(server)];
    const { id: webhookId } = await client.created();
    const ids: string[] = [];
    for (let number = 0; number < 5; number += 1) ids.unshift((await order(client, { webhookId })).id);
    const page = async (query: string) => payload(await client.send('GET', `/redeliveries${query}`), 200);
    const idsOf = (items: readonly RedeliveryView[]) => items.map(({ id }) => id);
    const whole = await page('');
    assert.deepEqual([idsOf(whole.items), whole.nextCursor], [ids, null]);
    assert.deepEqual(whole.items[1], await read(client, ids[1] as string));
    const first = await page('?limit=3');
    const second = await page(`?limit=3&cursor=${first.nextCursor}`);
    assert.deepEqual([...idsOf(first.items), ...idsOf(second.items)], ids);
    assert.equal(second.nextCursor, null);
    assert.deepEqual(payload(await stranger.send('GET', '/redeliveries'), 200), { items: [], nextCursor: null });
  });
});

/** The same database for a server that crashes when it would change rows of a table. */
function failAtUpdateOf(database: Database, table: string): Database {
  const kysely = database.kysely.withPlugin({
    transformQuery({ node }) {
      if (node.kind === 'UpdateQueryNode' && JSON.stringify(node.table).includes(`"${table}"`))
        throw new Error('the server ended');
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { ...database, kysely };
}
