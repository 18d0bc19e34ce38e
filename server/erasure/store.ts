import { sql } from 'kysely';
import { type EntryName, nameEntry } from '../ledger/erasure-log.ts';
import type { Database, Queries, UnitOfWork } from '../storage/database.ts';
import { findRow, inBatches, insertRow, updateRow } from '../storage/rows.ts';
import { emptyLog, rewriteFile } from '../storage/sqlite.ts';
import { eraseJson, type Job, type Target } from './erasure.ts';

/** How many rows of each kind one unit of work erases or looks at: well below a second. */
export const stepRows = 1000;

/** The largest file that is written again while a server answers: it waits about a third of a second. */
const quickBytes = 64 * 1024 ** 2;

/** Removes from the write-ahead log of SQLite what was erased. @returns whether the log is empty. */
export async function emptyErasedLog({ dialect, kysely }: Database): Promise<boolean> {
  return dialect !== 'sqlite' || emptyLog(kysely);
}

/**
 * Removes from the files of SQLite what an erasure left: what the log has, and what is in a page whose rows moved to
 * another (secure_delete overwrites only what is freed). PostgreSQL cleans up by itself.
 * @param hasErased whether something was erased since the last time that `erasures` does not count.
 * @param mayWait whether a large file is written again, too; otherwise that waits for the next start.
 * @returns whether nothing is left that another try would remove.
 */
export async function forgetErased(
  { dialect, kysely }: Database,
  { hasErased = false, mayWait = false } = {},
): Promise<boolean> {
  if (dialect !== 'sqlite') return true;
  const { done, rewritten, bytes } = await readRewriting(kysely);
  const isOld = hasErased || done !== rewritten;
  const isRewritten = isOld && (mayWait || bytes <= quickBytes) && (await rewriteFile(kysely));
  // -1 is no number of erasures: the next start writes the file again.
  if (isOld) await sql`pragma user_version = ${sql.lit(isRewritten ? done : -1)}`.execute(kysely);
  const isBusy = isOld && !isRewritten && bytes <= quickBytes;
  return (await emptyLog(kysely)) && !isBusy;
}

/** How many bytes a start writes again because erasures may have left something in them; 0 for none. */
export async function countUnforgotten({ dialect, kysely }: Database): Promise<number> {
  if (dialect !== 'sqlite') return 0;
  const { done, rewritten, bytes } = await readRewriting(kysely);
  return done === rewritten ? 0 : bytes;
}

/** The erasures that are done, those after which the file was written again (`user_version`), and its size. */
async function readRewriting(queries: Queries) {
  const { rows } = await sql<{ readonly done: number; readonly rewritten: number; readonly bytes: number }>`
    select (select count(*) from erasures) as done,
      (select user_version from pragma_user_version) as rewritten,
      (select page_count from pragma_page_count) * (select page_size from pragma_page_size) as bytes`.execute(queries);
  return rows[0] as (typeof rows)[number];
}

/** The oldest erasure that is not done. */
export async function findNextJob(queries: Queries): Promise<Job | undefined> {
  const oldest = queries.selectFrom('erasure_jobs').selectAll().orderBy('id').limit(1);
  return (await oldest.executeTakeFirst()) as Job | undefined;
}

/** The erasure of a target of a tenant, if it is not done. */
export async function findJob(queries: Queries, tenantId: string, { kind, target }: Target): Promise<Job | undefined> {
  return (await findRow(queries, 'erasure_jobs', { tenant_id: tenantId, kind, target })) as Job | undefined;
}

/** Stores an erasure that is to be continued. */
export async function insertJob(queries: Queries, job: Job): Promise<void> {
  await insertRow(queries, 'erasure_jobs', job);
}

/** Stores how far an erasure is. */
export async function updateJob(
  queries: Queries,
  { id }: Job,
  progress: Partial<Pick<Job, 'through' | 'position' | 'counts'>>,
): Promise<void> {
  await updateRow(queries, 'erasure_jobs', { id }, progress);
}

/** Forgets an erasure that is done. */
export async function deleteJob(queries: Queries, { id }: Job): Promise<void> {
  await queries.deleteFrom('erasure_jobs').where('id', '=', id).execute();
}

