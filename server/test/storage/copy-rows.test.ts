import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { compareTable, copyTable, UnmovableData } from '../../storage/copy-rows.ts';
import type { Database, Dialect } from '../../storage/database.ts';
import { migrationTable } from '../../storage/migrate.ts';
import { readLayout, type TableLayout } from '../../storage/table-layout.ts';
import { openTestInstallation } from '../harness.ts';
import { tamper } from '../ledger/tamper.ts';

const skip = process.env.SVC_TEST_POSTGRES_URL === undefined ? 'no PostgreSQL' : false;

async function readRows({ kysely }: Database, { name, key }: TableLayout) {
  const order = sql.join(key.map((column) => sql.id(column)));
  return (await sql<Record<string, unknown>>`select * from ${sql.table(name)} order by ${order}`.execute(kysely)).rows;
}

/** Values at the limits of each type; every row of a table has others. */
const values = {
  text: ['', 'a\r\n\t\\x41 "\\u0041" \u{1F469}\u200D\u{1F4BB} \uFFFD \u007f', '\uFEFFtext  '],
  integer: [0, 2 ** 31 - 1, -(2 ** 31)],
  bigint: [1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
  blob: [Buffer.alloc(0), Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), Buffer.from('\\x00')],
};

/** Fills every table with three rows, of which the last has no values where it needs none. */
async function fill(database: Database, layout: readonly TableLayout[]): Promise<void> {
  for (const { name, columns, key } of layout) {
    const { rows: needed } = await sql<{ name: string; isNeeded: number | boolean }>`${
      database.dialect === 'sqlite'
        ? sql`select name, "notnull" as "isNeeded" from pragma_table_info(${name})`
        : sql`select column_name as name, is_nullable = 'NO' as "isNeeded" from information_schema.columns where table_name = ${name} and table_schema = current_schema()`
    }`.execute(database.kysely);
    const optional = new Set(needed.filter(({ isNeeded }) => !isNeeded).map((column) => column.name));
    for (const index of [0, 1, 2]) {
      const row = columns.map((column) => {
        if (index === 2 && optional.has(column.name) && !key.includes(column.name)) return null;
        // The same in every table, so that references hold; unique where only one row may have a text.
        const text = /id$|hash$|^(slug|key|email|status|bucket)$/.test(column.name) ? `${index}` : values.text[index];
        return column.type === 'text' ? text : values[column.type][index];
      });
      const names = sql.join(columns.map((column) => sql.id(column.name)));
      await sql`insert into ${sql.table(name)} (${names}) values (${sql.join(row)})`.execute(database.kysely);
    }
  }
}

describe('copies of tables', { skip }, () => {
  for (const [from, to] of [
    ['sqlite', 'postgres'],
    ['postgres', 'sqlite'],
  ] as const satisfies readonly (readonly [Dialect, Dialect])[]) {
    describe(`from ${from} to ${to}`, () => {
      let stack: AsyncDisposableStack;
      let source: Database;
      let target: Database;
      let layout: readonly TableLayout[];
      before(async () => {
        stack = new AsyncDisposableStack();
        ({ database: source } = stack.use(await openTestInstallation(from)));
        ({ database: target } = stack.use(await openTestInstallation(to)));
        layout = await readLayout();
        for (const { kysely } of [source, target]) await kysely.deleteFrom('installation').execute();
        await fill(source, layout);
      });
      after(() => stack.disposeAsync());

      test('have every table of the database with equal rows', async () => {
        const stored = await source.kysely.introspection.getTables();
        assert.deepEqual(
          [...layout.map(({ name }) => name), migrationTable].sort(),
          stored.map(({ name }) => name).sort(),
        );
        for (const table of layout) {
          assert.equal(await copyTable(source.kysely, target, table), 3, table.name);
          assert.deepEqual(await readRows(target, table), await readRows(source, table), table.name);
          await compareTable(source.kysely, target.kysely, table);
        }
      });

      test('are found to differ in a value, a missing and an additional row', async () => {
        const table = layout.find(({ name }) => name === 'audit_events') as TableLayout;
        const expect = (issue: RegExp) =>
          assert.rejects(compareTable(source.kysely, target.kysely, table), (error) => {
            assert.ok(error instanceof UnmovableData);
            assert.match(error.message, issue);
            return true;
          });
        const change = (step: Parameters<typeof tamper>[1]) => tamper(target, step);
        await change((queries) =>
          queries.updateTable('audit_events').set({ module: 'b' }).where('id', '=', '1').execute(),
        );
        await expect(/^The row 1, 9007199254740991 of audit_events in the copy differs/);
        await change((queries) => queries.deleteFrom('audit_events').where('id', '=', '1').execute());
        await expect(/^The row 1, 9007199254740991 of audit_events/);
        const [row] = await source.kysely.selectFrom('audit_events').selectAll().where('id', '=', '1').execute();
        assert.ok(row);
        await target.kysely.insertInto('audit_events').values(row).execute();
        await compareTable(source.kysely, target.kysely, table);
        await target.kysely
          .insertInto('audit_events')
          .values({ ...row, tenant_id: '9' })
          .execute();
        await expect(/^The row 9, 9007199254740991 of audit_events/);
      });
    });
  }

  test('are refused for values that only SQLite stores', async () => {
    await using stack = new AsyncDisposableStack();
    const { database: source } = stack.use(await openTestInstallation('sqlite'));
    const { database: target } = stack.use(await openTestInstallation('postgres'));
    const [table] = (await readLayout()).filter(({ name }) => name === 'rate_limits');
    const wrong = {
      bucket: [sql`x'00ff'`, sql`cast(x'ff41' as text)`, sql`'a' || char(0)`],
      requests: [sql`1.5`, sql`'many'`, sql`9007199254740993`],
    };
    for (const [column, texts] of Object.entries(wrong)) {
      for (const value of texts) {
        const row = { bucket: sql`'b'`, requests: sql`1`, [column]: value };
        await sql`insert into rate_limits (minute, bucket, requests) values (7, ${row.bucket}, ${row.requests})`.execute(
          source.kysely,
        );
        await assert.rejects(copyTable(source.kysely, target, table as TableLayout), {
          name: 'UnmovableData',
          message: /^The row 7, .* of rate_limits has /s,
        });
        await source.kysely.deleteFrom('rate_limits').execute();
      }
    }
    assert.deepEqual(await target.kysely.selectFrom('rate_limits').selectAll().execute(), []);
  });
});
