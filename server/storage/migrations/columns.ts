import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Dialect } from '../database.ts';

/** Text that sorts by its bytes on both databases, regardless of the locale of a PostgreSQL cluster. */
export function textType(dialect: Dialect) {
  return dialect === 'postgres' ? sql`text collate "C"` : sql`text`;
}

/**
 * Starts a table that SQLite stores in the order of its primary key, without a separate key index: suitable for small
 * rows, because rows of a kilobyte make the tree deep.
 */
export function createClusteredTable(
  db: Kysely<unknown>,
  dialect: Dialect,
  name: string,
): CreateTableBuilder<string, never> {
  const table = db.schema.createTable(name);
  return dialect === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table;
}

/** For a million rows: how many share the first column of an index, the first two, and so on. */
export type IndexStatistics = Readonly<Record<string, readonly number[]>>;

/**
 * Informs SQLite how selective the indexes of a large table are. Without statistics, SQLite assumes the same of every
 * index, and may scan a whole ledger in order when an index leads to three rows. Fixed numbers keep the tested plans.
 */
export async function describeIndexes(
  db: Kysely<unknown>,
  dialect: Dialect,
  table: string,
  statistics: IndexStatistics,
): Promise<void> {
  if (dialect !== 'sqlite') return;
  await sql`analyze sqlite_schema`.execute(db);
  for (const [index, rows] of Object.entries(statistics)) {
    await sql`insert into sqlite_stat1 (tbl, idx, stat) values (${table}, ${index}, ${`1000000 ${rows.join(' ')}`})`.execute(
      db,
    );
  }
  await sql`analyze sqlite_schema`.execute(db);
}
