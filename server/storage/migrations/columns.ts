import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Dialect } from '../database.ts';

/** Text that sorts by its bytes on both databases, whatever the locale of a PostgreSQL cluster is. */
export function textType(dialect: Dialect) {
  return dialect === 'postgres' ? sql`text collate "C"` : sql`text`;
}

/**
 * Starts a table whose rows SQLite stores in the order of the primary key, without a second key of its own: right for
 * small rows, while rows of a kilobyte make the tree deep.
 */
export function createClusteredTable(
  db: Kysely<unknown>,
  dialect: Dialect,
  name: string,
): CreateTableBuilder<string, never> {
  const table = db.schema.createTable(name);
  return dialect === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table;
}

/** For a million rows: how many of them share the first column of an index, the first two, and so on. */
export type IndexStatistics = Readonly<Record<string, readonly number[]>>;

/**
 * Informs SQLite how selective the indexes of a table are when it has grown. Without it SQLite assumes the same of every
 * index, and may walk a whole ledger in order where an index leads to three rows. Fixed numbers keep plans as tested.
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
