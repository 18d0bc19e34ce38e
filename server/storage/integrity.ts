import { sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * Asks SQLite to check its file, indexes and references included, which no hash of ours covers. PostgreSQL has data
 * checksums and amcheck for that.
 * @returns what is wrong; empty when nothing is.
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

/** Why a database cannot be read, in its own words; null for a failure that is not the database's. */
export function describeUnreadable(error: unknown): string | null {
  if (!(error instanceof Error && 'code' in error)) return null;
  return error.message === '' ? String(error.code) : error.message;
}