/** Records of a subject that still have their openings. */
export function listErasableRecords(queries: Queries, job: Job) {
  return queries
    .selectFrom('consent_records')
    .select(['sequence', 'hash'])
    .where('tenant_id', '=', job.tenant_id)
    .where('subject_id', '=', job.target)
    .where('sequence', '<=', job.through)
    .limit(stepRows)
    .execute();
}

/** The subjects of the records and requests that `erasures.log` names, as far as this database has them with their values. */
export async function findSubjects(
  queries: Queries,
  tenantId: string,
  records: readonly EntryName[],
  requests: readonly string[],
): Promise<readonly string[]> {
  const named = new Map(records);
  const rows = await inBatches(records, (some) =>
    queries
      .selectFrom('consent_records')
      .select(['sequence', 'hash', 'subject_id'])
      .where('tenant_id', '=', tenantId)
      .where(
        'sequence',
        'in',
        some.map(([sequence]) => sequence),
      )
      .execute(),
  );
  // Another history has another record of the same number.
  const same = rows.filter((row) => named.get(row.sequence) === nameEntry(row)[1]);
  const asked = await inBatches(requests, (some) =>
    queries
      .selectFrom('dsr_requests')
      .select('subject_id')
      .where('tenant_id', '=', tenantId)
      .where('id', 'in', some)
      .execute(),
  );
  const found = [...same, ...asked].map(({ subject_id }) => subject_id);
  return [...new Set(found)].filter((one) => one !== null);
}

/** Clears the openings of the records with these numbers: the only change of a record that the triggers allow. */
export async function clearRecords(
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

/** The completed requests of a subject that still have their texts. */
export async function listErasableRequests(queries: Queries, job: Job): Promise<readonly string[]> {
  const rows = await queries
    .selectFrom('dsr_requests')
    .select('id')
    .where('tenant_id', '=', job.tenant_id)
    .where('subject_id', '=', job.target)
    .where('status', '=', 'completed')
    .limit(stepRows)
    .execute();
  return rows.map(({ id }) => id);
}

/** Erases the data of webhook events, and cancels what still waits to be sent. Those about breaches have no texts. */
export async function eraseEvents(work: UnitOfWork, job: Job) {
  const { transaction, now } = work;
  const rows = job.kind === 'breach' ? [] : await selectEvents(transaction, job.tenant_id, job).execute();
  for (const { id, data } of rows) {
    const erased = eraseJson(data, job, now) ?? data;
    await updateRow(transaction, 'webhook_events', { id }, { data: erased, subject_id: null, dsr_id: null });
  }
  const deliveries = await cancelDeliveries(
    work,
    rows.map(({ id }) => id),
  );
  return { events: rows.length, deliveries };
}

/** Cancels the pending deliveries of events, and forgets what receivers answered. @returns how many were canceled. */
export async function cancelDeliveries({ transaction, now }: UnitOfWork, eventIds: readonly string[]): Promise<number> {
  if (eventIds.length === 0) return 0;
  const canceled = { status: 'canceled', reason: 'erased', due_at: null, claimed_by: null, finished_at: now };
  const { numUpdatedRows } = await transaction
    .updateTable('webhook_deliveries')
    .set(canceled)
    .where('event_id', 'in', eventIds)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  // A receiver may have repeated what it was sent.
  await transaction
    .updateTable('webhook_attempts')
    .set({ excerpt: null })
    .where('excerpt', 'is not', null)
    .where('delivery_id', 'in', (query) =>
      query.selectFrom('webhook_deliveries').select('id').where('event_id', 'in', eventIds),
    )
    .execute();
  return Number(numUpdatedRows);
}

/** Webhook events about a subject or a request. */
export function selectEvents(queries: Queries, tenantId: string, { kind, target }: Target) {
  return queries
    .selectFrom('webhook_events')
    .select(['id', 'data'])
    .where('tenant_id', '=', tenantId)
    .where(kind === 'subject' ? 'subject_id' : 'dsr_id', '=', target)
    .limit(sql.lit(stepRows));
}

/** Erases the target in responses that are kept for retries. The keys stay, so that a retry changes nothing. */
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
    const erased = eraseJson(body, job, now);
    if (erased === null) continue;
    responses += 1;
    await updateRow(transaction, 'idempotency_keys', { tenant_id: job.tenant_id, key }, { body: erased });
  }
  const last = rows.length < stepRows ? '' : (rows.at(-1)?.key ?? '');
  return { responses, position: last };
}
