import { type Kysely, SqliteAdapter, type Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/** Where a query may run: outside of a transaction or inside one. */
export type Queries = Kysely<Tables> | Transaction<Tables>;

/** True where rows can be locked for update: SQLite has one writer at a time and needs no row locks. */
export function locksRows(queries: Queries): boolean {
  return !(queries.getExecutor().adapter instanceof SqliteAdapter);
}
