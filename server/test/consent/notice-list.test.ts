import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import type { TestTenant } from '../harness.ts';
import { assertProblem, createFreshTenant, describeServer, payload, readPages } from './helpers.ts';

interface Item {
  readonly id: string;
  readonly name: string;
}

describeServer('GET /v1/consent', (server) => {
  let tenant: TestTenant;
  /** Newest first. */
  const ids: string[] = [];
  before(async () => {
    tenant = await createFreshTenant(server);
    for (let number = 1; number <= 27; number += 1) {
      const content = { name: `Notice ${number}`, domain: number % 3 === 0 ? 'third.example' : 'example.com' };
      ids.unshift(await server.createNotice({ key: tenant.key, content, publish: number % 2 === 0 }));
    }
  });
  const list = (query: Record<string, string> | string, key = tenant.key) =>
    server.request('GET', `/v1/consent?${new URLSearchParams(query)}`, { key });
  const idsOf = (items: readonly Item[]) => items.map(({ id }) => id);

  test('gives the 25 newest, and where to go on', async () => {
    const { data, page } = payload(await list({}), 200);
    assert.deepEqual(idsOf(data), ids.slice(0, 25));
    assert.deepEqual(page, { cursor: null, nextCursor: page.nextCursor, limit: 25, total: 27 });
    const next = payload(await list({ cursor: page.nextCursor }), 200);
    assert.deepEqual(idsOf(next.data), ids.slice(25));
    assert.deepEqual(next.page, { cursor: page.nextCursor, nextCursor: null, limit: 25, total: 27 });
  });

  test('gives each notice as the operation for one does', async () => {
    for (const notice of payload(await list({ limit: '3' }), 200).data) {
      assert.deepEqual(
        payload(await server.request('GET', `/v1/consent/${notice.id}`, { key: tenant.key }), 200),
        notice,
      );
    }
  });

  test('is empty for a tenant without notices', async () => {
    const { key } = await createFreshTenant(server);
    const empty = { data: [], page: { cursor: null, nextCursor: null, limit: 25, total: 0 } };
    assert.deepEqual(payload(await list({}, key), 200), empty);
  });

  test('takes limits from 1 to 100', async () => {
    for (const limit of [1, 27, 100]) {
      const { data, page } = payload(await list({ limit: String(limit) }), 200);
      assert.deepEqual([data.length, page.limit, page.nextCursor === null], [Math.min(limit, 27), limit, limit >= 27]);
    }
  });

  test('refuses other limits, statuses and parameters', async () => {
    for (const limit of ['0', '101', '-1', '1.5', '1e1', '0x10', ' 5', 'ten', '', '99999999999999999999']) {
      assertProblem(await list({ limit }), '422 validation_failed', ['query.limit']);
    }
    assertProblem(await list({ status: 'Published', stauts: 'draft' }), '422 validation_failed', [
      'query.status',
      'query.stauts',
    ]);
    assertProblem(await list({ search: 'x'.repeat(201) }), '422 validation_failed', ['query.search']);
    assertProblem(await list({ domain: 'x'.repeat(254) }), '422 validation_failed', ['query.domain']);
    assertProblem(await list('search=%00'), '422 validation_failed', ['query.search']);
  });

  test('filters by status', async () => {
    const key = tenant.key;
    const drafts = payload(await list({ status: 'draft', limit: '100' }), 200);
    const published = payload(await list({ status: 'published', limit: '100' }), 200);
    assert.deepEqual([drafts.page.total, published.page.total], [14, 13]);
    assert.deepEqual(idsOf([...drafts.data, ...published.data]).sort(), [...ids].sort());
    const other = await createFreshTenant(server);
    const archived = await server.createNotice({ key: other.key });
    await server.createNotice({ key: other.key });
    await server.request('POST', `/v1/consent/${archived}/archive`, { key: other.key });
    assert.deepEqual(idsOf(payload(await list({ status: 'archived' }, other.key), 200).data), [archived]);
    assert.equal(payload(await list({ status: 'archived' }, key), 200).page.total, 0);
  });

  test('filters by domain in any spelling, and by all filters together', async () => {
    for (const domain of ['third.example', 'THIRD.example.', ' third.example ']) {
      assert.equal(payload(await list({ domain }), 200).page.total, 9);
    }
    for (const domain of ['example', 'd.example', '%', 'https://third.example', 'third.example/', '']) {
      assert.equal(payload(await list({ domain }), 200).page.total, 0, domain);
    }
    const both = payload(await list({ domain: 'third.example', status: 'published', search: 'notice 1' }), 200);
    assert.deepEqual(
      both.data.map(({ name }: Item) => name),
      ['Notice 18', 'Notice 12'],
    );
  });

  test('searches name, controller and domain as plain text in any case', async () => {
    const { key } = await createFreshTenant(server);
    const names = ['100% sure', '100 sure', 'a_b', 'axb', 'back\\slash', 'ＦＵＬＬ', 'École', "O'Neil"];
    for (const name of names) {
      const content = {
        name,
        controllerName: `Controller of ${names.indexOf(name)}`,
        domain: `d${names.indexOf(name)}.example`,
      };
      await server.createNotice({ key, content, publish: false });
    }
    const expected: Readonly<Record<string, readonly string[]>> = {
      '%': ['100% sure'],
      '0% s': ['100% sure'],
      _: ['a_b'],
      '\\': ['back\\slash'],
      SURE: ['100% sure', '100 sure'],
      full: ['ＦＵＬＬ'],
      ÉCOLE: ['École'],
      'E\u0301cole': ['École'],
      "o'neil": ["O'Neil"],
      'controller OF 3': ['axb'],
      'D4.example': ['back\\slash'],
      'nothing like it': [],
      '': names,
    };
    for (const [search, found] of Object.entries(expected)) {
      const { data, page } = payload(await list({ search }, key), 200);
      assert.deepEqual(new Set(data.map(({ name }: Item) => name)), new Set(found), search);
      assert.equal(page.total, found.length);
    }
  });

  test('follows an edit with its filters', async () => {
    const { key } = await createFreshTenant(server);
    const id = await server.createNotice({ key });
    await server.request('PATCH', `/v1/consent/${id}`, { key, body: { name: 'Renamed', domain: 'moved.example' } });
    assert.equal(payload(await list({ search: 'website' }, key), 200).page.total, 0);
    assert.equal(payload(await list({ search: 'renamed', domain: 'moved.example' }, key), 200).page.total, 1);
  });

  test('refuses cursors that it did not give for this very list', async () => {
    const { nextCursor } = payload(await list({ limit: '5' }), 200).page;
    payload(await list({ limit: '7', cursor: nextCursor }), 200);
    for (const filter of [{ status: 'draft' }, { domain: 'example.com' }, { search: 'notice' }]) {
      assertProblem(await list({ ...filter, cursor: nextCursor }), '400 invalid_cursor');
    }
    assertProblem(await list({ cursor: nextCursor }, server.tenant.key), '400 invalid_cursor');
  });

  test('pages of any size give every notice once, newest first', async () => {
    const sizes = fc.integer({ min: 1, max: 30 });
    await fc.assert(
      fc.asyncProperty(sizes, async (limit) => {
        const pages = await readPages<Item>(server, '/v1/consent', limit, { key: tenant.key });
        assert.deepEqual(idsOf(pages.flat()), ids);
        assert.ok(pages.slice(0, -1).every((page) => page.length === limit));
      }),
      { numRuns: 5, examples: [[1], [9], [27]] },
    );
  });
});
