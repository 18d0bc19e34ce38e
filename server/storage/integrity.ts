import { sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * Asks SQLite to check its file, indexes included, which no hash of ours covers. PostgreSQL has data checksums and
 * amcheck for that.
 * @returns what is wrong; empty when nothing is.
 */
export async function checkIntegrity(database: Database): Promise<readonly string[]> {
  if (database.dialect !== 'sqlite') return [];
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(database.kysely);
  return rows.map((row) => row.integrity_check).filter((issue) => issue !== 'ok');
}
