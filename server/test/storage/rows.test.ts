import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { type RawBuilder, sql } from 'kysely';
import type { Installation } from '../../installation/installation.ts';
import { inTransaction } from '../../storage/database.ts';
import {
  findRow,
  insertRow,
  insertRows,
  mostScanned,
  newId,
  prepareQuery,
  scanPage,
  updateRow,
} from '../../storage/rows.ts';
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

describeOnEachDatabase('insertRows', (dialect) => {
  let installation: Installation;
  before(async () => {
    installation = await openTestInstallation(dialect);
  });
  after(() => installation[Symbol.asyncDispose]());

  const readAll = () =>
    installation.database.kysely.selectFrom('rate_limits').selectAll().orderBy('minute').orderBy('bucket').execute();

  test('inserts any number of rows, each with its own values', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 300 }), async (count) => {
        const { kysely } = installation.database;
        const rows = Array.from({ length: count }, (_, minute) => ({
          bucket: `b${minute}`,
          minute,
          requests: minute * 2,
        }));
        await insertRows(kysely, 'rate_limits', rows);
        assert.deepEqual(await readAll(), rows);
        await kysely.deleteFrom('rate_limits').execute();
      }),
      { numRuns: 40, examples: [[0], [1], [127], [128], [129], [255], [256], [300]] },
    );
  });

  test('maps the columns of each row by name, in any order', async () => {
    const { kysely } = installation.database;
    await insertRows(kysely, 'rate_limits', [
      { bucket: 'a', minute: 1, requests: 10 },
      { requests: 20, minute: 2, bucket: 'b' },
    ]);
    assert.deepEqual(await readAll(), [
      { bucket: 'a', minute: 1, requests: 10 },
      { bucket: 'b', minute: 2, requests: 20 },
    ]);
    await kysely.deleteFrom('rate_limits').execute();
  });

  test('inserts nothing in a transaction whose last row is rejected', async () => {
    const rows = Array.from({ length: 200 }, (_, minute) => ({ bucket: 'b', minute, requests: 1 }));
    const twice = { bucket: 'b', minute: 0, requests: 1 };
    await assert.rejects(
      inTransaction(installation.database, (transaction) => insertRows(transaction, 'rate_limits', [...rows, twice])),
    );
    assert.deepEqual(await readAll(), []);
  });
});

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

describeOnEachDatabase('stored values', (dialect) => {
  let installation: Installation;
  before(async () => {
    installation = await openTestInstallation(dialect);
  });
  after(() => installation[Symbol.asyncDispose]());

  const store = async (name: string): Promise<string> => {
    const { kysely } = installation.database;
    const id = newId();
    await kysely
      .insertInto('tenants')
      .values({ id, slug: id, name, api_version: 'v', created_at: '2026-11-21T12:00:00.000Z' })
      .execute();
    const row = await kysely.selectFrom('tenants').select('name').where('id', '=', id).executeTakeFirstOrThrow();
    return row.name;
  };

  const texts: Readonly<Record<string, string>> = {
    'the empty text': '',
    'an emoji of several code points': '\u{1F469}\u200D\u{1F4BB}',
    'the last code point': '\u{10FFFF}',
    'combining characters, not normalised': 'e\u0301 \u00e9',
    'right-to-left text': '\u0645\u0648\u0627\u0641\u0642\u0629',
    'quotes and backslashes': `'"\\\\'; drop table tenants; --`,
    'line ends of every kind': 'a\r\nb\nc\rd\u2028e',
    'control characters': '\u0001\u001f\u007f',
    'the replacement character': '\uFFFD',
    'a byte order mark': '\uFEFFtext',
    'trailing blanks': 'text  ',
    'a million characters': '\u{1F600}a'.repeat(333_334),
  };
  for (const [name, text] of Object.entries(texts)) {
    test(`returns ${name} unchanged`, async () => {
      assert.equal(await store(text), text);
    });
  }

  test('returns any text without NUL unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 200 }).filter((text) => !text.includes('\0')),
        async (text) => assert.equal(await store(text), text),
      ),
    );
  });

  test('returns integers up to 2^53 - 1 as numbers', async () => {
    const { kysely } = installation.database;
    for (const requests of [0, -1, 2 ** 31, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
      await kysely.insertInto('rate_limits').values({ bucket: 'b', minute: 1, requests }).execute();
      const row = await kysely.selectFrom('rate_limits').select('requests').executeTakeFirstOrThrow();
      assert.equal(row.requests, requests);
      await kysely.deleteFrom('rate_limits').execute();
    }
  });

  test('sorts text by its bytes in every locale', async () => {
    const { kysely } = installation.database;
    const buckets = ['\u{1F600}', 'b', 'B', 'a', 'Z', '_', '-', 'é', '\uFF5E', ''];
    for (const bucket of buckets)
      await kysely.insertInto('rate_limits').values({ bucket, minute: 2, requests: 1 }).execute();
    const rows = await kysely
      .selectFrom('rate_limits')
      .select('bucket')
      .where('minute', '=', 2)
      .orderBy('bucket')
      .execute();
    assert.deepEqual(
      rows.map(({ bucket }) => bucket),
      buckets.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
    );
  });
});

test('SQLite: syncs commits to disk, and readers do not block the writer', async () => {
  await using installation = await openTestInstallation('sqlite');
  const read = async (pragma: RawBuilder<Record<string, unknown>>) => {
    const { rows } = await pragma.execute(installation.database.kysely);
    return Object.values(rows[0] ?? {})[0];
  };
  assert.equal(await read(sql`pragma journal_mode`), 'wal');
  assert.equal(await read(sql`pragma synchronous`), 2, 'FULL');
  assert.equal(await read(sql`pragma foreign_keys`), 1);
  assert.equal(await read(sql`pragma recursive_triggers`), 1);
  assert.equal(await read(sql`pragma busy_timeout`), 0, 'no statement waits and blocks all requests');
});
