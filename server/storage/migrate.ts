import { sql } from 'kysely';
import { type Database, type Dialect, inTransaction } from './database.ts';
import { allowChanges, distributeTables, listDistributed } from './distribution.ts';
import { guardsOf, refusal } from './guards.ts';
import { currentSchema } from './postgres.ts';
import type { Queries } from './queries.ts';
import { type Schema, schemas, tableNames } from './schema.ts';
import { UnusableDatabase } from './unavailable.ts';

function writeStatements(schema: Schema, dialect: Dialect): readonly string[] {
  const statements = schema.sql
    // SQLite stores the text of a statement, which `svc verify` compares: layout and comments must not matter.
    .replace(/--.*/g, '')
    .replace(/\s+/g, ' ')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  const triggers = guardsOf(schema, dialect).map((trigger) => trigger.sql);
  if (dialect === 'sqlite') return [...statements, ...triggers, ...describeIndexes(schema)];
  const refuse = `create or replace function refuse_change() returns trigger language plpgsql as $$${refusal}$$`;
  return [...statements.map(adaptToPostgres), refuse, ...triggers];
}

/** The statement that creates a table without its references. */
function withoutReferences(statement: string): string {
  if (!statement.startsWith('create table ')) return statement;
  return statement
    .replace(/,? foreign key \([\w, ]+\) references \w+ \([\w, ]+\)/g, '')
    .replace(/ references \w+ \(\w+\)/g, '');
}

/** Text sorts by its bytes as in SQLite, regardless of the locale of the cluster. */
function adaptToPostgres(statement: string): string {
  return statement
    .replace(/ text\b/g, ' text collate "C"')
    .replace(/ blob\b/g, ' bytea')
    .replace(/ without rowid$/, '');
}

function describeIndexes({ statistics = {} }: Schema): readonly string[] {
  const rows = Object.entries(statistics).flatMap(([table, indexes]) =>
    Object.entries(indexes).map(([index, counts]) => `('${table}', '${index}', '1000000 ${counts.join(' ')}')`),
  );
  const load = 'analyze sqlite_schema';
  return rows.length === 0 ? [] : [load, `insert into sqlite_stat1 (tbl, idx, stat) values ${rows}`, load];
}

/** The list of the migrations that ran. Its name is our own: programs that share a schema share no list. */
export const migrationTable = 'svc_migrations';
/** The advisory lock under which servers that start at the same time wait for each other. */
const migrationLock = 7_368_997;

/**
 * Brings the schema up to date, completely or not at all. Servers that start at the same time wait for each other. A schema
 * that a later version has only expanded stays as it is.
 * @returns the names of the migrations that ran.
 * @throws {UnusableDatabase}
 */
export function migrate(database: Database): Promise<readonly string[]> {
  const { dialect, clock } = database;
  return inTransaction(database, async (transaction) => {
    // Until the end of the transaction: a pooler may give the next one another session.
    if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(transaction);
    const tables = await listRelations(transaction, dialect);
    if (!tables.includes(migrationTable)) {
      requireNoOther(tables, dialect);
      await sql.raw(dialect === 'sqlite' ? createList : adaptToPostgres(createList)).execute(transaction);
    }
    const waiting = await findWaiting(transaction);
    const isDistributed = dialect === 'postgres' && (await listDistributed(transaction)).length > 0;
    if (isDistributed) await allowChanges(transaction);
    for (const [name, schema] of waiting) {
      const statements = writeStatements(schema, dialect);
      // A new table cannot refer to a distributed one before it is distributed itself.
      for (const statement of isDistributed ? statements.map(withoutReferences) : statements)
        await sql.raw(statement).execute(transaction);
      const expands = schema.expands === true ? 1 : 0;
      await sql`insert into ${sql.table(migrationTable)} (name, ran_at, expands)
        values (${name}, ${clock()}, ${expands})`.execute(transaction);
    }
    if (isDistributed && waiting.length > 0) await distributeTables(transaction);
    return waiting.map(([name]) => name);
  });
}

