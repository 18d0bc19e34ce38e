import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { tablesFile, writeTables } from '../../../tools/types/write-tables.ts';
import { readSettings } from '../../settings.ts';
import { type Database, type Dialect, openDatabase } from '../../storage/database.ts';
import { isMigrated, migrate } from '../../storage/migrate.ts';
import { listReferences } from '../../storage/schema.ts';
import { createLocation, describeOnEachDatabase, type TestLocation } from '../harness.ts';

const svc = fileURLToPath(new URL('../../cli/svc.js', import.meta.url));

const migrations = join(import.meta.dirname, '../../storage/migrations');

const everyMigration = ['001-spine', '002-ledger', '003-consent', '004-identity', '005-compliance', '006-webhooks'];

function openEmpty({ environment }: TestLocation): Database {
  const { databaseUrl, dataDir } = readSettings(environment);
  return openDatabase({ url: databaseUrl, file: join(dataDir, 'svc.sqlite') });
}

const listTables = ({ kysely }: Database) => kysely.introspection.getTables();

describeOnEachDatabase('migrate', (dialect) => {
  test('runs every migration once; a second run does nothing', async () => {
    await using location = await createLocation(dialect);
    await using database = openEmpty(location);
    assert.equal(await isMigrated(database), false);
    assert.deepEqual(await migrate(database), everyMigration);
    const schema = await describeSchema(database);
    assert.deepEqual(await migrate(database), []);
    assert.deepEqual(await describeSchema(database), schema);
    assert.equal(await isMigrated(database), true);
  });

  test('leaves nothing behind when it fails, and succeeds the next time', async () => {
    await using location = await createLocation(dialect);
    await using database = openEmpty(location);
    const tableNames = async () => (await database.kysely.introspection.getTables()).map(({ name }) => name);
    // The index conflicts with the very last one.
    await sql`create table _other (id integer)`.execute(database.kysely);
    await sql`create index webhook_events_dsr on _other (id)`.execute(database.kysely);
    await assert.rejects(migrate(database), /already exists/);
    assert.deepEqual(await tableNames(), ['_other']);
    assert.equal(await isMigrated(database), false);
    await sql`drop table _other`.execute(database.kysely);
    assert.deepEqual(await migrate(database), everyMigration);
  });

  test('refuses a database of a later version, and changes nothing', async () => {
    await using location = await createLocation(dialect);
    await using database = openEmpty(location);
    await migrate(database);
    await sql`insert into svc_migrations (name, ran_at, expands) values ('999-later', '', 0)`.execute(database.kysely);
    assert.equal(await isMigrated(database), false);
    await assert.rejects(migrate(database), {
      name: 'UnusableDatabase',
      message:
        /^The database was used by a later version of Svc: it has the migration 999-later\. Install that version/,
    });
  });

  test('leaves a schema as it is that a later version only expanded', async () => {
    await using location = await createLocation(dialect);
    await using database = openEmpty(location);
    await migrate(database);
    await sql`insert into svc_migrations (name, ran_at, expands) values ('999-later', '', 1)`.execute(database.kysely);
    const schema = await describeSchema(database);
    assert.deepEqual(await migrate(database), []);
    assert.deepEqual(await describeSchema(database), schema);
    const env = { ...process.env, ...location.environment };
    const verified = spawnSync(process.execPath, [svc, 'verify'], { env, encoding: 'utf8' });
    assert.equal(verified.status, 2);
    assert.match(
      verified.stderr,
      /A later version of Svc changed the schema \(999-later\): verify with that version\./,
    );
  });

  test('with --distribute says what is missing, and changes nothing', async () => {
    await using location = await createLocation(dialect);
    const env = { ...process.env, ...location.environment };
    const { status, stderr } = spawnSync(process.execPath, [svc, 'migrate', '--distribute'], { env, encoding: 'utf8' });
    assert.equal(status, 2);
    assert.match(stderr, dialect === 'sqlite' ? /SQLite cannot be distributed/ : /does not have the extension Citus/);
    await using database = openEmpty(location);
    assert.deepEqual(await listTables(database), []);
  });

  test('creates the references that the distribution of tables restores', async () => {
    await using location = await createLocation(dialect);
    await using database = openEmpty(location);
    await migrate(database);
    const { rows } = await referenceQueries[dialect].execute(database.kysely);
    const described = listReferences().map(({ table, columns, parent, parentColumns }) => {
      return `${table} ${columns} ${parent} ${parentColumns}`;
    });
    assert.ok(described.length > 30);
    assert.deepEqual(described.sort(), rows.map(({ reference }) => reference).sort());
  });

  test('with --check only reports what it would run', async () => {
    await using location = await createLocation(dialect);
    const env = { ...process.env, ...location.environment };
    const check = () => spawnSync(process.execPath, [svc, 'migrate', '--check'], { env, encoding: 'utf8' });
    if (dialect === 'sqlite') assert.equal(check().status, 2);
    await using database = openEmpty(location);
    const { status, stdout } = check();
    assert.equal(status, 1);
    assert.equal(stdout, `Migrations that have not run: ${everyMigration.join(', ')}. To run them: svc migrate\n`);
    assert.equal((await listTables(database)).length, 0);
    await migrate(database);
    assert.deepEqual([check().status, check().stdout], [0, 'The schema is up to date.\n']);
    await sql`insert into svc_migrations (name, ran_at, expands) values ('999-later', '', 0)`.execute(database.kysely);
    assert.match(check().stderr, /later version of Svc: it has the migration 999-later/);
  });

  test('refuses a database in which another program has tables with the same names', async () => {
    await using location = await createLocation(dialect);
    await using database = openEmpty(location);
    await sql`create table tenants (id integer)`.execute(database.kysely);
    await assert.rejects(migrate(database), {
      name: 'UnusableDatabase',
      message: /tables of another program: tenants\. /,
    });
    assert.deepEqual(
      (await database.kysely.introspection.getTables()).map(({ name }) => name),
      ['tenants'],
    );
  });

  test('runs once when four processes start at the same time', async () => {
    await using location = await createLocation(dialect);
    const env = { ...process.env, ...location.environment };
    const ends = await Promise.all(
      Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, [svc, 'migrate', '--json'], { env })),
    );
    assert.deepEqual(
      ends.flatMap(({ stdout }) => JSON.parse(stdout).migrations),
      everyMigration,
    );
  });
});

