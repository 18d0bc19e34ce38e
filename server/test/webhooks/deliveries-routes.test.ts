import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import {
  type DeliveryRow,
  DeliveryStatus,
  type DeliveryView,
  viewDelivery,
} from '../../webhooks/deliveries/delivery.ts';
import { mostLookedAt } from '../../webhooks/deliveries/store.ts';
import { assertProblem, describeServer, payload, unknownId } from '../consent/helpers.ts';
import { storeAttempt, storeDeliveries, storeDelivery } from './stored-deliveries.ts';
import { createClient, type WebhookClient } from './webhook-client.ts';

const reasons = ['timeout', 'tls', 'http_error'] as const;
const types = ['consent.recorded', 'dsr.created', 'mfa.enabled'] as const;
type Filter = Readonly<Record<string, string>>;

const minute = (number: number) => `2026-11-20T10:${String(number).padStart(2, '0')}:00.000Z`;

/** One page of the list. */
function list(client: WebhookClient, filter: Filter = {}) {
  return client.send('GET', `/deliveries?${new URLSearchParams(filter)}`);
}

/** Reads all pages of the list. @returns the items of each page. */
async function readList(client: WebhookClient, filter: Filter): Promise<readonly (readonly DeliveryView[])[]> {
  const pages: DeliveryView[][] = [];
  let cursor: string | null = null;
  do {
    const page: { items: DeliveryView[]; nextCursor: string | null } = payload(
      await list(client, { ...filter, ...(cursor !== null && { cursor }) }),
      200,
    );
    pages.push(page.items);
    cursor = page.nextCursor;
    assert.ok(pages.length < 100, 'the list does not come to an end');
  } while (cursor !== null);
  return pages;
}

const newestFirst = (one: DeliveryRow, other: DeliveryRow) =>
  one.created_at === other.created_at ? (one.id < other.id ? 1 : -1) : one.created_at < other.created_at ? 1 : -1;

