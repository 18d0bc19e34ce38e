import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RawBuilder, sql } from 'kysely';
import { openTestInstallation } from '../harness.ts';

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