const createList = `create table ${migrationTable} ( name text not null primary key, ran_at text not null, expands integer not null )`;

/**
 * The names of the migrations that this version has yet to run; only reads.
 * @throws {UnusableDatabase} if a later version ran one beside which this version cannot run.
 */
export async function listWaitingMigrations({ kysely, dialect }: Database): Promise<readonly string[]> {
  const tables = await listRelations(kysely, dialect);
  if (!tables.includes(migrationTable)) return Object.keys(schemas);
  return (await findWaiting(kysely)).map(([name]) => name);
}

async function findWaiting(queries: Queries): Promise<readonly (readonly [string, Schema])[]> {
  const ran = await readMigrations(queries);
  const barring = ran.find(({ name, expands }) => !(name in schemas) && expands === 0);
  if (barring !== undefined)
    throw new UnusableDatabase(
      `The database was used by a later version of Svc: it has the migration ${barring.name}. Install that version, or restore a backup of this one.`,
    );
  return Object.entries(schemas).filter(([name]) => !ran.some((one) => one.name === name));
}

/** True if every migration has run, and no other one; only reads. */
export async function isMigrated({ kysely, dialect }: Database): Promise<boolean> {
  if (!(await listRelations(kysely, dialect)).includes(migrationTable)) return false;
  const ran = await readMigrations(kysely);
  return ran.length === Object.keys(schemas).length && ran.every(({ name }) => name in schemas);
}

/** The names of migrations that only a later version has; only reads. */
export async function listLaterMigrations({ kysely, dialect }: Database): Promise<readonly string[]> {
  if (!(await listRelations(kysely, dialect)).includes(migrationTable)) return [];
  return (await readMigrations(kysely)).map(({ name }) => name).filter((name) => !(name in schemas));
}

/** True if every migration of this version ran; a later version may have run more. */
export async function hasSchema(queries: Queries): Promise<boolean> {
  const ran = new Set((await readMigrations(queries)).map(({ name }) => name));
  return Object.keys(schemas).every((name) => ran.has(name));
}

interface Migration {
  readonly name: string;
  /** 1 if earlier versions can run beside it. */
  readonly expands: number;
}

async function readMigrations(queries: Queries): Promise<readonly Migration[]> {
  const list = sql.table(migrationTable);
  return (await sql<Migration>`select name, expands from ${list} order by name`.execute(queries)).rows;
}

/** The tables and views of a SQLite file, or of the current schema of PostgreSQL: other schemas belong to other programs. */
export async function listRelations(queries: Queries, dialect: Dialect): Promise<readonly string[]> {
  const query =
    dialect === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_schema
          where type in ('table', 'view') and name not like 'sqlite%' order by name`
      : sql<{ name: string }>`
          select relname as name from pg_class
          where relnamespace = ${currentSchema} and relkind in ('r', 'p', 'v', 'm', 'f') order by relname`;
  return (await query.execute(queries)).rows.map(({ name }) => name);
}

/** @throws {UnusableDatabase} if another program uses the SQLite file, or the names of our tables in the schema. */
function requireNoOther(tables: readonly string[], dialect: Dialect): void {
  // Litestream adds tables to the file; theirs begin with an underscore.
  const isForeign = (name: string) => tableNames.includes(name) || (dialect === 'sqlite' && !name.startsWith('_'));
  const foreign = tables.filter(isForeign);
  if (foreign.length === 0) return;
  const place = dialect === 'sqlite' ? 'The file svc.sqlite' : 'The schema';
  const advice =
    dialect === 'sqlite'
      ? 'Name another folder with SVC_DATA_DIR.'
      : 'Use an empty database, or a schema of its own for Svc: ALTER ROLE … SET search_path = svc.';
  throw new UnusableDatabase(
    `${place} has tables of another program: ${foreign.sort().slice(0, 3).join(', ')}. ${advice}`,
  );
}
