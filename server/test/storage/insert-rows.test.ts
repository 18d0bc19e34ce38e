import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { Installation } from '../../installation/installation.ts';
import { inTransaction } from '../../storage/database.ts';
import { insertRows } from '../../storage/rows.ts';
import { describeOnEachDatabase, openTestInstallation } from '../harness.ts';

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
