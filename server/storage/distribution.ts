import { sql } from 'kysely';
import { type Database, inTransaction, openDatabase } from './database.ts';
import { listGuards, refusal } from './guards.ts';
import { currentSchema, excludeOthers } from './postgres.ts';
import type { Queries } from './queries.ts';
import { markDistributed } from './rows.ts';
import { listReferences, tableNames, tenantTableNames } from './schema.ts';
import { DatabaseUnavailable, UnusableDatabase } from './unavailable.ts';

// Citus places the rows of a tenant in shards of one worker. Each table is one of three kinds:
//
// - distributed by tenant_id: what belongs to a tenant, all colocated, so that a transaction of a tenant needs one worker;
// - reference, copied to every node: what is read together with those;
// - local, on the coordinator: the rest, which no worker needs. A write there does not wait for every worker.

/** Tables that belong to no tenant, but are read together with the rows of one. A table follows those that it refers to. */
const referenceTables = ['tenants', 'users', 'second_factors'] as const;

/** Reads whether the tables of tenants are distributed, and notes it for `isDistributed`. */
export async function readDistribution({ dialect, kysely }: Database): Promise<boolean> {
  const isThere = dialect === 'postgres' && (await listDistributed(kysely)).length > 0;
  if (isThere) markDistributed(kysely);
  return isThere;
}

/** The names of the tables of Svc that are distributed or copied to every node; none without Citus. */
export async function listDistributed(queries: Queries): Promise<readonly string[]> {
  if (!(await hasCitus(queries))) return [];
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_dist_partition join pg_class on oid = logicalrelid
    where relnamespace = ${currentSchema} and relname in (${sql.join(tableNames)})
      and (partmethod = 'h' or repmodel = 't')
    order by relname`.execute(queries);
  return rows.map(({ name }) => name);
}

async function hasCitus(queries: Queries): Promise<boolean> {
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(queries);
  return rows.length > 0;
}

/**
 * Distributes the tables of tenants that are not yet distributed, all or none, while no other process uses the database.
 * @param url of the coordinator.
 * @returns the tables that were distributed now.
 * @throws {UnusableDatabase} if other processes use it.
 */
export async function distribute(url: string): Promise<readonly string[]> {
  await using database = openAlone(url);
  const distributed = await inTransaction(database, async (transaction) => {
    if (!(await excludeOthers(transaction, tableNames)))
      throw new UnusableDatabase(
        'Other processes of Svc use the database. Stop every server, and run the command again.',
      );
    return distributeTables(transaction);
  });
  for (const table of distributed) await sql`analyze ${sql.table(table)}`.execute(database.kysely);
  return distributed;
}

/** Without a share of the lock that is taken from other processes. */
function openAlone(url: string): Database {
  return openDatabase({ url, file: '', holds: false });
}

const setUp =
  'Run CREATE EXTENSION citus on each node; then on the coordinator SELECT citus_set_coordinator_host(…) and, for each worker, SELECT citus_add_node(…).';

/**
 * Checks that tables can be distributed.
 * @param url of the coordinator; null for SQLite.
 * @throws {UnusableDatabase}
 */
export async function requireDistributable(url: string | null): Promise<void> {
  if (url === null)
    throw new UnusableDatabase(
      'SQLite cannot be distributed: move the data to PostgreSQL with the extension Citus (svc move), and set DATABASE_URL.',
    );
  await using database = openAlone(url);
  const queries = database.kysely;
  if (!(await hasCitus(queries)))
    throw new UnusableDatabase(`This database does not have the extension Citus, which distributes tables. ${setUp}`);
  const { rows } = await sql<{ isCoordinator: boolean; isAdded: boolean; workers: number }>`
    select (select groupid from pg_dist_local_group) = 0 as "isCoordinator",
      count(*) filter (where groupid = 0) > 0 as "isAdded",
      count(*) filter (where groupid > 0 and isactive and shouldhaveshards and noderole = 'primary') as workers
    from pg_dist_node`.execute(queries);
  const [{ isCoordinator, isAdded, workers } = { isCoordinator: false, isAdded: false, workers: 0 }] = rows;
  if (!isCoordinator)
    throw new UnusableDatabase('This is a worker of Citus: set DATABASE_URL to the address of the coordinator.');
  if (!isAdded || workers === 0)
    throw new UnusableDatabase(
      `Citus does not know ${isAdded ? 'a worker' : 'the address of the coordinator'} yet. ${setUp}`,
    );
}

/**
 * Distributes what is not yet distributed, in a transaction that has locked the tables.
 * @returns the tables that were distributed now.
 */
export async function distributeTables(transaction: Queries): Promise<readonly string[]> {
  const present = await listDistributed(transaction);
  const references = referenceTables.filter((table) => !present.includes(table));
  const tables = tenantTableNames.filter((table) => !present.includes(table));
  await allowChanges(transaction);
  if (references.length + tables.length > 0) {
    // A table cannot refer to one that is distributed before it is, nor be referred to.
    await dropReferences(transaction, [...references, ...tables]);
    const guards = listGuards('postgres').filter(({ table }) => tables.includes(table));
    // They would refuse to remove the rows that were copied to the workers.
    for (const { name, table } of guards)
      await sql`drop trigger if exists ${sql.id(name)} on ${sql.table(table)}`.execute(transaction);
    for (const table of references) await sql`select create_reference_table(${table})`.execute(transaction);
    for (const table of tables) await distributeTable(transaction, table);
    for (const guard of guards) await sql.raw(guard.sql).execute(transaction);
  }
  await addReferences(transaction);
  return [...references, ...tables];
}

/** Lets a transaction change the schema of distributed tables. */
export async function allowChanges(transaction: Queries): Promise<void> {
  // The guards of the ledgers are triggers. Citus allows them with this setting: see the documentation.
  await sql`set local citus.enable_unsafe_triggers = on`.execute(transaction);
  // References to copied tables need one connection to each worker.
  await sql`set local citus.multi_shard_modify_mode = 'sequential'`.execute(transaction);
  await sql`set local client_min_messages = warning`.execute(transaction);
}

/** The table whose distribution the others follow. */
const first = 'chain_heads';

async function distributeTable(transaction: Queries, table: string): Promise<void> {
  const others = await listDistributed(transaction);
  const group = others.includes(first) ? first : (others.find((name) => tenantTableNames.includes(name)) ?? 'none');
  await sql`select create_distributed_table(${table}, 'tenant_id', colocate_with => ${group})`.execute(transaction);
  // Otherwise what an erasure clears would stay on the disk of the coordinator.
  await sql`select truncate_local_data_after_distributing_table(${table}::regclass)`.execute(transaction);
}

async function dropReferences(transaction: Queries, tables: readonly string[]): Promise<void> {
  const { rows } = await sql<{ name: string; table: string }>`
    select conname as name, relname as "table" from pg_constraint join pg_class on pg_class.oid = conrelid
    where contype = 'f' and relnamespace = ${currentSchema}`.execute(transaction);
  for (const { name, table } of rows.filter((row) => tables.includes(row.table)))
    await sql`alter table ${sql.table(table)} drop constraint ${sql.id(name)}`.execute(transaction);
}

/** Adds the references that are missing. */
async function addReferences(transaction: Queries): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select conname as name from pg_constraint join pg_class on pg_class.oid = conrelid
    where contype = 'f' and relnamespace = ${currentSchema}`.execute(transaction);
  const present = new Set(rows.map(({ name }) => name));
  for (const { table, columns, parent, parentColumns } of listReferences()) {
    // The name that PostgreSQL chooses.
    const name = `${table}_${columns.join('_')}_fkey`;
    if (present.has(name)) continue;
    const [own, other] = [columns, parentColumns].map((list) => sql.join(list.map((column) => sql.id(column))));
    await sql`alter table ${sql.table(table)} add constraint ${sql.id(name)}
      foreign key (${own}) references ${sql.table(parent)} (${other})`.execute(transaction);
  }
}

