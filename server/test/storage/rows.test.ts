import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Installation } from '../../installation/installation.ts';
import { inTransaction } from '../../storage/database.ts';
import { findRow, insertRow, updateRow } from '../../storage/rows.ts';
import { describeOnEachDatabase, openTestInstallation } from '../harness.ts';

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
