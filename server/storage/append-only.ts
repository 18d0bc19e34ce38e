import { type Kysely, sql } from 'kysely';
import type { Database, Dialect } from './database.ts';

/** The tables whose rows the database refuses to change or delete. */
export const appendOnlyTables = ['audit_events', 'consent_notice_versions', 'consent_records', 'checkpoints'] as const;
type AppendOnlyTable = (typeof appendOnlyTables)[number];

/** Makes the database refuse to change or delete rows of a table. */
export async function makeAppendOnly(db: Kysely<unknown>, dialect: Dialect, table: AppendOnlyTable): Promise<void> {
  if (dialect === 'sqlite') {
    for (const { sql: text } of sqliteGuards(table)) await sql.raw(text).execute(db);
    return;
  }
  await sql`create or replace function refuse_change() returns trigger language plpgsql as
    ${sql.lit(refusal)}`.execute(db);
  await sql`create trigger ${sql.id(`${table}_refuse_change`)} before update or delete on ${sql.table(table)}
    for each row execute function refuse_change()`.execute(db);
  await sql`create trigger ${sql.id(`${table}_refuse_truncate`)} before truncate on ${sql.table(table)}
    for each statement execute function refuse_change()`.execute(db);
}

/** The body of the function that the triggers of PostgreSQL call. */
const refusal = " begin raise exception '% is append-only', tg_table_name; end ";

/** A trigger as SQLite stores it. */
interface SqliteTrigger {
  readonly name: string;
  readonly table: string;
  readonly sql: string;
}

function sqliteGuards(table: AppendOnlyTable): readonly SqliteTrigger[] {
  return ['update', 'delete'].map((event) => {
    const name = `${table}_refuse_${event}`;
    const text = `CREATE TRIGGER "${name}" before ${event} on "${table}"
        begin select raise(abort, '${table} is append-only'); end`;
    return { name, table, sql: text };
  });
}

/**
 * Compares the triggers of a database with those that the migrations created: an attacker with the database can drop or
 * weaken them and change rows without any other trace.
 * @returns the differences.
 */
export function checkGuards(database: Database): Promise<readonly string[]> {
  return database.dialect === 'sqlite' ? checkSqlite(database) : checkPostgres(database);
}

async function checkSqlite({ kysely }: Database): Promise<readonly string[]> {
  const { rows } = await sql<SqliteTrigger>`
    select name, tbl_name as "table", sql from sqlite_schema where type = 'trigger' order by name`.execute(kysely);
  const found = new Map(rows.map((row) => [row.name, row]));
  const issues: string[] = [];
  for (const guard of appendOnlyTables.flatMap(sqliteGuards)) {
    const row = found.get(guard.name);
    found.delete(guard.name);
    if (row === undefined) issues.push(describeMissing(guard.name, guard.table));
    else if (row.sql !== guard.sql || row.table !== guard.table) issues.push(describeOther(guard.name, guard.table));
  }
  return [...issues, ...[...found.values()].map(({ name, table }) => describeForeign(name, table))];
}

interface PostgresTrigger {
  readonly name: string;
  readonly table: string;
  readonly kind: number;
  readonly enabled: string;
  readonly isBare: boolean;
  readonly function: string;
}

/** Bits of pg_trigger.tgtype. */
const row = 1;
const before = 2;
const onDelete = 8;
const onUpdate = 16;
const onTruncate = 32;

async function checkPostgres({ kysely }: Database): Promise<readonly string[]> {
  const { rows } = await sql<PostgresTrigger>`
    select t.tgname as name, c.relname as "table", t.tgtype as kind, t.tgenabled as enabled, p.proname as function,
      t.tgqual is null and t.tgattr = ''::int2vector and t.tgnargs = 0 as "isBare"
    from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
    join pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace
    order by t.tgname`.execute(kysely);
  const found = new Map(rows.map((trigger) => [trigger.name, trigger]));
  const issues: string[] = [];
  for (const table of appendOnlyTables) {
    for (const [name, kind] of [
      [`${table}_refuse_change`, row | before | onDelete | onUpdate],
      [`${table}_refuse_truncate`, before | onTruncate],
    ] as const) {
      const trigger = found.get(name);
      found.delete(name);
      if (trigger === undefined) issues.push(describeMissing(name, table));
      else if (trigger.enabled !== 'O') issues.push(`the trigger ${name} is switched off: ${consequence(table)}`);
      else if (
        trigger.table !== table ||
        trigger.kind !== kind ||
        !trigger.isBare ||
        trigger.function !== 'refuse_change'
      )
        issues.push(describeOther(name, table));
    }
  }
  issues.push(...[...found.values()].map(({ name, table }) => describeForeign(name, table)));
  return [...issues, ...(await checkFunction(kysely)), ...(await checkBypasses(kysely))];
}

async function checkFunction(kysely: Database['kysely']): Promise<readonly string[]> {
  const { rows } = await sql<{ isOurs: boolean }>`
    select p.prosrc = ${refusal} and l.lanname = 'plpgsql' and p.proconfig is null and not p.prosecdef as "isOurs"
    from pg_proc p join pg_language l on l.oid = p.prolang
    where p.proname = 'refuse_change' and p.pronamespace = current_schema()::regnamespace`.execute(kysely);
  if (rows.length === 1 && rows[0]?.isOurs === true) return [];
  return ['the function refuse_change is not the one that Svc made: rows of every append-only table could be changed'];
}

/** Finds other ways to keep triggers from firing: rules that rewrite statements, and the replication role. */
async function checkBypasses(kysely: Database['kysely']): Promise<readonly string[]> {
  const { rows: rules } = await sql<{ rule: string; table: string }>`
    select rulename as rule, tablename as "table" from pg_rules where schemaname = current_schema()`.execute(kysely);
  const { rows: roles } = await sql<{ role: string }>`
    select current_setting('session_replication_role') as role`.execute(kysely);
  return [
    ...rules.map(
      ({ rule, table }) => `the rule ${rule} on ${table} was not made by Svc: it can change what is written`,
    ),
    ...(roles[0]?.role === 'origin'
      ? []
      : ['session_replication_role is not origin: triggers do not fire, so that rows could be changed']),
  ];
}

function consequence(table: string): string {
  return `rows of ${table} could be changed or removed`;
}

function describeMissing(name: string, table: string): string {
  return `the trigger ${name} is missing: ${consequence(table)}`;
}

function describeOther(name: string, table: string): string {
  return `the trigger ${name} is not the one that Svc made: ${consequence(table)}`;
}

function describeForeign(name: string, table: string): string {
  return `the trigger ${name} on ${table} was not made by Svc: it can change what is written`;
}
