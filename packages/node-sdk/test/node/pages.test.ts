import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { ConfigurationError, type PageForm, ResponseError } from '@svc/node-sdk';
import fc from 'fast-check';
import { createClient, type Received, reading, sendError, sendJson, startScriptedServer } from './scripted-server.ts';

/** Responds with a page of the numbers from 1 to `total`, two on each. */
function sendPage(form: PageForm, total: number) {
  return (response: ServerResponse, { path }: Received): void => {
    const query = new URL(path, 'http://x').searchParams;
    const start = Number(query.get(form === 'scim' ? 'startIndex' : 'cursor') ?? 1);
    const items = [start, start + 1].filter((item) => item <= total);
    const nextCursor = start + 2 <= total ? String(start + 2) : null;
    if (form === 'items') sendJson(response, 200, { data: { items, nextCursor } });
    else if (form === 'data')
      sendJson(response, 200, {
        data: { data: items, page: { cursor: query.get('cursor'), nextCursor, limit: 2, total } },
      });
    else
      sendJson(response, 200, { totalResults: total, startIndex: start, itemsPerPage: items.length, Resources: items });
  };
}

const listOf = (page: PageForm) => ({ ...reading, page, answer: page === 'scim' ? 'bare' : 'data' }) as const;

describe('a list', () => {
  for (const form of ['items', 'data', 'scim'] as const) {
    it(`returns every item of every page in order, in the form ${form}, with and without prefetching`, async () => {
      await using server = await startScriptedServer(sendPage(form, 5));
      await using svc = createClient(server);
      for (const prefetch of [false, true]) {
        const items: number[] = [];
        for await (const item of svc.list<number>({ ...listOf(form), query: { filter: 'a b' } }, { prefetch }))
          items.push(item);
        assert.deepEqual(items, [1, 2, 3, 4, 5]);
      }
      assert.equal(server.received.length, 6);
      for (const { path } of server.received) assert.match(path, /filter=a%20b/);
    });

    it(`returns one page at a time, in the form ${form}`, async () => {
      await using server = await startScriptedServer(sendPage(form, 3));
      await using svc = createClient(server);
      const page = await svc.list<number>(listOf(form));
      assert.deepEqual([page.items, page.nextCursor, page.hasNextPage], [[1, 2], '3', true]);
      assert.equal(page.total, form === 'items' ? null : 3);
      assert.equal(page.response.status, 200);
      const next = await page.nextPage();
      assert.deepEqual([next?.items, next?.nextCursor, next?.hasNextPage], [[3], null, false]);
      assert.equal(await next?.nextPage(), null);
      assert.equal(server.received.length, 2);
    });
  }

  it('resumes from a stored cursor', async () => {
    await using server = await startScriptedServer(sendPage('items', 5));
    await using svc = createClient(server);
    const { nextCursor } = await svc.list(listOf('items'));
    const rest = await svc
      .list<number>({ ...listOf('items'), query: { cursor: nextCursor ?? '' } })
      .toArray({ limit: 100 });
    assert.deepEqual(rest, [3, 4, 5]);
  });

  it('resumes in SCIM as well, where a cursor is the start index', async () => {
    await using server = await startScriptedServer(sendPage('scim', 5));
    await using svc = createClient(server, { scimToken: 'scim_0123456789' });
    const first = await svc.scim.users.list({ filter: 'userName eq "a"' });
    assert.equal(first.nextCursor, '3');
    const rest = svc.scim.users.list({ filter: 'userName eq "a"', cursor: first.nextCursor });
    assert.deepEqual(await rest.toArray({ limit: 100 }), [3, 4, 5]);
    assert.deepEqual(await svc.scim.groups.list({ cursor: '5' }).toArray({ limit: 100 }), [5]);
    for (const { path } of server.received) assert.doesNotMatch(path, /cursor/);
    await assert.rejects(Promise.resolve(svc.scim.users.list({ cursor: '3', startIndex: 1 })), ConfigurationError);
    assert.equal(server.received.length, 4);
  });

  it('is rejected if its pages form a cycle of any length', async () => {
    for (const length of [1, 2, 3, 7]) {
      await using server = await startScriptedServer((response, _, number) =>
        sendJson(response, 200, {
          data: { items: [number], nextCursor: number < 5 ? `lead${number}` : `c${number % length}` },
        }),
      );
      await using svc = createClient(server);
      await assert.rejects(svc.list(listOf('items')).toArray({ limit: 1000 }), ResponseError);
      assert.ok(server.received.length <= 4 * (length + 5), `${server.received.length} pages of ${length}`);
    }
  });

  it('reports invalid arguments as any other failure, also without types', async () => {
    await using server = await startScriptedServer(sendPage('items', 5));
    await using svc = createClient(server);
    const wrong = [
      svc.list(listOf('items')).toArray(undefined as unknown as { limit: number }),
      svc.list(listOf('items')).toArray({} as { limit: number }),
      svc.audit.list(null as unknown as object),
      svc.audit.list('x' as unknown as object),
      svc.audit.list({}, { prefech: true } as object),
    ];
    for (const list of wrong) await assert.rejects(Promise.resolve(list), ConfigurationError);
    assert.equal(server.received.length, 0);
  });

  it('fetches only the pages that are used', async () => {
    await using server = await startScriptedServer(sendPage('items', 100));
    await using svc = createClient(server);
    assert.deepEqual(await svc.list<number>(listOf('items')).toArray({ limit: 2 }), [1, 2]);
    assert.equal(server.received.length, 1);
    assert.deepEqual(await svc.list<number>(listOf('items')).toArray({ limit: 0 }), []);
    assert.equal(server.received.length, 1);
    for await (const item of svc.list<number>(listOf('items'))) if (item === 3) break;
    assert.equal(server.received.length, 3);
    for (const limit of [-1, 1.5, Number.NaN])
      await assert.rejects(svc.list(listOf('items')).toArray({ limit }), /limit/);
  });

  it('prefetches the next page if enabled', async () => {
    const second = Promise.withResolvers<void>();
    const pages = sendPage('items', 3);
    await using server = await startScriptedServer((response, request, number) => {
      if (number === 2) second.resolve();
      pages(response, request);
    });
    await using svc = createClient(server);
    const items: number[] = [];
    for await (const item of svc.list<number>(listOf('items'), { prefetch: true })) {
      // Without prefetching, this would wait forever.
      if (item === 1) await second.promise;
      items.push(item);
    }
    assert.deepEqual(items, [1, 2, 3]);
  });

  it('that fails later fails in the iteration, after the items before; an abandoned one is silent', async () => {
    const pages = sendPage('items', 9);
    await using server = await startScriptedServer((response, request) => {
      if (request.path.includes('cursor')) sendError(response, 400, 'invalid_cursor');
      else pages(response, request);
    });
    await using svc = createClient(server);
    for (const prefetch of [false, true]) {
      const items: number[] = [];
      const iterate = async () => {
        for await (const item of svc.list<number>(listOf('items'), { prefetch })) items.push(item);
      };
      await assert.rejects(iterate(), { code: 'invalid_cursor' });
      assert.deepEqual(items, [1, 2]);
    }
    for await (const _ of svc.list(listOf('items'), { prefetch: true })) break;
  });

  it('returns its pages, and its first one with its metadata, with one request', async () => {
    await using server = await startScriptedServer(sendPage('data', 4));
    await using svc = createClient(server);
    const list = svc.list<number>(listOf('data'));
    const { data, response } = await list.withResponse();
    assert.deepEqual([data.items, response.attempts], [[1, 2], 1]);
    const totals: (number | null)[] = [];
    for await (const page of list.pages()) totals.push(page.total);
    assert.deepEqual(totals, [4, 4]);
    assert.equal(server.received.length, 2);
  });

  it('is rejected if it is invalid, or would never end', async () => {
    const answers: unknown[] = [
      { data: null },
      { data: 'x' },
      { data: {} },
      { data: { items: {} } },
      { data: { data: [] } },
    ];
    await using server = await startScriptedServer((response) => {
      sendJson(response, 200, answers.length > 0 ? answers.shift() : { data: { items: [1], nextCursor: 'same' } });
    });
    await using svc = createClient(server);
    for (let left = answers.length; left > 0; left -= 1) {
      const list = Promise.resolve(svc.list(listOf('items')));
      await assert.rejects(list, (error) => ResponseError.isInstance(error) && error.status === 200);
    }
    await assert.rejects(svc.list(listOf('items')).toArray({ limit: 100 }), ResponseError);
    assert.equal(server.received.length, 7);
  });

  it('ends where SCIM counts more resources than it has', async () => {
    await using server = await startScriptedServer((response, { path }) =>
      sendJson(
        response,
        200,
        path.includes('startIndex')
          ? { totalResults: 9, startIndex: 2 }
          : { totalResults: 9, startIndex: 1, Resources: [1] },
      ),
    );
    await using svc = createClient(server);
    assert.deepEqual(await svc.list(listOf('scim')).toArray({ limit: 100 }), [1]);
  });

  it('returns each item once, whatever its length (property)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 30 }),
        fc.constantFrom<PageForm>('items', 'data', 'scim'),
        fc.boolean(),
        async (total, form, prefetch) => {
          await using server = await startScriptedServer(sendPage(form, total));
          await using svc = createClient(server);
          const items = await svc.list<number>(listOf(form), { prefetch }).toArray({ limit: 1000 });
          assert.deepEqual(
            items,
            Array.from({ length: total }, (_, index) => index + 1),
          );
        },
      ),
      { numRuns: 20 },
    );
  });
});
