import { sql } from 'kysely';
import type { Database, Transaction } from './database.ts';
import { locksRows } from './queries.ts';
import { emptyLog, findWiper } from './sqlite.ts';
import { remains, type WipeResult } from './wipe-free-space.ts';

/** Notes in the transaction of an erasure that copies of what it erases are left in the files. */
export async function noteErasure(tx: Transaction): Promise<void> {
  if (!locksRows(tx.queries)) await sql`pragma user_version = ${sql.lit(remains)}`.execute(tx.queries);
  tx.afterCommit(() => tx.signals.emit('erased'));
}

/** Removes erased values from the write-ahead log of SQLite. @returns true if the log is empty. */
export async function emptyErasedLog({ dialect, kysely }: Database): Promise<boolean> {
  return dialect !== 'sqlite' || emptyLog(kysely);
}

/**
 * Removes some copies of erased values, in some milliseconds. SQLite: from pages of the file that were divided, because
 * secure_delete overwrites only freed space. PostgreSQL cleans up its rows by itself, but keeps samples of former values
 * in its statistics until they are collected again.
 */
export async function stepRemoval({ dialect, kysely }: Database): Promise<WipeResult> {
  if (dialect === 'sqlite') return findWiper(kysely).step();
  await sql`analyze`.execute(kysely);
  return 'done';
}

/**
 * Removes all copies of erased values: for commands, which no request waits for.
 * @returns false while other processes use the database: a running server removes them within minutes.
 */
export async function removeRemains(database: Database): Promise<boolean> {
  for (let attempts = 0; attempts < 100; ) {
    const result = await stepRemoval(database);
    if ((result === 'none' || result === 'done') && (await emptyErasedLog(database))) return true;
    if (result !== 'more') attempts += 1;
    // Others may write.
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}

/** How many bytes of a SQLite file were searched for copies of erased values, 0 before a pass; null if none are left. */
export async function readSearched({ dialect, kysely: queries }: Database): Promise<number | null> {
  if (dialect !== 'sqlite') return null;
  const { rows } = await sql<{ readonly mark: number; readonly size: number }>`
    select user_version as mark, page_size as size from pragma_user_version, pragma_page_size`.execute(queries);
  const { mark, size } = rows[0] as (typeof rows)[number];
  return mark === 0 ? null : Math.max(mark - 1, 0) * size;
}