/** A node with shards, and what it has in the schema of Svc. */
interface Node {
  /** Its address. */
  readonly node: string;
  readonly shards: readonly { readonly table: string; readonly shard: number }[];
  readonly found: {
    readonly schema: string;
    readonly triggers: readonly {
      readonly name: string;
      readonly table: string;
      readonly sql: string;
      readonly fires: string;
    }[];
    /** Tables that hide no rows. */
    readonly tables: readonly string[];
    readonly rules: readonly string[];
    /** True if the guards call the function that the migrations created. */
    readonly isOurs: boolean;
    readonly role: string;
  };
}

/**
 * Reads what the nodes of a distributed database have; none if it is not distributed.
 * @throws {DatabaseUnavailable} if a node does not answer.
 */
export async function readNodes(queries: Queries): Promise<readonly Node[]> {
  if ((await listDistributed(queries)).length === 0) return [];
  const { rows: placements } = await sql<{ id: number; node: string; table: string; shard: number }>`
    select nodeid as id, nodename || ':' || nodeport as node, relname as "table", shardid as shard
    from pg_dist_placement join pg_dist_shard using (shardid) join pg_class on pg_class.oid = logicalrelid
      join pg_dist_node using (groupid)
    where relnamespace = ${currentSchema} and noderole = 'primary' and shardstate = 1
    order by nodeid, relname, shardid`.execute(queries);
  const { rows: answers } = await sql<{ id: number; success: boolean; result: string }>`
    select nodeid as id, success, result from run_command_on_all_nodes(format(
      cast(${describeNode} as text), quote_literal(current_schema()), quote_literal(cast(${refusal} as text))))`.execute(
    queries,
  );
  const silent = placements.find((placement) => !answers.some(({ id }) => id === placement.id));
  if (silent) throw new DatabaseUnavailable(new Error(`a node of Citus does not answer: ${silent.node}`));
  return answers.map(({ id, success, result }) => {
    const shards = placements.filter((placement) => placement.id === id);
    if (!success) throw new DatabaseUnavailable(new Error(`a node of Citus does not answer: ${result}`));
    return { node: shards[0]?.node ?? `node ${id}`, shards, found: JSON.parse(result) };
  });
}

/** A format: the schema and the body of the function of the guards, as literals. */
const describeNode = `
  select json_build_object(
    'schema', %1$s,
    'triggers', (
      select coalesce(json_agg(json_build_object(
        'name', tgname, 'table', relname, 'sql', pg_get_triggerdef(t.oid, true), 'fires', tgenabled)), '[]')
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not tgisinternal and relnamespace = (select oid from pg_namespace where nspname = %1$s)),
    'tables', (
      select coalesce(json_agg(relname), '[]') from pg_class
      where relnamespace = (select oid from pg_namespace where nspname = %1$s) and relkind = 'r' and not relrowsecurity),
    'rules', (
      select coalesce(json_agg(rulename || ' on ' || tablename), '[]') from pg_rules where schemaname = %1$s),
    'isOurs', exists (
      select from pg_proc p join pg_language l on l.oid = p.prolang
      where p.proname = 'refuse_change' and p.pronamespace = (select oid from pg_namespace where nspname = %1$s)
        and p.prosrc = %2$s and l.lanname = 'plpgsql' and p.proconfig is null and not p.prosecdef),
    'role', current_setting('session_replication_role'))`;