describeServer('GET /v1/webhooks/deliveries', (server) => {
  let client: WebhookClient;
  let webhookIds: readonly string[];
  /** Newest first. */
  let all: readonly DeliveryRow[];
  before(async () => {
    client = await createClient(server);
    webhookIds = [(await client.created()).id, (await client.created()).id];
    // Times that are not in the order of the ids, and some shared by several.
    const wanted = Array.from({ length: 60 }, (_, number) => ({
      webhookId: webhookIds[number % 2] as string,
      status: DeliveryStatus.options[number % DeliveryStatus.options.length] as DeliveryView['status'],
      reason: number % 3 === 0 ? null : (reasons[number % reasons.length] as string),
      eventType: types[(number >> 1) % types.length] as string,
      createdAt: minute((number * 7) % 20),
    }));
    all = [...(await storeDeliveries(server, client.tenant, wanted))].sort(newestFirst);
  });

  test('returns the 50 newest as the operation for one does, without the event data, and a cursor', async () => {
    const { items, nextCursor } = payload(await list(client), 200);
    assert.deepEqual(items, all.slice(0, 50).map(viewDelivery));
    assert.ok(!JSON.stringify(items).includes('of the event'));
    const {
      event: _event,
      attempts: _attempts,
      ...same
    } = payload(await client.send('GET', `/deliveries/${all[3]?.id}`), 200);
    assert.deepEqual(items[3], same);
    const next = payload(await list(client, { cursor: nextCursor }), 200);
    assert.deepEqual(next, { items: all.slice(50).map(viewDelivery), nextCursor: null });
  });

  test('equals a plain filter of all deliveries, for all filters together, in pages of any size', async () => {
    const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
    const time = fc.integer({ min: 0, max: 20 }).map(minute);
    await fc.assert(
      fc.asyncProperty(
        optional(fc.constantFrom(...DeliveryStatus.options)),
        optional(fc.constantFrom(0, 1, 2)),
        optional(fc.constantFrom(...types, 'breach.reported' as const)),
        optional(fc.constantFrom(...reasons, 'dns' as const)),
        optional(time),
        optional(time),
        fc.integer({ min: 3, max: 70 }),
        async (status, webhook, eventType, reason, from, to, limit) => {
          const webhookId = webhook === undefined ? undefined : (webhookIds[webhook] ?? unknownId);
          const expected = all.filter(
            (row) =>
              row.status === (status ?? row.status) &&
              row.endpoint_id === (webhookId ?? row.endpoint_id) &&
              row.event_type === (eventType ?? row.event_type) &&
              row.reason === (reason ?? row.reason) &&
              row.created_at >= (from ?? '') &&
              row.created_at < (to ?? '9'),
          );
          const filter = {
            ...(status && { status }),
            ...(webhookId && { webhookId }),
            ...(eventType && { eventType }),
            ...(reason && { reason }),
            ...(from && { from }),
            ...(to && { to }),
            limit: String(limit),
          };
          const pages = await readList(client, filter);
          assert.deepEqual(pages.flat(), expected.map(viewDelivery));
          assert.ok(pages.slice(0, -1).every((page) => page.length === limit));
          assert.ok(expected.length === 0 || pages.at(-1)?.length !== 0);
        },
      ),
      {
        numRuns: 80,
        examples: [
          [undefined, 0, undefined, undefined, undefined, undefined, 3],
          [undefined, 1, undefined, undefined, minute(5), minute(9), 4],
          ['dead', undefined, undefined, undefined, undefined, undefined, 5],
        ],
      },
    );
  });

  test('returns no delivery twice when others are added between two pages', async () => {
    const other = await createClient(server);
    const { id: webhookId } = await other.created();
    const ids: string[] = [];
    const store = async () => ids.unshift(await storeDelivery(server, other.tenant, { webhookId }));
    for (let number = 0; number < 4; number += 1) await store();
    for (const filter of [{}, { webhookId }] as readonly Filter[]) {
      const expected = ids.slice(0, 4);
      const first = payload(await list(other, { ...filter, limit: '2' }), 200);
      await store();
      const second = payload(await list(other, { ...filter, limit: '2', cursor: first.nextCursor }), 200);
      assert.deepEqual(
        [...first.items, ...second.items].map(({ id }: DeliveryView) => id),
        expected,
      );
    }
  });

  test('scans a bounded number for a page, and continues if none matched', async () => {
    const other = await createClient(server);
    const { id: webhookId } = await other.created();
    const store = (status: 'dead' | 'redelivered') =>
      storeDelivery(server, other.tenant, { webhookId, status, reason: 'tls' });
    const fitting = [await store('redelivered'), await store('dead')].reverse();
    const rest = Array.from({ length: mostLookedAt + 3 }, () => ({ webhookId, reason: 'timeout' }));
    await storeDeliveries(server, other.tenant, rest);
    for (const filter of [{}, { webhookId }] as readonly Filter[]) {
      const idsOf = async (more: Filter) =>
        (await readList(other, { ...filter, ...more, reason: 'tls' })).map((page) => page.map(({ id }) => id));
      assert.deepEqual(await idsOf({}), [[], fitting]);
      assert.deepEqual(await idsOf({ status: 'dead' }), [[], fitting.slice(0, 1)]);
      assert.deepEqual(await idsOf({ status: 'redelivered' }), [[], fitting.slice(1)]);
    }
    // The preview of an order counts in batches of that size.
    for (const [reason, number] of [
      ['tls', 1],
      ['timeout', rest.length],
    ] as const) {
      const filter = new URLSearchParams({ webhookId, status: 'dead', reason });
      assert.deepEqual(payload(await other.send('GET', `/redeliver?${filter}`), 200), { count: number });
    }
  });

  test('includes deliveries before their first attempt', async () => {
    const other = await createClient(server);
    const { id: webhookId } = await other.created({ eventTypes: ['breach.reported'] });
    await other.happen();
    const { items } = payload(await list(other, { status: 'pending', webhookId }), 200);
    assert.equal(items.length, 1);
    const { id, eventId, ...rest } = items[0];
    const now = server.clock.now();
    assert.deepEqual(rest, {
      webhookId,
      eventType: 'breach.reported',
      status: 'pending',
      reason: null,
      responseStatus: null,
      attemptCount: 0,
      firstAttemptAt: null,
      nextAttemptAt: now,
      redeliveryOf: null,
      createdAt: now,
      finishedAt: null,
    });
  });

  test('rejects invalid filters, and cursors of other lists', async () => {
    for (const [name, value] of [
      ['status', 'failed'],
      ['webhookId', 'x'],
      ['eventType', 'consent'],
      ['reason', 'because'],
      ['from', 'yesterday'],
      ['to', '2026-11-20'],
    ] as const)
      assertProblem(await list(client, { [name]: value }), '422 validation_failed', [`query.${name}`]);
    const { nextCursor: cursor } = payload(await list(client, { limit: '5' }), 200);
    payload(await list(client, { limit: '7', cursor }), 200);
    for (const filter of [
      { status: 'dead' },
      { webhookId: webhookIds[0] as string },
      { eventType: 'dsr.created' },
      { reason: 'tls' },
      { from: minute(0) },
      { to: minute(0) },
    ] as readonly Filter[])
      assertProblem(await list(client, { ...filter, cursor }), '400 invalid_cursor');
    const stranger = await createClient(server);
    for (const wrong of ['', 'x', all[3]?.id as string])
      assertProblem(await list(client, { cursor: wrong }), '400 invalid_cursor');
    assertProblem(await list(stranger, { cursor }), '400 invalid_cursor');
    for (const filter of [{}, { webhookId: webhookIds[0] as string }, { status: 'dead' }] as readonly Filter[])
      assert.deepEqual(payload(await list(stranger, filter), 200), { items: [], nextCursor: null });
  });
});

