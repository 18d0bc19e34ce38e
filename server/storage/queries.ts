import { type Kysely, type RawBuilder, SqliteAdapter, sql, type Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/** Where a query may run: outside of a transaction or inside one. */
export type Queries = Kysely<Tables> | Transaction<Tables>;

/** True where rows can be locked for update: SQLite has one writer at a time and needs no row locks. */
export function locksRows(queries: Queries): boolean {
  return !(queries.getExecutor().adapter instanceof SqliteAdapter);
}

/** The time by the clock of the database, on which all its servers agree, and a number of milliseconds: RFC 3339 in UTC. */
export function databaseTime(queries: Queries, milliseconds = 0): RawBuilder<string> {
  return locksRows(queries)
    ? sql`to_char(statement_timestamp() at time zone 'utc' + ${sql.lit(milliseconds)} * interval '1 millisecond',
        'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : sql`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${sql.lit(`${milliseconds / 1000} seconds`)})`;
}
