import type { Selectable } from 'kysely';
import type { Queries } from '../storage/database.ts';
import { insertRow, newId } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';

/** Data that came from another database or a file. */
export type Transfer = Selectable<Tables['transfers']>;

/** Stores that data came. */
export async function insertTransfer(queries: Queries, transfer: Omit<Transfer, 'id'>): Promise<void> {
  await insertRow(queries, 'transfers', { id: newId(), ...transfer });
}

/** The newest ones, newest first. */
export function listTransfers(queries: Queries, limit: number): Promise<readonly Transfer[]> {
  return queries.selectFrom('transfers').selectAll().orderBy('id', 'desc').limit(limit).execute();
}
