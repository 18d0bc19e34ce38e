import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { DsrStatus, type DsrView, dsrTypes } from '../../privacy/dsr.ts';
import { assertProblem, createFreshTenant, describeServer, payload, readPages } from '../consent/helpers.ts';
import { day, PrivacyClient, shift } from './requests.ts';

const subjects = ['subject-1', 'subject-2', 'Subject-1', 'subject-1 ', '%'];

describeServer('GET /v1/dsr', (server) => {
  let client: PrivacyClient;
  /** Newest first. */
  const all: DsrView[] = [];
  before(async () => {
    client = new PrivacyClient(server, await createFreshTenant(server));
    for (let number = 0; number < 33; number += 1) {
      const { id } = await client.opened({
        type: dsrTypes[number % dsrTypes.length],
        subjectId: subjects[number % subjects.length],
        receivedAt: shift(server.clock.now(), -(number % 4) * 10 * day - (number % 4 === 3 ? 1 : 0)),
      });
      if (number % 7 === 3) payload(await client.complete(id), 200);
      all.unshift(await client.read('dsr', id));
    }
  });
  const idsOf = (dsrs: readonly DsrView[]) => dsrs.map(({ id }) => id);

  test('gives the 25 newest as the operation for one does, and where to go on', async () => {
    const { items, nextCursor } = payload(await client.list('dsr'), 200);
    assert.deepEqual(items, all.slice(0, 25));
    const next = payload(await client.list('dsr', { cursor: nextCursor }), 200);
    assert.deepEqual(next, { items: all.slice(25), nextCursor: null });
  });

  test('has what a plain filter of all requests has, for all filters together', async () => {
    assert.ok(all.some(({ isOverdue }) => isOverdue));
    await fc.assert(
      fc.asyncProperty(
        fc.option(fc.constantFrom(...DsrStatus.options), { nil: undefined }),
        fc.option(fc.constantFrom(...dsrTypes), { nil: undefined }),
        fc.option(fc.constantFrom(...subjects, 'unknown'), { nil: undefined }),
        fc.option(fc.boolean(), { nil: undefined }),
        fc.integer({ min: 1, max: 100 }),
        async (status, type, subjectId, overdue, limit) => {
          const filter = {
            ...(status && { status }),
            ...(type && { type }),
            ...(subjectId && { subjectId }),
            ...(overdue !== undefined && { overdue: String(overdue) }),
          };
          const expected = all.filter(
            (dsr) =>
              dsr.status === (status ?? dsr.status) &&
              dsr.type === (type ?? dsr.type) &&
              dsr.subjectId === (subjectId ?? dsr.subjectId) &&
              dsr.isOverdue === (overdue ?? dsr.isOverdue),
          );
          const { items, nextCursor } = payload(await client.list('dsr', { ...filter, limit: String(limit) }), 200);
          assert.deepEqual(items, expected.slice(0, limit));
          assert.equal(nextCursor !== null, expected.length > limit);
        },
      ),
      {
        numRuns: 60,
        examples: [
          ['open', undefined, undefined, true, 3],
          [undefined, undefined, undefined, false, 100],
        ],
      },
    );
  });

  test('gives every request once, newest first, whatever the size of a page', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), async (limit) => {
        const pages = await readPages<DsrView>(server, '/v1/dsr', limit, { key: client.tenant.key });
        assert.deepEqual(idsOf(pages.flat()), idsOf(all));
        assert.ok(pages.slice(0, -1).every((page) => page.length === limit));
      }),
      { numRuns: 5, examples: [[1], [11], [33]] },
    );
  });

  test('has no request twice when others come between two pages', async () => {
    const other = new PrivacyClient(server, await createFreshTenant(server));
    const first: string[] = [];
    for (let number = 0; number < 5; number += 1) first.unshift((await other.opened()).id);
    const pages = await readPages<DsrView>(server, '/v1/dsr', 2, {
      key: other.tenant.key,
      betweenPages: () => other.opened(),
    });
    assert.deepEqual(idsOf(pages.flat()), first);
  });

  test('has a request among the overdue from a millisecond after its due date until it is completed', async () => {
    const other = new PrivacyClient(server, await createFreshTenant(server));
    const now = server.clock.now();
    const due = await other.opened({ receivedAt: shift(now, -30 * day) });
    const late = await other.opened({ receivedAt: shift(now, -30 * day - 1) });
    const overdue = async (is: boolean) => idsOf(payload(await other.list('dsr', { overdue: String(is) }), 200).items);
    assert.deepEqual([await overdue(true), await overdue(false)], [[late.id], [due.id]]);
    payload(await other.complete(late.id), 200);
    assert.deepEqual([await overdue(true), await overdue(false)], [[], [late.id, due.id]]);
  });

  test('refuses what is no filter, and cursors that it did not give for this very list', async () => {
    for (const limit of ['0', '101', 'ten', ''])
      assertProblem(await client.list('dsr', { limit }), '422 validation_failed', ['query.limit']);
    for (const [name, value] of [
      ['status', 'closed'],
      ['type', 'Access'],
      ['overdue', '1'],
      ['overdue', ''],
      ['subjectId', ''],
      ['subjectId', 'x'.repeat(257)],
      ['subjectId', '\0'],
      ['channel', 'email'],
    ] as const)
      assertProblem(await client.list('dsr', { [name]: value }), '422 validation_failed', [`query.${name}`]);
    const { nextCursor } = payload(await client.list('dsr', { limit: '5' }), 200);
    payload(await client.list('dsr', { limit: '7', cursor: nextCursor }), 200);
    for (const filter of [{ status: 'open' }, { type: 'access' }, { subjectId: '%' }, { overdue: 'false' }])
      assertProblem(await client.list('dsr', { ...filter, cursor: nextCursor }), '400 invalid_cursor');
    for (const cursor of ['', 'x', all[3]?.id as string])
      assertProblem(await client.list('dsr', { cursor }), '400 invalid_cursor');
    const stranger = new PrivacyClient(server, await createFreshTenant(server));
    assertProblem(await stranger.list('dsr', { cursor: nextCursor }), '400 invalid_cursor');
    assert.deepEqual(payload(await stranger.list('dsr'), 200).items, []);
  });
});
