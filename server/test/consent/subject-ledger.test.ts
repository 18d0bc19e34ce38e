import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestResponse } from '../harness.ts';
import {
  assertProblem,
  capture,
  createFreshTenant,
  describeServer,
  payload,
  unknownId,
  visit,
  withdraw,
} from './helpers.ts';

interface Item {
  readonly sequence: number;
}

describeServer('the ledger of a subject', (server) => {
  const get = (path: string, key = server.tenant.key) => server.request('GET', path, { key });
  const readAll = async (subjectId: string, limit: number): Promise<readonly Item[]> => {
    const items: Item[] = [];
    for (let cursor = ''; ; ) {
      const page = payload(await get(`/v1/consent/subjects/${subjectId}?limit=${limit}${cursor}`), 200);
      assert.ok(page.items.length <= limit);
      items.push(...page.items);
      if (page.nextCursor === null) return items;
      cursor = `&cursor=${page.nextCursor}`;
    }
  };

  test('has the records of all notices, newest first', async () => {
    const { key } = await createFreshTenant(server);
    const notices = [await server.createNotice({ key }), await server.createNotice({ key })] as const;
    const options = { key };
    const first = payload(await capture(server, notices[0], {}, options));
    await capture(server, notices[0], { subjectId: 'another-subject' }, options);
    const visited = payload(await visit(server, notices[1], { subjectId: 'subject-1' }));
    const withdrawal = payload(await withdraw(server, notices[0], first.id, {}, options));
    const ledger = payload(await get('/v1/consent/subject-1', key), 200);
    assert.equal(ledger.nextCursor, null);
    assert.deepEqual(
      ledger.items.map(({ id }: { id: string }) => id),
      [withdrawal.id, visited.id, first.id],
    );
    assert.deepEqual(ledger.items[2], first);
    const unambiguous = await get('/v1/consent/subjects/subject-1', key);
    assert.deepEqual(payload(unambiguous, 200), ledger);
  });

  test('is not returned for the id of a notice in upper case, which names the notice', async () => {
    const notice = await server.createNotice();
    assert.equal(payload(await get(`/v1/consent/${notice.toUpperCase()}`), 200).id, notice);
  });

  test('accepts any subject id, encoded as part of a path', async () => {
    const notice = await server.createNotice();
    const subjects = [
      'a/b/c',
      '/',
      '50%',
      '%2F',
      '%',
      'a b+c',
      '?query=1#fragment',
      'ünïcødé 例え 👩‍👩‍👧',
      '+49 170 1234567',
      'o\'neil\\"<>',
      'person@example.com',
      'subjects',
      'notices',
      'records',
      'versions',
      'constructor',
      unknownId,
      'x'.repeat(256),
      '例'.repeat(256),
    ];
    for (const subjectId of subjects) {
      const record = payload(await capture(server, notice, { subjectId }));
      // A path of the API has precedence over a subject id: such a subject is read in the unambiguous form.
      const paths = subjectId === 'notices' ? [] : ['/v1/consent/'];
      for (const path of [...paths, '/v1/consent/subjects/']) {
        const { items, nextCursor } = payload(await get(path + encodeURIComponent(subjectId)), 200);
        assert.deepEqual([items, nextCursor], [[record], null], path + subjectId);
      }
    }
  });

  test('yields to a notice of the same id, except in its unambiguous form', async () => {
    const notice = await server.createNotice();
    payload(await capture(server, notice, { subjectId: notice }));
    assert.equal(payload(await get(`/v1/consent/${notice}`), 200).name, 'Website');
    assert.equal(payload(await get(`/v1/consent/subjects/${notice}`), 200).items.length, 1);
  });

  test('is not found for a subject without records', async () => {
    const notice = await server.createNotice();
    payload(await capture(server, notice));
    for (const id of ['unknown', 'SUBJECT-1', 'subject-1%20', 'subject-', '%E0%A4%A']) {
      for (const path of ['/v1/consent/', '/v1/consent/subjects/'])
        assertProblem(await get(path + id), '404 not_found');
    }
    assertProblem(await get(`/v1/consent/subjects/${notice}`), '404 not_found');
  });

  test('rejects ids that are too long or cannot be stored', async () => {
    const ids = { id: '/v1/consent/', subjectId: '/v1/consent/subjects/' };
    for (const [name, path] of Object.entries(ids)) {
      assertProblem(await get(path + 'x'.repeat(257)), '422 validation_failed', [`path.${name}`]);
      assertProblem(await get(`${path}a%00b`), '404 not_found');
    }
  });

  test('merges the records of all notices and spaces, page by page', async () => {
    const notices = [await server.createNotice(), await server.createNotice(), await server.createNotice()];
    const sequences: number[] = [];
    const add = async (answer: Promise<TestResponse>) => {
      const { id, noticeId } = payload(await answer);
      sequences.unshift(payload(await get(`/v1/consent/${noticeId}/records/${id}`), 200).sequence);
    };
    for (let round = 0; round < 3; round += 1) {
      for (const notice of notices) {
        await add(capture(server, notice, { subjectId: 'merged' }));
        await add(visit(server, notice, { subjectId: 'merged' }));
      }
    }
    for (const limit of [1, 4, 5, 18, 200])
      assert.deepEqual(
        (await readAll('merged', limit)).map(({ sequence }) => sequence),
        sequences,
      );
  });

  test('rejects limits out of range and cursors of other lists', async () => {
    const notice = await server.createNotice();
    for (const subjectId of ['one', 'one', 'two', 'two']) payload(await capture(server, notice, { subjectId }));
    const { nextCursor: cursor } = payload(await get('/v1/consent/one?limit=1'), 200);
    const { page } = payload(await get(`/v1/consent/${notice}/records?limit=1`), 200);
    for (const path of ['/v1/consent/', '/v1/consent/subjects/']) {
      for (const limit of ['0', '201', 'x']) {
        assertProblem(await get(`${path}one?limit=${limit}`), '422 validation_failed', ['query.limit']);
      }
      assertProblem(await get(`${path}two?cursor=${cursor}`), '400 invalid_cursor');
      assertProblem(await get(`${path}one?cursor=${cursor}x`), '400 invalid_cursor');
      assertProblem(await get(`${path}one?cursor=${page.nextCursor}`), '400 invalid_cursor');
      assertProblem(await get(`${path}one?cusror=${cursor}`), '422 validation_failed', ['query.cusror']);
    }
  });
});
