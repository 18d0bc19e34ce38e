import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import SQLite from 'better-sqlite3';
import { sql } from 'kysely';
import type { Installation } from '../../installation/installation.ts';
import { inTransaction } from '../../storage/database.ts';
import { describeOnEachDatabase, openTestInstallation } from '../harness.ts';
import { fillLedgers } from '../ledger/fixture.ts';
import { protectedTables, readRows } from '../ledger/tamper.ts';

const tables = [
  'consent_records',
  'record_templates',
  'audit_events',
  'consent_notice_versions',
  'consent_notice_texts',
] as const;

describeOnEachDatabase('append-only tables', (dialect) => {
  let installation: Installation;
  before(async () => {
    installation = await openTestInstallation(dialect);
    await fillLedgers(installation);
  });
  after(() => installation[Symbol.asyncDispose]());

  for (const table of tables) {
    const [first] = protectedTables[table];
    const statements: Record<string, string> = {
      'an update of every row': `update ${table} set tenant_id = tenant_id`,
      'an update of one column of one row': `update ${table} set tenant_id = 'x' where ${first} = (select min(${first}) from ${table})`,
      'a deletion of every row': `delete from ${table}`,
      'a deletion of one row': `delete from ${table} where ${first} = (select min(${first}) from ${table})`,
      'an insertion that updates on conflict': `insert into ${table} select * from ${table} where true on conflict (${protectedTables[table].join(', ')}) do update set tenant_id = 'x'`,
      ...(dialect === 'sqlite' && {
        'an insertion that replaces the same key': `insert or replace into ${table} select * from ${table}`,
        'a replace statement': `replace into ${table} select * from ${table} limit 1`,
        'an update that replaces': `update or replace ${table} set ${protectedTables[table][1]} = 1`,
      }),
      ...(dialect === 'postgres' && {
        'a truncation': `truncate ${table}`,
        'a truncation with what refers to it': `truncate ${table} cascade`,
        'a deletion through a join': `delete from ${table} using tenants where tenants.id = ${table}.tenant_id`,
      }),
    };
    for (const [name, statement] of Object.entries(statements)) {
      test(`${table} rejects ${name}`, async () => {
        const before = await readRows(installation.database, table);
        assert.ok(before.length > 0);
        const run = inTransaction(installation.database, (transaction) => sql.raw(statement).execute(transaction));
        await assert.rejects(run, new RegExp(`${table} is append-only`));
        assert.deepEqual(await readRows(installation.database, table), before);
      });
    }
  }

  if (dialect === 'sqlite') {
    test('consent_records rejects a row that would replace another by its id', async () => {
      const before = await readRows(installation.database, 'consent_records');
      const columns = Object.keys(before[0] as object)
        .join()
        .replace('sequence', '1000');
      const run = sql`insert or replace into consent_records select ${sql.raw(columns)} from consent_records limit 1`;
      await assert.rejects(run.execute(installation.database.kysely), /append-only/);
      assert.deepEqual(await readRows(installation.database, 'consent_records'), before);
    });

    test('rejects changes by other programs that open the file', async () => {
      const file = join(installation.settings.dataDir, 'svc.sqlite');
      using other = Object.assign(new SQLite(file), { [Symbol.dispose]: () => other.close() });
      for (const table of tables) {
        assert.throws(() => other.exec(`update ${table} set tenant_id = 'x'`), /append-only/);
        assert.throws(() => other.exec(`delete from ${table}`), /append-only/);
      }
    });
  }
});
