import { isDeepStrictEqual } from 'node:util';
import { type RawBuilder, sql } from 'kysely';
import { type Database, type Dialect, openDatabase } from './database.ts';
import { readNodes } from './distribution.ts';
import { listClosingGuards, listGuards, refusal, type Trigger } from './guards.ts';
import { migrate } from './migrate.ts';
import { currentSchema } from './postgres.ts';
import type { Queries } from './queries.ts';

/** Describes parts that differ, or that only one of two schemas has. On PostgreSQL, triggers of two tables may share a name. */
function findDifferences<Part extends { readonly name: string; readonly table: string }>(
  wanted: readonly Part[],
  found: readonly Part[],
  describe: (wanted: Part | undefined, found: Part | undefined) => string,
): readonly string[] {
  const keyOf = ({ name, table }: Part) => `${table} ${name}`;
  const keys = new Set([...wanted, ...found].map(keyOf));
  return [...keys].flatMap((key) => {
    const [one, other] = [wanted, found].map((parts) => parts.find((part) => keyOf(part) === key));
    // Copies, because rows of node:sqlite have no prototype.
    return isDeepStrictEqual({ ...one }, { ...other }) ? [] : [describe(one, other)];
  });
}

/**
 * Compares the triggers of a database with those that the migrations created: an attacker with the database can drop or
 * weaken them and change rows without any other trace.
 * @returns the differences.
 */
export async function checkGuards({ dialect, kysely }: Database): Promise<readonly string[]> {
  const moved = await kysely.selectFrom('installation').select('id').where('moved_to', 'is not', null).execute();
  const guards = [...listGuards(dialect), ...(moved.length > 0 ? listClosingGuards(dialect) : [])];
  const wanted = guards.map((guard) => ({ ...guard, fires: 'O' }));
  const { rows } = await triggers[dialect].execute(kysely);
  const issues = findDifferences(wanted, rows, (guard, trigger) => {
    const { name, table } = (guard ?? trigger) as Trigger;
    const consequence = `rows of ${table} could be changed or removed`;
    if (guard === undefined)
      return `the trigger ${name} on ${table} was not made by Svc: it can change what is written`;
    if (trigger === undefined) return `the trigger ${name} is missing: ${consequence}`;
    if (trigger.fires !== 'O') return `the trigger ${name} is switched off: ${consequence}`;
    return `the trigger ${name} is not the one that Svc made: ${consequence}`;
  });
  if (dialect === 'sqlite') return issues;
  const ofNode = [...(await checkFunction(kysely)), ...(await checkBypasses(kysely))];
  return [...issues, ...ofNode, ...(await checkShards(kysely, guards))];
}

/** The triggers of a database, and when they fire: `O` in every session. Those of SQLite cannot be switched off. */
const triggers: Readonly<Record<Dialect, RawBuilder<Trigger & { readonly fires: string }>>> = {
  sqlite: sql`
    select name, tbl_name as "table", sql, 'O' as fires from sqlite_schema where type = 'trigger' order by name`,
  postgres: sql`
    select tgname as name, relname as "table", pg_get_triggerdef(t.oid, true) as sql, tgenabled as fires
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not tgisinternal and relnamespace = ${currentSchema} order by tgname`,
};

/**
 * Compares the triggers of every shard: an attacker with a worker can change rows there. Citus makes no triggers for TRUNCATE on
 * new shards, but on those that it moves.
 */
async function checkShards(queries: Queries, guards: readonly Trigger[]): Promise<readonly string[]> {
  return (await readNodes(queries)).flatMap(({ node, shards, found }) => {
    const present = found.triggers
      .map((trigger) => ({ ...trigger, sql: trigger.sql.replaceAll(`${found.schema}.`, '') }))
      // A worker has the names of the distributed tables, too, without rows.
      .filter(({ table, name }) => !guards.some((guard) => guard.table === table && guard.name === name));
    const wanted = shards.flatMap(({ table, shard }) =>
      guards.filter((guard) => guard.table === table).map((guard) => nameForShard(guard, shard)),
    );
    const expected = wanted.filter(
      ({ name, sql }) => !/ TRUNCATE /.test(sql) || present.some((one) => one.name === name),
    );
    const missing = shards.filter(({ table, shard }) => !found.tables.includes(`${table}_${shard}`));
    return [
      ...findDifferences(expected, present, (guard, trigger) => {
        const { name, table } = (guard ?? trigger) as Trigger;
        return `the trigger ${name} on ${table} of ${node} is not the one that Svc made: rows could be changed or removed`;
      }),
      ...missing.map(({ table, shard }) => `the table ${table}_${shard} of ${node} is missing, or can hide rows`),
      ...found.rules.map((rule) => `the rule ${rule} of ${node} was not made by Svc: it can change what is written`),
      ...(found.isOurs ? [] : [`the function refuse_change of ${node} is not the one that Svc made`]),
      ...(found.role === 'origin' ? [] : [`session_replication_role of ${node} is not origin: triggers do not fire`]),
    ];
  });
}

