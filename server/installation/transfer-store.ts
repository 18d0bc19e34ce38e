import { type Selectable, sql } from 'kysely';
import type { Queries } from '../storage/queries.ts';
import { insertRow, newId } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';

/** Data that came from another database or a file. */
export type Transfer = Selectable<Tables['transfers']>;

/** Stores that data came. @returns the id. */
export async function insertTransfer(queries: Queries, transfer: Omit<Transfer, 'id'>): Promise<string> {
  return (await insertRow(queries, 'transfers', { id: newId(), ...transfer })).id;
}

/**
 * Stores that an import of a file begins, or that an interrupted one continues.
 * @param count of the records that it has to write.
 * @returns the id; null if there is nothing to write, and nothing was interrupted.
 */
export async function beginImport(
  queries: Queries,
  { count, at, ...of }: Pick<Transfer, 'at' | 'source' | 'tenant_id' | 'notice_id'> & { readonly count: number },
): Promise<string | null> {
  const interrupted = await queries
    .selectFrom('transfers')
    .select('id')
    .where('kind', '=', 'import')
    .where('source', '=', of.source)
    .where('tenant_id', '=', of.tenant_id)
    .where('notice_id', '=', of.notice_id)
    .whereRef('row_count', '<', 'total_count')
    .orderBy('id', 'desc')
    .executeTakeFirst();
  if (interrupted === undefined)
    return count === 0
      ? null
      : insertTransfer(queries, { kind: 'import', at, ...of, row_count: 0, total_count: count });
  await updateTransfer(queries, interrupted.id, { total_count: sql<number>`row_count + ${count}` });
  return interrupted.id;
}

/** Counts records of an import, in the transaction that writes them. */
export function countImported(queries: Queries, id: string, records: number): Promise<void> {
  return updateTransfer(queries, id, { row_count: sql<number>`row_count + ${records}` });
}

/** Stores that everything of an import is written, by this process or another one. */
export function completeImport(queries: Queries, id: string): Promise<void> {
  return updateTransfer(queries, id, { total_count: sql<number>`row_count` });
}

async function updateTransfer(queries: Queries, id: string, change: Record<string, ReturnType<typeof sql<number>>>) {
  await queries.updateTable('transfers').set(change).where('id', '=', id).execute();
}

/** The newest ones, newest first. */
export function listTransfers(queries: Queries, limit: number): Promise<readonly Transfer[]> {
  return queries.selectFrom('transfers').selectAll().orderBy('id', 'desc').limit(limit).execute();
}
