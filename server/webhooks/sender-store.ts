import { sql } from 'kysely';
import type { Queries } from '../storage/database.ts';

/** Says that a process is alive. @returns the beats of every process that sends. */
export async function beat(queries: Queries, sender: string): Promise<ReadonlyMap<string, number>> {
  await queries
    .insertInto('webhook_senders')
    .values({ id: sender, beats: 1 })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ beats: sql`webhook_senders.beats + 1` }))
    .execute();
  const senders = await queries.selectFrom('webhook_senders').selectAll().execute();
  return new Map(senders.map(({ id, beats }) => [id, Number(beats)]));
}

/** Takes processes off the list. */
export async function removeSenders(queries: Queries, senders: readonly string[]): Promise<void> {
  if (senders.length > 0) await queries.deleteFrom('webhook_senders').where('id', 'in', senders).execute();
}

/**
 * Frees what was claimed by processes that are not on the list. It looks at all that waits, so ask for it only when a
 * process has ended.
 * @returns how many deliveries.
 */
export async function freeOrphans(queries: Queries): Promise<number> {
  const { numUpdatedRows } = await queries
    .updateTable('webhook_deliveries')
    .set({ claimed_by: null })
    .where('due_at', 'is not', null)
    .where('claimed_by', 'is not', null)
    .where('claimed_by', 'not in', (row) => row.selectFrom('webhook_senders').select('webhook_senders.id'))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
