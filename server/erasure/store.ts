import type { Selectable } from 'kysely';
import type { Database, Queries, UnitOfWork } from '../storage/database.ts';
import { updateRow } from '../storage/rows.ts';
import { emptyLog } from '../storage/sqlite.ts';
import type { Tables } from '../storage/tables.ts';
import { eraseJson } from './erasure.ts';

/** An erasure, and how far it is. */
export type Job = Selectable<Tables['erasure_jobs']>;

/** How many rows of each kind one unit of work erases or looks at: well below a second. */
export const stepRows = 1000;

/**
 * Empties the write-ahead log of SQLite after an erasure; PostgreSQL cleans up by itself.
 * @returns whether it did.
 */
export async function forgetErased({ dialect, kysely }: Database): Promise<boolean> {
  return dialect !== 'sqlite' || emptyLog(kysely);
}

/** The oldest erasure that is not done. */
export function findNextJob(queries: Queries): Promise<Job | undefined> {
  return queries.selectFrom('erasure_jobs').selectAll().orderBy('id').limit(1).executeTakeFirst();
}

/** Forgets an erasure that is done. */
export async function deleteJob(queries: Queries, { id }: Job): Promise<void> {
  await queries.deleteFrom('erasure_jobs').where('id', '=', id).execute();
}

/** Clears the openings of records. @returns their sequences. */
export async function eraseRecords({ transaction, now }: UnitOfWork, job: Job): Promise<readonly number[]> {
  const rows = await transaction
    .selectFrom('consent_records')
    .select('sequence')
    .where('tenant_id', '=', job.tenant_id)
    .where('subject_id', '=', job.subject_id)
    .where('sequence', '<=', job.through)
    .limit(stepRows)
    .execute();
  const sequences = rows.map(({ sequence }) => sequence);
  await clearRecords(transaction, job.tenant_id, sequences, now);
  return sequences;
}

/** Clears the openings of the records with these numbers: the only change of a record that the triggers allow. */
async function clearRecords(
  queries: Queries,
  tenantId: string,
  sequences: readonly number[],
  erasedAt: string,
): Promise<void> {
  if (sequences.length === 0) return;
  await queries
    .updateTable('consent_records')
    .set({ subject_id: null, ip_hash: null, ua_hash: null, salt: null, erased_at: erasedAt })
    .where('tenant_id', '=', tenantId)
    .where('sequence', 'in', sequences)
    .execute();
}

/** The completed requests of the subject that still have their texts. */
export async function listErasableRequests(queries: Queries, job: Job): Promise<readonly string[]> {
  const rows = await queries
    .selectFrom('dsr_requests')
    .select('id')
    .where('tenant_id', '=', job.tenant_id)
    .where('subject_id', '=', job.subject_id)
    .where('status', '=', 'completed')
    .limit(stepRows)
    .execute();
  return rows.map(({ id }) => id);
}

/** Erases the data of webhook events, and cancels what still waits to be sent. */
export async function eraseEvents(work: UnitOfWork, job: Job) {
  const { transaction, now } = work;
  const rows = await transaction
    .selectFrom('webhook_events')
    .select(['id', 'data'])
    .where('tenant_id', '=', job.tenant_id)
    .where('subject_id', '=', job.subject_id)
    .limit(stepRows)
    .execute();
  if (rows.length === 0) return { events: 0, deliveries: 0 };
  for (const { id, data } of rows) {
    const erased = eraseJson(data, job.subject_id, now) ?? data;
    await updateRow(transaction, 'webhook_events', { id }, { data: erased, subject_id: null });
  }
  const ids = rows.map(({ id }) => id);
  const canceled = { status: 'canceled', reason: 'erased', due_at: null, claimed_by: null, finished_at: now };
  const { numUpdatedRows } = await transaction
    .updateTable('webhook_deliveries')
    .set(canceled)
    .where('event_id', 'in', ids)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  // A receiver may have repeated what it was sent.
  await transaction
    .updateTable('webhook_attempts')
    .set({ excerpt: null })
    .where('excerpt', 'is not', null)
    .where('delivery_id', 'in', (query) =>
      query.selectFrom('webhook_deliveries').select('id').where('event_id', 'in', ids),
    )
    .execute();
  return { events: rows.length, deliveries: Number(numUpdatedRows) };
}

/** Erases the subject in responses that are kept for retries. The keys stay, so that a retry changes nothing. */
export async function eraseResponses({ transaction, now }: UnitOfWork, job: Job) {
  if (job.position === '') return { responses: 0, position: '' };
  const rows = await transaction
    .selectFrom('idempotency_keys')
    .select(['key', 'body'])
    .where('tenant_id', '=', job.tenant_id)
    .$if(job.position !== null, (query) => query.where('key', '>', job.position as string))
    .orderBy('key')
    .limit(stepRows)
    .execute();
  let responses = 0;
  for (const { key, body } of rows) {
    const erased = eraseJson(body, job.subject_id, now);
    if (erased === null) continue;
    responses += 1;
    await updateRow(transaction, 'idempotency_keys', { tenant_id: job.tenant_id, key }, { body: erased });
  }
  const last = rows.length < stepRows ? '' : (rows.at(-1)?.key ?? '');
  return { responses, position: last };
}
