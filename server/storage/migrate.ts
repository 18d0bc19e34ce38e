import { sql } from 'kysely';
import { type Database, type Dialect, inTransaction } from './database.ts';
import { currentSchema } from './postgres.ts';
import type { Queries } from './queries.ts';
import { isWithoutRowid, listColumns, type Schema, schemas, tableNames } from './schema.ts';
import { UnusableDatabase } from './unavailable.ts';

/** A trigger as the database stores it. */
export interface Trigger {
  readonly name: string;
  readonly table: string;
  readonly sql: string;
}

const guards: Readonly<Record<Dialect, Readonly<Record<string, string>>>> = {
  sqlite: {
    update: "before update on $table $unless begin select raise(abort, '$table is append-only'); end",
    delete: "before delete on $table begin select raise(abort, '$table is append-only'); end",
  },
  postgres: {
    change: 'BEFORE DELETE OR UPDATE ON $table FOR EACH ROW EXECUTE FUNCTION refuse_change($erasable)',
    truncate: 'BEFORE TRUNCATE ON $table FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()',
  },
};

/** The triggers of the append-only tables. */
export function listGuards(dialect: Dialect): readonly Trigger[] {
  return Object.values(schemas).flatMap((schema) => guardsOf(schema, dialect));
}

function guardsOf(schema: Schema, dialect: Dialect): readonly Trigger[] {
  return (schema.appendOnly ?? []).flatMap((table) => {
    const erasable = listErasable(table);
    const unless = erasable.length === 0 ? '' : `when not (${describeClearing(table, erasable)}) `;
    const columns = erasable.map((column) => `'${column}'`).join(', ');
    const events = Object.entries(guards[dialect]).map(([event, statement]) => {
      return [event, statement.replace('$unless ', unless).replace('$erasable', columns)];
    });
    return writeGuards(table, 'refuse', Object.fromEntries(events));
  });
}

function writeGuards(table: string, verb: string, events: Readonly<Record<string, string>>): readonly Trigger[] {
  return Object.entries(events).map(([event, statement]) => {
    const name = `${table}_${verb}_${event}`;
    return { name, table, sql: `CREATE TRIGGER ${name} ${statement.replaceAll('$table', table)}` };
  });
}

const closing: Readonly<Record<Dialect, Readonly<Record<string, string>>>> = {
  sqlite: Object.fromEntries(
    ['insert', 'update', 'delete'].map((event) => [
      event,
      `before ${event} on $table begin select raise(abort, '$table is closed: svc move took the data elsewhere'); end`,
    ]),
  ),
  postgres: {
    change: 'BEFORE INSERT OR DELETE OR UPDATE ON $table FOR EACH ROW EXECUTE FUNCTION refuse_change()',
  },
};

/**
 * The triggers that close a database whose data `svc move` took elsewhere. Every change of a tenant changes the head of a
 * chain, so that also a process that was open before cannot acknowledge a change that the copy lacks.
 */
export function listClosingGuards(dialect: Dialect): readonly Trigger[] {
  return writeGuards('chain_heads', 'close', closing[dialect]);
}

/**
 * The columns of an append-only table that an erasure sets to null, all in one update that changes nothing else, except that it
 * may set `erased_at`, once.
 */
function listErasable(table: string): readonly string[] {
  const columns = listColumns(table);
  const personal = columns.filter(({ isPersonal }) => isPersonal);
  return columns.filter((column) => personal.length > 0 && (column.isPersonal || column.name === 'salt')).map(nameOf);
}

const nameOf = ({ name }: { readonly name: string }) => name;

/** The condition, for SQLite, that an update only erases. */
function describeClearing(table: string, erasable: readonly string[]): string {
  const columns = listColumns(table).map(nameOf);
  const kept = columns.filter((column) => column !== 'erased_at' && !erasable.includes(column));
  if (!isWithoutRowid(table)) kept.push('rowid');
  return [
    ...erasable.map((column) => `new.${column} is null`),
    ...(columns.includes('erased_at') ? ['old.erased_at is null'] : []),
    ...kept.map((column) => `new.${column} is old.${column}`),
  ].join(' and ');
}

/** The body of the function that the triggers of PostgreSQL call, with the columns that an erasure sets to null. */
export const refusal = ` begin
  if tg_op = 'UPDATE' and tg_nargs > 0
    and not jsonb_strip_nulls(to_jsonb(new)) ?| tg_argv
    and to_jsonb(old) ->> 'erased_at' is null
    and to_jsonb(new) - (tg_argv || 'erased_at'::text) = to_jsonb(old) - (tg_argv || 'erased_at'::text)
  then return new; end if;
  raise exception '% is append-only', tg_table_name;
end `;

/** A reference between tables. */
export interface Reference {
  readonly table: string;
  readonly columns: readonly string[];
  readonly parent: string;
  readonly parentColumns: readonly string[];
}

/** The reference of one column, and those of several. */
const inline = /^ *(\w+) (?:text|integer|bigint|blob)\b.*? references (\w+) \((\w+)\)/gm;
const several = /foreign key \(([\w, ]+)\) references (\w+) \(([\w, ]+)\)/g;

/** The references of every table, in the order in which the migrations create them. */
export function listReferences(): readonly Reference[] {
  return Object.values(schemas).flatMap(({ sql: text }) =>
    [...text.replace(/--.*/g, '').matchAll(/create table (\w+) \(\n([\s\S]*?)\n\)/g)].flatMap(
      ([, table = '', lines = '']) =>
        [...lines.matchAll(inline), ...lines.matchAll(several)].map(
          ([, columns = '', parent = '', parentColumns = '']) => ({
            table,
            columns: columns.split(', '),
            parent,
            parentColumns: parentColumns.split(', '),
          }),
        ),
    ),
  );
}

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
    for (const [name, schema] of waiting) {
      for (const statement of writeStatements(schema, dialect)) await sql.raw(statement).execute(transaction);
      const expands = schema.expands === true ? 1 : 0;
      await sql`insert into ${sql.table(migrationTable)} (name, ran_at, expands)
        values (${name}, ${clock()}, ${expands})`.execute(transaction);
    }
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
