import { type Kysely, SqliteAdapter, type Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/** Where a query may run: outside of a transaction or inside one. */
export type Queries = Kysely<Tables> | Transaction<Tables>;

/** True where rows can be locked for update: SQLite has one writer at a time and needs no row locks. */
export function locksRows(queries: Queries): boolean {
  return !(queries.getExecutor().adapter instanceof SqliteAdapter);
}

/** Keyed hashes of rows that only a server of this installation may write. */
export interface RowSeal {
  /** The id of the key, which identifies the secret that sealed a row. */
  readonly keyId: string;
  seal(text: string): string;
  /** The stored hash of a token: only a server of this installation can write a row with it. */
  hashToken(token: string): string;
}

/** The key that seals rows. @throws {Error} if the database was opened without the secret. */
export function requireSeal({ seal }: { readonly seal: RowSeal | null }): RowSeal {
  if (seal === null) throw new Error('the database was opened without the secret: sealed rows cannot be written');
  return seal;
}
