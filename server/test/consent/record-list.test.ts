import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { RecordDraft } from '../../consent/record.ts';
import { appendRecords } from '../../consent/record-store.ts';
import { runTransaction } from '../../storage/database.ts';
import { newId } from '../../storage/rows.ts';
import { assertProblem, capture, describeServer, payload, readPages, visit } from './helpers.ts';

type State = RecordDraft['otherPurposes'][string];

interface Item {
  readonly id: string;
}

describeServer('reading consent records', (server) => {
  const list = (notice: string, query: Record<string, string> | string = {}) =>
    server.request('GET', `/v1/consent/${notice}/records?${new URLSearchParams(query)}`);
  /** @returns the ids, newest first. */
  const captureMany = async (notice: string, count: number): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (let number = 0; number < count; number += 1) {
      const decide = number % 2 === 0 ? capture : visit;
      ids.unshift(payload(await decide(server, notice, { subjectId: `subject-${number}` })).id);
    }
    return ids;
  };
  const idsOf = (items: readonly Item[]) => items.map(({ id }) => id);

  test('returns the 50 newest, an exact total, and a cursor', async () => {
    const notice = await server.createNotice();
    const ids = await captureMany(notice, 53);
    const { data, page } = payload(await list(notice), 200);
    assert.deepEqual(idsOf(data), ids.slice(0, 50));
    assert.deepEqual(page, { cursor: null, nextCursor: page.nextCursor, limit: 50, total: 53 });
    const next = payload(await list(notice, { cursor: page.nextCursor }), 200);
    assert.deepEqual(idsOf(next.data), ids.slice(50));
    assert.deepEqual(next.page, { cursor: page.nextCursor, nextCursor: null, limit: 50, total: 53 });
    assert.equal(payload(await server.request('GET', `/v1/consent/${notice}`), 200).recordCount, 53);
    assert.equal(payload(await list(notice, { limit: '200' }), 200).data.length, 53);
  });

  test('returns each record as the operation for one does', async () => {
    const notice = await server.createNotice();
    await captureMany(notice, 2);
    for (const record of payload(await list(notice), 200).data) {
      assert.deepEqual(payload(await server.request('GET', `/v1/consent/${notice}/records/${record.id}`), 200), record);
    }
  });

  test('is empty for a notice without records, published or not', async () => {
    const empty = { data: [], page: { cursor: null, nextCursor: null, limit: 50, total: 0 } };
    for (const publish of [true, false]) {
      assert.deepEqual(payload(await list(await server.createNotice({ publish })), 200), empty);
    }
  });

  test('accepts limits from 1 to 200', async () => {
    const notice = await server.createNotice();
    const [newest] = await captureMany(notice, 2);
    assert.deepEqual(idsOf(payload(await list(notice, { limit: '1' }), 200).data), [newest]);
    for (const limit of ['0', '201', '-1', '1.5', '1e2', '', 'all']) {
      assertProblem(await list(notice, { limit }), '422 validation_failed', ['query.limit']);
    }
    assertProblem(await list(notice, { subject: 'x' }), '422 validation_failed', ['query.subject']);
  });

  test('filters by subject, kind, source, version and time, in pages of any size', async () => {
    const notice = await server.createNotice();
    const times: string[] = [];
    for (let step = 0; step < 30; step += 1) {
      const decide = step % 3 === 0 ? visit : capture;
      const granted = step % 4 !== 3;
      const purposes = { analytics: granted, marketing: granted, ...(step % 3 === 0 && { necessary: true }) };
      payload(await decide(server, notice, { subjectId: `subject-${step % 5}`, purposes }));
      times.push(server.clock.now());
      server.clock.advance(1000);
      if (step !== 14) continue;
      await server.request('PATCH', `/v1/consent/${notice}`, { body: { name: 'Version 2' } });
      await server.request('POST', `/v1/consent/${notice}/publish`);
    }
    // biome-ignore lint/suspicious/noExplicitAny: records as the API answers them
    const all: any[] = payload(await list(notice, { limit: '200' }), 200).data;
    assert.equal(new Set(all.map(({ kind }) => kind)).size, 2);
    const filters = fc.record(
      {
        subjectId: fc.constantFrom('subject-1', 'subject-4', 'nobody'),
        kind: fc.constantFrom('capture', 'withdrawal'),
        source: fc.constantFrom('api', 'public'),
        version: fc.constantFrom('1', '2', '3'),
        from: fc.constantFrom(...times, '2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'),
        to: fc.constantFrom(...times, '2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 31 }), async (filter, limit) => {
        const expected = all.filter(
          ({ subjectId, kind, source, noticeVersion, recordedAt }) =>
            subjectId === (filter.subjectId ?? subjectId) &&
            kind === (filter.kind ?? kind) &&
            source === (filter.source ?? source) &&
            String(noticeVersion) === (filter.version ?? String(noticeVersion)) &&
            recordedAt >= (filter.from ?? recordedAt) &&
            (filter.to === undefined || recordedAt < filter.to),
        );
        const found: Item[] = [];
        for (let cursor = ''; ; ) {
          const query = { ...filter, limit: String(limit), ...(cursor !== '' && { cursor }) };
          const { data, page } = payload(await list(notice, query), 200);
          found.push(...data);
          assert.equal(page.total, Object.keys(filter).length === 0 ? 30 : null);
          if (page.nextCursor === null) break;
          assert.equal(data.length, limit);
          cursor = page.nextCursor;
        }
        assert.deepEqual(idsOf(found), idsOf(expected));
      }),
      { numRuns: 25 },
    );
  });

  test('rejects filters that cannot match, and cursors of other filters or notices', async () => {
    const notice = await server.createNotice();
    await captureMany(notice, 3);
    for (const [name, value] of [
      ['kind', 'both'],
      ['source', 'visitor'],
      ['version', '0'],
      ['version', 'latest'],
      ['from', 'yesterday'],
      ['to', ''],
      ['subjectId', ''],
      ['subjectId', 'x'.repeat(257)],
    ] as const)
      assertProblem(await list(notice, { [name]: value }), '422 validation_failed', [`query.${name}`]);
    const { nextCursor } = payload(await list(notice, { kind: 'capture', limit: '1' }), 200).page;
    for (const filter of [{}, { kind: 'withdrawal' }, { kind: 'capture', source: 'api' }])
      assertProblem(await list(notice, { ...filter, cursor: nextCursor }), '400 invalid_cursor');
    assert.equal(payload(await list(notice, { kind: 'capture', cursor: nextCursor }), 200).data.length, 2);
    const other = await server.createNotice();
    assertProblem(await list(other, { kind: 'capture', cursor: nextCursor }), '400 invalid_cursor');
  });

  test('finds a record only under its own notice', async () => {
    const [notice, other] = [await server.createNotice(), await server.createNotice()];
    const [id] = await captureMany(notice, 1);
    const get = (path: string) => server.request('GET', `/v1/consent/${path}`);
    assertProblem(await get(`${other}/records/${id}`), '404 not_found');
    assertProblem(await get(`${notice}/records/1`), '422 validation_failed', ['path.recordId']);
    assertProblem(await get('x/records/y'), '422 validation_failed', ['path.id', 'path.recordId']);
    assertProblem(await list('not-a-uuid'), '422 validation_failed', ['path.id']);
  });

  test('is in the order of the ledger, also if ids come from servers with different clocks', async () => {
    const notice = await server.createNotice();
    const [subjectId, tenantId] = ['two-clocks', server.tenant.id];
    const write = (id: string, purposes: RecordDraft['purposes'], otherPurposes: RecordDraft['otherPurposes']) =>
      runTransaction(server.installation.database, server.clock.now(), (tx) =>
        appendRecords(tx, [
          {
            ...{ id, tenantId, noticeId: notice, noticeVersion: 1, noticeContentHash: '0'.repeat(64), subjectId },
            ...{ subjectChannel: null, kind: 'capture', withdrawsRecordId: null, method: null, purposes },
            ...{ otherPurposes, source: 'api', space: 'api', ipHash: null, uaHash: null },
            capturedAt: server.clock.now(),
          },
        ]),
      );
    const [ahead, behind, latest] = [9, 1, 5].map((digit) => `${digit}${newId().slice(1)}`) as [string, string, string];
    const [analytics, marketing] = [ahead, behind].map((recordId) => ({ granted: true, recordId })) as [State, State];
    await write(ahead, { analytics: true }, {});
    await write(behind, { marketing: true }, { analytics });
    await write(latest, { necessary: true }, { analytics, marketing });
    const pages = await readPages<Item>(server, `/v1/consent/${notice}/records`, 2);
    assert.deepEqual(idsOf(pages.flat()), [latest, behind, ahead]);
    const refused = await capture(server, notice, { subjectId, purposes: { analytics: false, marketing: false } });
    assert.equal(payload(refused).withdrawsRecordId, behind);
  });

  test('returns every record once in pages of any size, newest first, despite new records', async () => {
    const cases = fc.record({
      records: fc.integer({ min: 0, max: 9 }),
      limit: fc.integer({ min: 1, max: 10 }),
      arrivals: fc.integer({ min: 0, max: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ records, limit, arrivals }) => {
        const notice = await server.createNotice();
        const ids = await captureMany(notice, records);
        const betweenPages = () => captureMany(notice, arrivals);
        const pages = await readPages<Item>(server, `/v1/consent/${notice}/records`, limit, { betweenPages });
        assert.deepEqual(idsOf(pages.flat()), ids);
        assert.ok(pages.slice(0, -1).every((page) => page.length === limit));
      }),
      { numRuns: 8, examples: [[{ records: 6, limit: 2, arrivals: 2 }], [{ records: 5, limit: 1, arrivals: 0 }]] },
    );
  });
});
