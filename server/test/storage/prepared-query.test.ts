import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Installation } from '../../installation/installation.ts';
import { inTransaction } from '../../storage/database.ts';
import { prepareQuery } from '../../storage/rows.ts';
import { describeOnEachDatabase, openTestInstallation } from '../harness.ts';

interface Count {
  readonly bucket: string;
  readonly minute: number;
  readonly requests: number;
}

let built = 0;
const insertCount = prepareQuery<Count, unknown>((queries, parameter) =>
  queries
    .insertInto('rate_limits')
    // In a different order than the columns and the given values.
    .values({ requests: parameter('requests'), bucket: parameter('bucket'), minute: parameter('minute') }),
);
const findCounts = prepareQuery<{ bucket: string; least: number }, Count>((queries, parameter) => {
  built += 1;
  return queries
    .selectFrom('rate_limits')
    .selectAll()
    .where('requests', '>=', parameter('least'))
    .where('bucket', 'in', [parameter('bucket'), 'fixed'])
    .where('minute', '<', 100)
    .orderBy('minute');
});

describeOnEachDatabase('prepareQuery', (dialect) => {
  let installation: Installation;
  before(async () => {
    installation = await openTestInstallation(dialect);
    for (const [minute, bucket] of ['a', 'b', 'fixed', 'a'].entries())
      await insertCount(installation.database.kysely, { bucket, minute, requests: minute * 10 });
  });
  after(() => installation[Symbol.asyncDispose]());

  const findMinutes = async (bucket: string, least: number) =>
    (await findCounts(installation.database.kysely, { least, bucket })).map(({ minute }) => minute);

  test('binds each value at its position in each run, beside constants', async () => {
    assert.deepEqual(await findMinutes('a', 0), [0, 2, 3]);
    assert.deepEqual(await findMinutes('b', 0), [1, 2]);
    assert.deepEqual(await findMinutes('a', 25), [3]);
  });

  test('is built once per database, in and out of transactions and concurrently', async () => {
    await findMinutes('a', 0);
    const before = built;
    const inside = inTransaction(installation.database, (transaction) =>
      findCounts(transaction, { bucket: 'b', least: 0 }),
    );
    const [minutes, rows] = await Promise.all([findMinutes('a', 0), inside]);
    assert.deepEqual([minutes.length, rows.length], [3, 2]);
    assert.equal(built, before);
  });

  test('sees the writes of its own transaction, and none of one that was rolled back', async () => {
    const failed = inTransaction(installation.database, async (transaction) => {
      await insertCount(transaction, { bucket: 'c', minute: 1, requests: 1 });
      assert.equal((await findCounts(transaction, { bucket: 'c', least: 0 })).length, 2);
      throw new Error('changed my mind');
    });
    await assert.rejects(failed, /changed my mind/);
    assert.deepEqual(await findMinutes('c', 0), [2]);
  });
});
