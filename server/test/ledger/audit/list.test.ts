import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { actorTypes } from '../../../http/principal.ts';
import { describeOnOneDatabase, startTestServer, type TestServer } from '../../harness.ts';
import { assertInvalid, assertProblem } from '../../http/problems.ts';
import { appendEvent } from './audit-trail.ts';

const itemFields = 'id at actorId actorEmail actorType action module targetId targetRef hash prevHash'
  .split(' ')
  .sort();

/** The system has logged the tenant and its key before. */
const toldBefore = 2;

describeOnOneDatabase('GET /v1/audit', (dialect) => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer(dialect);
    for (let index = 0; index < 52; index += 1) {
      const actor = actorTypes[index % actorTypes.length] as (typeof actorTypes)[number];
      await appendEvent(server, server.tenant.id, { module: index % 3 === 0 ? 'consent' : 'webhooks', actor });
      server.clock.advance(1000);
    }
  });
  after(() => server[Symbol.asyncDispose]());

  const list = (query: string) => server.request('GET', `/v1/audit${query}`);
  async function count(query: string): Promise<number> {
    const { body, text } = await list(query);
    assert.ok(Array.isArray(body.data?.items), text);
    return body.data.items.length;
  }

  test('returns items and a cursor, and nothing else', async () => {
    const { body } = await list('?limit=2');
    assert.deepEqual(Object.keys(body.data), ['items', 'nextCursor']);
    for (const item of body.data.items) assert.deepEqual(Object.keys(item).sort(), itemFields);
    assert.match(body.data.items[0].at, /^2026-11-21T12:00:51\.000Z$/);
  });

  test('returns 50 events by default, and from 1 to 200', async () => {
    assert.equal(await count(''), 50);
    assert.equal(await count('?limit=1'), 1);
    assert.equal(await count('?limit=200'), 52 + toldBefore);
    for (const limit of ['0', '201', '-1', '1.5', '1e2', '', 'all', '%201', '0x10', '9999999999']) {
      assertInvalid(await list(`?limit=${limit}`), 'query.limit');
    }
  });

  test('accepts a module of 1 to 64 characters', async () => {
    for (const module of ['', 'm'.repeat(65)]) assertInvalid(await list(`?module=${module}`), 'query.module');
  });

  test('filters by the type of the actor', async () => {
    for (const actor of actorTypes) {
      assert.equal(await count(`?actor=${actor}`), actor === 'system' ? 13 + toldBefore : 13);
    }
    for (const actor of ['', 'visitor', 'USER', 'user,staff']) {
      assertInvalid(await list(`?actor=${actor}`), 'query.actor');
    }
  });

  test('filters from a time on and before a time', async () => {
    assert.equal(await count('?from=2026-11-21T12:00:50.000Z'), 2);
    assert.equal(await count('?from=2026-11-21T12:00:50.001Z'), 1);
    assert.equal(await count('?to=2026-11-21T12:00:02.000Z'), 2 + toldBefore);
    assert.equal(await count('?to=2026-11-21T12:00:02.001Z'), 3 + toldBefore);
    assert.equal(await count('?from=2026-11-21T12:00:10Z&to=2026-11-21T12:00:20Z'), 10);
    assert.equal(await count('?from=2026-11-21T12:00:20Z&to=2026-11-21T12:00:10Z'), 0);
    assert.equal(await count('?from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z'), 50);
    assert.equal(await count('?from=2030-01-01T00:00:00Z'), 0);
    assert.equal(await count('?to=2000-01-01T00:00:00Z'), 0);
  });

  test('accepts times with any offset and any number of decimals', async () => {
    assert.equal(await count('?from=2026-11-21T13:00:50%2B01:00'), 2);
    assert.equal(await count('?from=2026-11-21T13:00:50+01:00'), 2);
    assert.equal(await count('?from=2026-11-21T06:30:50.000-05:30'), 2);
    assert.equal(await count('?from=2026-11-21T12:00:50.000000Z'), 2);
  });

  test('rejects an invalid time', async () => {
    const wrong = [
      '',
      'yesterday',
      '2026-11-21',
      '2026-11-21T12:00:00',
      '2026-11-21 12:00:00Z',
      '2026-11-21T12:00:00%2001:00',
      '2026-13-01T00:00:00Z',
      '2026-02-30T00:00:00Z',
      '2026-11-21T25:00:00Z',
      '2026-11-21T12:00:00%2B25:00',
      '1795262400',
      '9999-12-31T23:59:59-01:00',
      '0000-01-01T00:00:00%2B01:00',
    ];
    for (const time of wrong) {
      assertInvalid(await list(`?from=${time}`), 'query.from');
      assertInvalid(await list(`?to=${time}`), 'query.to');
    }
  });

  test('names every invalid parameter at once', async () => {
    const response = await list('?actor=unknown&limit=0&from=x&nonsense=1');
    assertInvalid(response, 'query.actor', 'query.from', 'query.limit', 'query.nonsense');
  });

  test('accepts a cursor only with its own filters', async () => {
    const { nextCursor } = (await list('?module=consent&limit=3')).body.data;
    assert.equal(await count(`?module=consent&limit=5&cursor=${nextCursor}`), 5);
    const others = ['', 'actor=user&module=consent&', 'from=2026-11-21T12:00:00Z&module=consent&'];
    for (const other of others) assertProblem(await list(`?${other}cursor=${nextCursor}`), 'invalid_cursor');
  });
});
