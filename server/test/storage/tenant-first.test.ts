import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Queries } from '../../storage/queries.ts';
import { tenantTableNames } from '../../storage/schema.ts';
import { describeOnEachDatabase, openTestInstallation } from '../harness.ts';

interface Constraint {
  readonly table: string;
  readonly kind: 'unique' | 'reference';
  /** In order, with spaces between. */
  readonly columns: string;
  /** The table that it refers to. */
  readonly parent: string | null;
}

/** The primary keys, unique constraints and indexes, and references of all tables. */
const readConstraints = {
  sqlite: async (queries: Queries): Promise<readonly Constraint[]> => {
    const { rows } = await sql<Constraint>`
      select tables.name as "table", 'unique' as kind, null as parent,
        (select group_concat(name, ' ' order by seqno) from pragma_index_info(indexes.name)) as columns
      from sqlite_schema as tables, pragma_index_list(tables.name) as indexes
      where tables.type = 'table' and indexes."unique" = 1
      union all
      select tables.name, 'reference', parts."table", group_concat(parts."from", ' ' order by parts.seq)
      from sqlite_schema as tables, pragma_foreign_key_list(tables.name) as parts
      where tables.type = 'table' group by tables.name, parts.id, parts."table"`.execute(queries);
    return rows;
  },
  postgres: async (queries: Queries): Promise<readonly Constraint[]> => {
    const columnsOf = (keys: string, table: string) => sql`(
      select string_agg(attname, ' ' order by place)
      from unnest(${sql.raw(keys)}) with ordinality as keys (number, place)
      join pg_attribute on attrelid = ${sql.raw(table)} and attnum = keys.number)`;
    const { rows } = await sql<Constraint>`
      select indrelid::regclass::text as "table", 'unique' as kind, null as parent,
        ${columnsOf('indkey::smallint[]', 'indrelid')} as columns
      from pg_index where indisunique and indrelid in (
        select oid from pg_class where relnamespace = current_schema()::regnamespace)
      union all
      select conrelid::regclass::text, 'reference', confrelid::regclass::text, ${columnsOf('conkey', 'conrelid')}
      from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`.execute(queries);
    return rows;
  },
};

describeOnEachDatabase('the keys of a table that belongs to a tenant', (dialect) => {
  test('begin with the tenant', async () => {
    await using installation = await openTestInstallation(dialect);
    const constraints = await readConstraints[dialect](installation.database.kysely);
    const ofTenants = constraints.filter(({ table }) => tenantTableNames.includes(table));
    assert.deepEqual(new Set(ofTenants.map(({ table }) => table)), new Set(tenantTableNames));
    // A person belongs to no tenant.
    const toUser = ofTenants.filter(({ parent, columns }) => parent === 'users' && columns === 'user_id');
    assert.ok(toUser.length > 0);
    const others = ofTenants.filter((one) => !toUser.includes(one));
    assert.deepEqual(
      others.filter(({ columns }) => !/^tenant_id\b/.test(columns)),
      [],
    );
  });
});
