import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { actorTypes } from '../../../http/principal.ts';
import { describeOnEachDatabase, startTestServer, type TestServer } from '../../harness.ts';
import { appendEvent, type ListedEvent, readAllPages, type WantedEvent } from './audit-trail.ts';

const modules = ['access', 'consent', 'tenants'];
const actions = ['event.one', 'event.two'];
const actorIds = ['ada', 'bob'];
const targetIds = ['notice', 'key', 'a "quoted" target'];
const start = Date.parse('2026-11-21T12:00:00.000Z');
/** Several events share a time, as those of one request do. */
const time = fc.integer({ min: -2, max: 22 }).map((step) => new Date(start + step * 1000).toISOString());
const filters = fc.record(
  {
    module: fc.constantFrom(...modules, 'none'),
    actor: fc.constantFrom(...actorTypes),
    action: fc.constantFrom(...actions, 'event'),
    actorId: fc.constantFrom(...actorIds),
    targetId: fc.constantFrom(...targetIds, '%'),
    from: time,
    to: time,
  },
  { requiredKeys: [] },
);

describeOnEachDatabase('paging through the audit log', (dialect) => {
  let server: TestServer;
  const written: (WantedEvent & { readonly at: string; readonly id: string })[] = [];
  before(async () => {
    server = await startTestServer(dialect);
    const { events } = await readAllPages(server);
    for (const { module, action, targetId, at, id } of events.toReversed())
      written.push({ module, action, targetId, actor: 'system', at, id });
    const stranger = await server.createTenant('stranger');
    const choices = fc.sample(
      fc.record({
        module: fc.constantFrom(...modules),
        actor: fc.constantFrom(...actorTypes),
        action: fc.constantFrom(...actions),
        actorId: fc.option(fc.constantFrom(...actorIds)),
        targetId: fc.option(fc.constantFrom(...targetIds)),
      }),
      {
        numRuns: 60,
        seed: 1,
      },
    );
    for (const [index, choice] of choices.entries()) {
      const event = { ...choice, at: server.clock.now() };
      await appendEvent(server, server.tenant.id, event);
      const [newest] = (await server.request('GET', '/v1/audit?limit=1')).body.data.items;
      await appendEvent(server, stranger.id, { module: 'consent', actor: 'user', action: 'event.of_another_tenant' });
      written.push({ ...event, id: newest.id });
      if (index % 3 === 2) server.clock.advance(1000);
    }
  });
  after(() => server[Symbol.asyncDispose]());

  test('returns each matching event once, newest first, in full pages', async () => {
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 61 }), async (filter, limit) => {
        const expected = written
          .filter(({ module }) => filter.module === undefined || module === filter.module)
          .filter(({ actor }) => filter.actor === undefined || actor === filter.actor)
          .filter(({ action }) => filter.action === undefined || action === filter.action)
          .filter(({ actorId }) => filter.actorId === undefined || actorId === filter.actorId)
          .filter(({ targetId }) => filter.targetId === undefined || targetId === filter.targetId)
          .filter(({ at }) => filter.from === undefined || at >= filter.from)
          .filter(({ at }) => filter.to === undefined || at < filter.to)
          .map(({ id }) => id)
          .reverse();
        const { events, pages } = await readAllPages(server, { ...filter, limit: String(limit) });
        assert.deepEqual(
          events.map(({ id }) => id),
          expected,
        );
        assert.ok(pages.slice(0, -1).every((size) => size === limit));
        assert.equal(pages.length, Math.max(1, Math.ceil(expected.length / limit)));
      }),
      { numRuns: 60 },
    );
  });

  test('is not affected by events that are added in between', async () => {
    const { events: before } = await readAllPages(server);
    const first = await server.request('GET', '/v1/audit?limit=10');
    await server.createNotice();
    const rest: ListedEvent[] = [];
    for (let cursor = first.body.data.nextCursor; cursor !== null; ) {
      const { body } = await server.request('GET', `/v1/audit?limit=10&cursor=${cursor}`);
      rest.push(...body.data.items);
      cursor = body.data.nextCursor;
    }
    assert.deepEqual([...first.body.data.items, ...rest], before);
  });

  test('follows the chain: each event names the hash of the one before it', async () => {
    const { events } = await readAllPages(server, { limit: '7' });
    for (const [index, event] of events.entries()) {
      assert.match(event.hash, /^[0-9a-f]{64}$/);
      assert.equal(event.prevHash, events[index + 1]?.hash ?? null);
    }
  });
});
