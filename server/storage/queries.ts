import { type Kysely, type RawBuilder, SqliteAdapter, sql, type Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/** Where a query may run: outside of a transaction or inside one. */
export type Queries = Kysely<Tables> | Transaction<Tables>;

/** True where rows can be locked for update: SQLite has one writer at a time and needs no row locks. */
export function locksRows(queries: Queries): boolean {
  return !(queries.getExecutor().adapter instanceof SqliteAdapter);
}

/** The adapters of databases whose tables are distributed: one object per database, inside and outside transactions. */
const distributed = new WeakSet<object>();

/** Notes that the tables of tenants are distributed. */
export function markDistributed(queries: Queries): void {
  distributed.add(queries.getExecutor().adapter);
}

/** True if the tables of tenants are distributed over several nodes (Citus): a transaction of one tenant needs only one of them. */
export function isDistributed(queries: Queries): boolean {
  return distributed.has(queries.getExecutor().adapter);
}

/** The time by the clock of the database, on which all its servers agree, and a number of milliseconds: RFC 3339 in UTC. */
export function databaseTime(queries: Queries, milliseconds = 0): RawBuilder<string> {
  return locksRows(queries)
    ? sql`to_char(statement_timestamp() at time zone 'utc' + ${sql.lit(milliseconds)} * interval '1 millisecond',
        'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : sql`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${sql.lit(`${milliseconds / 1000} seconds`)})`;
}
