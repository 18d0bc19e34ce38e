import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import { migrationTable } from './migrate.ts';
import { currentSchema } from './postgres.ts';
import type { Queries } from './queries.ts';
import { tableNames } from './schema.ts';
import type { Tables } from './tables.ts';
import { UnusableDatabase } from './unavailable.ts';

/** The oldest version that the PostgreSQL project maintains. */
const oldestVersion = 14;

/**
 * Checks what every later statement relies on, so that a server does not start on a database that fails it later.
 * @throws {UnusableDatabase}
 */
export async function requireUsable({ dialect, kysely }: Database): Promise<void> {
  // SQLite is part of the package; `openSqlite` checks the file.
  if (dialect === 'sqlite') return;
  const issue = findIssue(await readFacts(kysely));
  if (issue !== null) throw new UnusableDatabase(issue);
  if (await sharesSessions(kysely))
    throw new UnusableDatabase(
      'The pooler in front of PostgreSQL runs the transactions of a connection in different sessions (pool_mode = transaction or statement), so that locks and time limits are lost. Set pool_mode = session for this database, or connect to PostgreSQL directly.',
    );
}

interface Facts {
  readonly version: number;
  readonly encoding: string;
  readonly isReadOnly: boolean;
  /** Triggers keep the ledgers append-only. */
  readonly firesTriggers: boolean;
  readonly role: string;
  readonly database: string;
  /** Where tables are created; null if the role can use no schema of the search path. */
  readonly schema: string | null;
  readonly path: string;
  readonly mayCreate: boolean | null;
  readonly isPrepared: boolean;
  /** Another schema of the search path that has the tables of Svc. */
  readonly otherSchema: string | null;
  /** A table that the role may not read or write. */
  readonly closedTable: string | null;
}

async function readFacts(queries: Queries): Promise<Facts> {
  const { rows } = await sql<Facts>`
    select current_setting('server_version_num')::integer / 10000 as version,
      current_setting('server_encoding') as encoding,
      current_setting('transaction_read_only') = 'on' as "isReadOnly",
      current_setting('session_replication_role') <> 'replica' as "firesTriggers",
      current_user as role,
      current_database() as database,
      current_schema() as schema,
      current_setting('search_path') as path,
      has_schema_privilege(${currentSchema}, 'CREATE') as "mayCreate",
      exists (
        select from pg_class where relname = ${migrationTable} and relnamespace = ${currentSchema}
      ) as "isPrepared",
      (
        select nspname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
        where relname = ${migrationTable} and nspname = any (current_schemas(false)) and nspname <> current_schema()
        limit 1
      ) as "otherSchema",
      (
        select relname from pg_class
        where relnamespace = ${currentSchema} and relkind = 'r' and relname = any (${tableNames})
          and not (
            has_table_privilege(oid, 'SELECT') and has_table_privilege(oid, 'INSERT')
            and has_table_privilege(oid, 'UPDATE') and has_table_privilege(oid, 'DELETE')
          )
        order by relname limit 1
      ) as "closedTable"`.execute(queries);
  return rows[0] as Facts;
}

function findIssue(facts: Facts): string | null {
  const { version, encoding, schema, isPrepared, otherSchema, closedTable } = facts;
  const [role, database] = [quote(facts.role), quote(facts.database)];
  const ownSchema = `CREATE SCHEMA svc AUTHORIZATION ${role}; ALTER ROLE ${role} IN DATABASE ${database} SET search_path = svc;`;
  if (version < oldestVersion)
    return `This is PostgreSQL ${version}, and Svc needs ${oldestVersion} or later. Upgrade it, or use another server.`;
  if (encoding !== 'UTF8')
    return `The database ${database} has the encoding ${encoding}, which cannot store every text. Use one in UTF-8: CREATE DATABASE svc OWNER ${role} ENCODING 'UTF8' TEMPLATE template0;`;
  if (facts.isReadOnly)
    return `The database ${database} is read-only for the role ${role} (default_transaction_read_only). Allow it to write: ALTER ROLE ${role} IN DATABASE ${database} SET default_transaction_read_only = off;`;
  if (!facts.firesTriggers)
    return `The role ${role} has session_replication_role = replica, so that the triggers which protect the ledgers do not fire. Reset it: ALTER ROLE ${role} RESET session_replication_role;`;
  if (schema === null)
    return `The search path (${facts.path}) has no schema that exists and that the role ${role} may use. Create one: ${ownSchema}`;
  if (!isPrepared && otherSchema !== null)
    return `The tables of Svc are in the schema ${quote(otherSchema)}, but ${quote(schema)} comes before it in the search path. Name one of the two: ALTER ROLE ${role} IN DATABASE ${database} SET search_path = ${quote(otherSchema)};`;
  if (!isPrepared && facts.mayCreate !== true)
    return `The role ${role} may not create tables in the schema ${quote(schema)}. Allow it: GRANT CREATE ON SCHEMA ${quote(schema)} TO ${role}; or create a schema for it: ${ownSchema}`;
  if (closedTable !== null)
    return `The role ${role} may not read and write the table ${closedTable}. Connect as the owner of the tables, or allow it: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${quote(schema)} TO ${role};`;
  return null;
}

function quote(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** True if two connections can get the same session of PostgreSQL while both are open. */
async function sharesSessions(kysely: Kysely<Tables>): Promise<boolean> {
  const isShared = await kysely.connection().execute(async (one) => {
    const before = await readSession(one);
    return kysely.connection().execute(async (other) => {
      try {
        return await other.transaction().execute(async (transaction) => {
          if ((await readSession(transaction)) === before) return true;
          // The transaction keeps its session, so that another process may have taken the first one.
          return (await readSession(one)) !== before;
        });
      } catch (error) {
        // PgBouncer with pool_mode = statement.
        if (error instanceof Error && /statement pooling/.test(error.message)) return true;
        throw error;
      }
    });
  });
  // The session goes back to the pooler: what this connection set and locked would stay with it.
  if (isShared) await sql`discard all`.execute(kysely);
  return isShared;
}

async function readSession(queries: Queries): Promise<number> {
  const { rows } = await sql<{ id: number }>`select pg_backend_pid() as id`.execute(queries);
  return rows[0]?.id ?? 0;
}
