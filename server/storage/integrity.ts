import { sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * Runs SQLite's own checks of the file, indexes and references, which no hash covers. PostgreSQL has data checksums and
 * amcheck for that.
 * @returns the faults; empty if there are none.
 */
export async function checkIntegrity(database: Database): Promise<readonly string[]> {
  if (database.dialect !== 'sqlite') return [];
  const file = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(database.kysely);
  const references = await sql<{ table: string; parent: string }>`pragma foreign_key_check`.execute(database.kysely);
  const issues = [
    ...file.rows.map((row) => row.integrity_check).filter((issue) => issue !== 'ok'),
    ...references.rows.map(({ table, parent }) => `a row of ${table} refers to a row of ${parent} that is missing`),
  ];
  return [...new Set(issues)];
}

/** The database's own message why it cannot be read; null if the error is not from the database. */
export function describeUnreadable(error: unknown): string | null {
  if (!(error instanceof Error && 'code' in error)) return null;
  return error.message === '' ? String(error.code) : error.message;
}