function nameForShard({ name, table, sql: text }: Trigger, shard: number) {
  const named = text.replace(` TRIGGER ${name} `, ` TRIGGER ${name}_${shard} `);
  const placed = named.replace(` ON ${table} `, ` ON ${table}_${shard} `);
  return { name: `${name}_${shard}`, table: `${table}_${shard}`, sql: placed, fires: 'O' };
}

async function checkFunction(queries: Queries): Promise<readonly string[]> {
  const { rows } = await sql<{ isOurs: boolean }>`
    select p.prosrc = ${refusal} and l.lanname = 'plpgsql' and p.proconfig is null and not p.prosecdef as "isOurs"
    from pg_proc p join pg_language l on l.oid = p.prolang
    where p.proname = 'refuse_change' and p.pronamespace = ${currentSchema}`.execute(queries);
  if (rows.length === 1 && rows[0]?.isOurs === true) return [];
  return ['the function refuse_change is not the one that Svc made: rows of every append-only table could be changed'];
}

/** Finds other ways to keep triggers from firing: rules that rewrite statements, and the replication role. */
async function checkBypasses(queries: Queries): Promise<readonly string[]> {
  const { rows: rules } = await sql<{ rule: string; table: string }>`
    select rulename as rule, tablename as "table" from pg_rules where schemaname = current_schema()`.execute(queries);
  const { rows: roles } = await sql<{ role: string }>`
    select current_setting('session_replication_role') as role`.execute(queries);
  return [
    ...rules.map(
      ({ rule, table }) => `the rule ${rule} on ${table} was not made by Svc: it can change what is written`,
    ),
    ...(roles[0]?.role === 'origin'
      ? []
      : ['session_replication_role is not origin: triggers do not fire, so that rows could be changed']),
  ];
}

/** A table, index or view, as SQLite stores it. */
interface SchemaPart {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  readonly sql: string | null;
}

/**
 * Compares the tables of a database with those that the migrations create: a view in place of a table can show other
 * rows than those stored.
 * @returns the differences.
 */
export async function checkTables(database: Database): Promise<readonly string[]> {
  madeParts ??= makeParts();
  const parts = await madeParts;
  if (database.dialect === 'postgres') return comparePostgres(database.kysely, parts);
  return findDifferences(parts, await readParts(database.kysely), (wanted, found) => {
    if (wanted === undefined) return `the ${found?.type} ${found?.name} was not made by Svc`;
    const { type, name } = wanted;
    return found === undefined ? `the ${type} ${name} is missing` : describeOther(type, name, found.type);
  });
}

/** Made once: the migrations of a version create the same parts each time. */
let madeParts: Promise<readonly SchemaPart[]> | undefined;

async function makeParts(): Promise<readonly SchemaPart[]> {
  await using made = openDatabase({ url: null, file: ':memory:' });
  await migrate(made);
  return await readParts(made.kysely);
}

async function readParts(queries: Queries): Promise<readonly SchemaPart[]> {
  // SQLite keeps its statistics in tables with reserved names.
  const { rows } = await sql<SchemaPart>`
    select type, name, tbl_name as "table", sql from sqlite_schema
    where type <> 'trigger' and name not in ('sqlite_stat1', 'sqlite_stat4') order by name`.execute(queries);
  return rows;
}

async function comparePostgres(queries: Queries, parts: readonly SchemaPart[]): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string; kind: string; hidesRows: boolean }>`
    select relname as name, relkind as kind, relrowsecurity as "hidesRows" from pg_class
    where relnamespace = ${currentSchema}`.execute(queries);
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

/**
 * Runs SQLite's own checks of the file, indexes and references, which no hash covers. PostgreSQL has data checksums and
 * amcheck for that.
 * @returns the faults; empty if there are none.
 */
export async function checkIntegrity({ dialect, kysely }: Database): Promise<readonly string[]> {
  if (dialect !== 'sqlite') return [];
  const file = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(kysely);
  const references = await sql<{ table: string; parent: string }>`pragma foreign_key_check`.execute(kysely);
  const issues = [
    ...file.rows.map((row) => row.integrity_check).filter((issue) => issue !== 'ok'),
    ...references.rows.map(({ table, parent }) => `a row of ${table} refers to a row of ${parent} that is missing`),
  ];
  return [...new Set(issues)];
}
