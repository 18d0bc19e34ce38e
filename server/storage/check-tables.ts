import { sql } from 'kysely';
import { type Database, openDatabase, type Queries } from './database.ts';
import { migrate } from './migrate.ts';

/** A table, index or view, as SQLite stores it. */
interface SchemaPart {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  readonly sql: string | null;
}

/**
 * Compares the tables of a database with those that the migrations create: a view in place of a table can show other
 * rows than those stored. `checkGuards` checks the triggers.
 * @returns the differences.
 */
export async function checkTables(database: Database): Promise<readonly string[]> {
  await using made = openDatabase({ url: null, file: ':memory:' });
  await migrate(made);
  const parts = await readParts(made.kysely);
  return database.dialect === 'sqlite'
    ? compareParts(parts, await readParts(database.kysely))
    : comparePostgres(database.kysely, parts);
}

async function readParts(queries: Queries): Promise<readonly SchemaPart[]> {
  // SQLite keeps its statistics in tables with reserved names.
  const { rows } = await sql<SchemaPart>`
    select type, name, tbl_name as "table", sql from sqlite_schema
    where type <> 'trigger' and name not in ('sqlite_stat1', 'sqlite_stat4') order by name`.execute(queries);
  return rows;
}

function compareParts(wanted: readonly SchemaPart[], parts: readonly SchemaPart[]): readonly string[] {
  const found = new Map(parts.map((part) => [part.name, part]));
  const issues: string[] = [];
  for (const { type, name, table, sql: text } of wanted) {
    const part = found.get(name);
    found.delete(name);
    if (part === undefined) issues.push(`the ${type} ${name} is missing`);
    else if (part.type !== type || part.table !== table || part.sql !== text)
      issues.push(describeOther(type, name, part.type));
  }
  return [...issues, ...[...found.values()].map(({ type, name }) => `the ${type} ${name} was not made by Svc`)];
}

async function comparePostgres(queries: Queries, parts: readonly SchemaPart[]): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string; kind: string; hidesRows: boolean }>`
    select relname as name, relkind as kind, relrowsecurity as "hidesRows" from pg_class
    where relnamespace = current_schema()::regnamespace`.execute(queries);
  const found = new Map(rows.map((row) => [row.name, row]));
  return parts
    .filter(({ type }) => type === 'table')
    .flatMap(({ name }) => {
      const table = found.get(name);
      if (table === undefined) return [`the table ${name} is missing`];
      if (table.kind !== 'r') return [describeOther('table', name, table.kind === 'v' ? 'view' : 'other relation')];
      return table.hidesRows ? [`row security is on for the table ${name}: it can hide rows`] : [];
    });
}

function describeOther(type: string, name: string, found: string): string {
  const what = found === type ? 'another one' : `now a ${found}`;
  return `the ${type} ${name} that Svc made is ${what}: it can show other rows than there are`;
}
