import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Installation } from '../../installation/installation.ts';
import { inTransaction } from '../../storage/database.ts';
import { findRow, insertRow, mostScanned, scanPage, updateRow } from '../../storage/rows.ts';
import { describeOnEachDatabase, openTestInstallation } from '../harness.ts';

describe('a page of what a filter keeps', () => {
  const newest = mostScanned * 2 + 500;
  const read = async (after: number | null, limit: number) =>
    Array.from({ length: Math.min(limit, (after ?? newest + 1) - 1) }, (_, index) => (after ?? newest + 1) - 1 - index);
  const scan = (keeps: (row: number) => boolean, after: number | null, limit: number) =>
    scanPage(read, (row) => row, keeps, after, limit);

  test('is full where enough rows match', async () => {
    const { rows, next } = await scan((row) => row % 2 === 0, null, 3);
    assert.deepEqual([rows, next], [[4500, 4498, 4496], 4496]);
    assert.deepEqual((await scan((row) => row % 2 === 0, next, 2)).rows, [4494, 4492]);
  });

  test('ends after a bounded number of rows, and the next page goes on from there', async () => {
    const last = (row: number) => row === 1;
    const first = await scan(last, null, 3);
    assert.deepEqual(first, { rows: [], next: newest - mostScanned + 1 });
    const second = await scan(last, first.next, 3);
    assert.deepEqual(second, { rows: [], next: newest - 2 * mostScanned + 1 });
    assert.deepEqual(await scan(last, second.next, 3), { rows: [1], next: null });
  });
});

describeOnEachDatabase('rows', (dialect) => {
  let installation: Installation;
  before(async () => {
    installation = await openTestInstallation(dialect);
    for (const bucket of ['a', 'b'])
      await insertRow(installation.database.kysely, 'rate_limits', { bucket, minute: 1, requests: 1 });
  });
  after(() => installation[Symbol.asyncDispose]());

  test('are found by the values of all named columns', async () => {
    const { kysely } = installation.database;
    assert.deepEqual(await findRow(kysely, 'rate_limits', { bucket: 'a', minute: 1 }), {
      bucket: 'a',
      minute: 1,
      requests: 1,
    });
    assert.equal(await findRow(kysely, 'rate_limits', { bucket: 'a', minute: 2 }), undefined);
    assert.equal(await findRow(kysely, 'tenants', { default_role: null }), undefined);
  });

  test('are updated one at a time: an update of several or none fails and changes nothing', async () => {
    const { kysely } = installation.database;
    const update = (match: object) =>
      inTransaction(installation.database, (transaction) =>
        updateRow(transaction, 'rate_limits', match, { requests: 9 }),
      );
    assert.equal((await update({ bucket: 'b' })).requests, 9);
    for (const match of [{}, { minute: 1 }, { bucket: 'c' }])
      await assert.rejects(update(match), /match in place of one/);
    assert.equal((await findRow(kysely, 'rate_limits', { bucket: 'a' }))?.requests, 1);
  });
});