describeServer('GET /v1/webhooks/deliveries/{id}', (server) => {
  test('returns the event, and every attempt, oldest first', async () => {
    const client = await createClient(server);
    const { id: webhookId } = await client.created();
    const data = { subjectId: 'subject-1', nested: [1, null, { deep: true }] };
    const [row] = await storeDeliveries(server, client.tenant, [{ webhookId, data }]);
    const { id, event_id, created_at } = row as DeliveryRow;
    const later = new Date(Date.parse(server.clock.now()) + 5000).toISOString();
    const nothing = { response_status: null, message: null, excerpt: null };
    const second = await storeAttempt(server, id, { at: later, outcome: 'timeout', milliseconds: 15_000, ...nothing });
    const first = await storeAttempt(server, id);
    const { event, attempts, ...rest } = payload(await client.send('GET', `/deliveries/${id}`), 200);
    assert.deepEqual(rest, viewDelivery(row as DeliveryRow));
    assert.deepEqual(event, {
      id: event_id,
      type: 'consent.recorded',
      createdAt: created_at,
      tenantId: client.tenant.id,
      data,
    });
    assert.deepEqual(attempts, [
      {
        id: first.id,
        at: first.at,
        outcome: 'http_error',
        responseStatus: 500,
        message: 'The receiver answered 500.',
        excerpt: '<script>alert(1)</script>',
        milliseconds: 12,
      },
      {
        id: second.id,
        at: later,
        outcome: 'timeout',
        responseStatus: null,
        message: null,
        excerpt: null,
        milliseconds: 15_000,
      },
    ]);
  });

  test('returns 404 for a delivery whose event was deleted', async () => {
    const client = await createClient(server);
    const { id: webhookId } = await client.created();
    const [row] = await storeDeliveries(server, client.tenant, [{ webhookId }]);
    const { id, event_id } = row as DeliveryRow;
    payload(await client.send('GET', `/deliveries/${id}`), 200);
    await server.installation.database.kysely.deleteFrom('webhook_events').where('id', '=', event_id).execute();
    assertProblem(await client.send('GET', `/deliveries/${id}`), '404 not_found');
  });
});
