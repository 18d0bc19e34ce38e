import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Database, Dialect } from './database.ts';
import { spine } from './migrations/001-spine.ts';
import { ledger } from './migrations/002-ledger.ts';
import { consent } from './migrations/003-consent.ts';
import { identity } from './migrations/004-identity.ts';
import { compliance } from './migrations/005-compliance.ts';
import { webhooks } from './migrations/006-webhooks.ts';

/** The tables of a feature. */
export interface Schema {
  /**
   * Statements of SQLite, with a column on each line and comments from which `tables.ts` is generated. Columns are only
   * text, integer, bigint and blob. Tables without rowid are stored in the order of their key: for small rows only, because
   * rows of a kilobyte make the tree deep.
   */
  readonly sql: string;
  /** The tables whose rows the database refuses to change or delete. */
  readonly appendOnly?: readonly string[];
  /**
   * The columns of append-only tables that an erasure sets to null, all in one update that changes nothing else, except that
   * it may set `erased_at`, once.
   */
  readonly erasable?: Readonly<Record<string, readonly string[]>>;
  /**
   * For a million rows of a large table: how many share the first column of an index, the first two, and so on. Without
   * it, SQLite assumes the same of every index, and may scan a whole ledger in order when an index leads to three rows.
   * Fixed numbers keep the tested plans.
   */
  readonly statistics?: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;
}

/** Every migration in order. A released one never changes; the next change is a new file. */
export const schemas: Readonly<Record<string, Schema>> = {
  '001-spine': spine,
  '002-ledger': ledger,
  '003-consent': consent,
  '004-identity': identity,
  '005-compliance': compliance,
  '006-webhooks': webhooks,
};

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
    const erasable = schema.erasable?.[table] ?? [];
    const unless = erasable.length === 0 ? '' : `when not (${describeClearing(schema, table, erasable)}) `;
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

/** The condition, for SQLite, that an update only erases. */
function describeClearing(schema: Schema, table: string, erasable: readonly string[]): string {
  const [, lines = '', end = ''] = new RegExp(`create table ${table} \\(\n([^]*?)\n\\)(.*)`).exec(schema.sql) ?? [];
  const columns = [...lines.matchAll(/^ *(\w+) (?:text|integer|bigint|blob)\b/gm)].map(
    ([, column]) => column as string,
  );
  const kept = columns.filter((column) => column !== 'erased_at' && !erasable.includes(column));
  if (!end.includes('without rowid')) kept.push('rowid');
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

function makeMigration(schema: Schema, dialect: Dialect): Migration {
  const statements = schema.sql
    // SQLite stores the text of a statement, which `svc verify` compares: layout and comments must not matter.
    .replace(/--.*/g, '')
    .replace(/\s+/g, ' ')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  const triggers = guardsOf(schema, dialect).map((trigger) => trigger.sql);
  const run = async (db: Kysely<unknown>, texts: readonly string[]) => {
    for (const text of texts) await sql.raw(text).execute(db);
  };
  if (dialect === 'sqlite') return { up: (db) => run(db, [...statements, ...triggers, ...describeIndexes(schema)]) };
  const refuse = `create or replace function refuse_change() returns trigger language plpgsql as $$${refusal}$$`;
  return { up: (db) => run(db, [...statements.map(adaptToPostgres), refuse, ...triggers]) };
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

/**
 * Brings the schema up to date. Servers that start at the same time wait for each other.
 * @returns the names of the migrations that ran.
 */
export async function migrate(database: Database): Promise<readonly string[]> {
  const migrations = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, makeMigration(schema, database.dialect)]),
  );
  const migrator = new Migrator({ db: database.kysely, provider: { getMigrations: async () => migrations } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  return results.map((result) => result.migrationName);
}

/** Whether every migration has run; only reads. */
export async function isMigrated({ kysely }: Database): Promise<boolean> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(kysely);
    const names = Object.keys(schemas);
    // More have run if a later version used the database; `migrate` reports that.
    return names.length === rows.length && names.every((name) => rows.some((row) => row.name === name));
  } catch (error) {
    if (error instanceof Error && 'code' in error && noSuchTable.has(error.code)) return false;
    throw error;
  }
}

/** The codes of SQLite and PostgreSQL for a missing table. */
const noSuchTable: ReadonlySet<unknown> = new Set(['SQLITE_ERROR', '42P01']);