test('tables.ts is generated from the present migrations', async () => {
  assert.equal(readFileSync(tablesFile, 'utf8'), await writeTables(), 'tables.ts is stale. Run: npm run types');
});

describe('the schema', () => {
  const skip = process.env.SVC_TEST_POSTGRES_URL === undefined ? 'no PostgreSQL' : false;
  test('is the same on both databases', { skip }, async () => {
    const schemas = [];
    for (const dialect of ['sqlite', 'postgres'] as const) {
      await using location = await createLocation(dialect);
      await using database = openEmpty(location);
      await migrate(database);
      schemas.push(await describeSchema(database));
    }
    assert.deepEqual(schemas[0], schemas[1]);
  });
});

/** Tables with their columns and kinds, keys and indexes, in a form that both databases can give. */
async function describeSchema(database: Database): Promise<object> {
  const tables = await database.kysely.introspection.getTables();
  const described: Record<string, unknown> = {};
  for (const { name, columns } of tables.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    described[name] = {
      columns: columns.map((column) => ({
        name: column.name,
        kind: kinds[column.dataType] ?? column.dataType.toLowerCase(),
        nullable: column.isNullable,
        hasDefault: column.hasDefaultValue,
      })),
      // The integer key of this one-row table is the rowid of SQLite, which has no index.
      indexes: name === 'installation' ? [] : await listIndexes(database, name),
    };
  }
  assert.ok('consent_records' in described && 'webhook_events' in described);
  return described;
}

const kinds: Readonly<Record<string, string>> = { int4: 'integer', int8: 'bigint', bytea: 'blob' };

/** The columns of each index and key of a table, with whether it is unique. */
async function listIndexes(database: Database, table: string): Promise<readonly string[]> {
  const { rows } = await indexQueries[database.dialect](table).execute(database.kysely);
  return rows.map(({ is_unique, columns }) => `${is_unique ? 'unique ' : ''}${columns}`).sort();
}

const indexQueries = {
  sqlite: (table: string) => sql<IndexRow>`
    select list."unique" as is_unique, (select group_concat(name) from pragma_index_info(list.name)) as columns
    from pragma_index_list(${table}) list`,
  postgres: (table: string) => sql<IndexRow>`
    select indisunique as is_unique, (
      select string_agg(attname, ',' order by position)
      from unnest(indkey::int2[]) with ordinality as key (number, position)
      join pg_attribute on attrelid = indrelid and attnum = number
    ) as columns
    from pg_index where indrelid = ${table}::regclass`,
} satisfies Record<Dialect, unknown>;

/** The references of all tables, as texts. */
const referenceQueries = {
  sqlite: sql<{ reference: string }>`
    select tables.name || ' ' || group_concat(parts."from", ',' order by parts.seq) || ' ' || parts."table" || ' ' ||
      group_concat(parts."to", ',' order by parts.seq) as reference
    from sqlite_schema as tables, pragma_foreign_key_list(tables.name) as parts
    where tables.type = 'table' group by tables.name, parts.id`,
  postgres: sql<{ reference: string }>`
    select format('%s %s %s %s', conrelid::regclass, (
      select string_agg(attname, ',' order by place) from unnest(conkey) with ordinality as keys (number, place)
      join pg_attribute on attrelid = conrelid and attnum = keys.number
    ), confrelid::regclass, (
      select string_agg(attname, ',' order by place) from unnest(confkey) with ordinality as keys (number, place)
      join pg_attribute on attrelid = confrelid and attnum = keys.number
    )) as reference
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`,
} satisfies Record<Dialect, unknown>;

interface IndexRow {
  readonly is_unique: number | boolean;
  readonly columns: string;
}

test('no released migration has changed: databases that ran it would differ from new ones', () => {
  const released: Readonly<Record<string, string>> = JSON.parse(
    readFileSync(join(migrations, 'released.json'), 'utf8'),
  );
  for (const [name, sha256] of Object.entries(released))
    assert.equal(
      hash('sha256', readFileSync(join(migrations, name)), 'hex'),
      sha256,
      `${name}: write another migration`,
    );
});
