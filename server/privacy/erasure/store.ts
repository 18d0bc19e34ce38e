import { sql } from 'kysely';
import { changeAnswers } from '../../http/idempotency.ts';
import { type EntryName, nameEntry } from '../../ledger/erasure-log.ts';
import type { Transaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { findRow, inBatches, updateTexts } from '../../storage/rows.ts';
import { eraseJson, type Job, readTargets, type Target } from './erasure.ts';

/** How many rows of each kind one transaction erases or looks at: well below a second. */
export const stepRows = 1000;

/** The oldest erasure that is not done. */
export async function findNextJob(queries: Queries): Promise<Job | undefined> {
  const oldest = queries.selectFrom('erasure_jobs').selectAll().orderBy('id').limit(1);
  return (await oldest.executeTakeFirst()) as Job | undefined;
}

/** The erasure of a target of a tenant, if it is not done. */
export async function findJob(queries: Queries, tenantId: string, { kind, target }: Target): Promise<Job | undefined> {
  return (await findRow(queries, 'erasure_jobs', { tenant_id: tenantId, kind, target })) as Job | undefined;
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

/**
 * The subjects of the records that `erasures.log` names, as far as this database has them with their values. Requests do not
 * lead to a subject: one that had another subject in the backup would erase the records of another person.
 */
export async function findSubjects(
  queries: Queries,
  tenantId: string,
  records: readonly EntryName[],
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
  return [...new Set(same.map(({ subject_id }) => subject_id))].filter((one) => one !== null);
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

/** The ids of the records that a subject has since its erasure was asked for: they stay. */
export async function listLaterRecords(queries: Queries, job: Job): Promise<readonly string[]> {
  const rows = await queries
    .selectFrom('consent_records')
    .select('id')
    .where('tenant_id', '=', job.tenant_id)
    .where('sequence', '>', job.through)
    // By the number: the index of the subject leads through all that is yet to be erased.
    .where(sql`subject_id || ''`, '=', job.target)
    .execute();
  return rows.map(({ id }) => id);
}

/** The ids of the requests that a subject has since its erasure was asked for, likewise. */
export async function listLaterRequests(queries: Queries, job: Job): Promise<readonly string[]> {
  const rows = await selectRequests(queries, job)
    .where(({ not }) => not(isEarlier(job)))
    .execute();
  return rows.map(({ id }) => id);
}

function selectRequests(queries: Queries, job: Job) {
  return queries
    .selectFrom('dsr_requests')
    .select('id')
    .where('tenant_id', '=', job.tenant_id)
    .where('subject_id', '=', job.target);
}

/**
 * Condition of a query: the request existed when the erasure was requested. The audit log has the order, regardless of
 * the clocks.
 */
function isEarlier({ tenant_id, audit_through }: Job) {
  return sql<boolean>`exists (
    select 1 from audit_events as event
    where event.tenant_id = ${tenant_id} and event.target_id = dsr_requests.id and event.sequence <= ${audit_through})`;
}

/** The completed requests of a subject that still have their texts. */
export async function listErasableRequests(queries: Queries, job: Job): Promise<readonly string[]> {
  const rows = await selectRequests(queries, job)
    .where('status', '=', 'completed')
    .where(isEarlier(job))
    .limit(stepRows)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Erases the data of webhook events, and cancels what still waits to be sent. Those about breaches and evidence have no texts.
 * @param requests of the subject.
 */
export async function eraseEvents(tx: Transaction, job: Job, requests: ReadonlySet<string>) {
  const { queries, now } = tx;
  const dsrs = job.kind === 'dsr' ? readTargets(job) : [...requests];
  const rows = [
    ...(job.kind === 'subject'
      ? await selectSubjectEvents(queries, job, await listLaterRequests(queries, job)).execute()
      : []),
    ...(await inBatches(dsrs, (some) => selectEvents(queries, job.tenant_id, 'dsr_id', some).execute())),
  ];
  const erase = (data: string) => eraseJson(data, job, requests, new Set(), now);
  const erased = new Map(rows.map(({ id, data }) => [id, erase(data) ?? data]));
  return { events: erased.size, deliveries: await writeErased(tx, job.tenant_id, erased, ['subject_id', 'dsr_id']) };
}

/**
 * Writes the erased data of webhook events, and cancels what still waits to be sent.
 * @param data by the ids of the events.
 * @param cleared the columns that lead an erasure to them.
 * @returns how many deliveries were canceled.
 */
export async function writeErased(
  tx: Transaction,
  tenantId: string,
  data: ReadonlyMap<string, string>,
  cleared: readonly ('subject_id' | 'dsr_id' | 'user_id')[],
): Promise<number> {
  const set: Partial<Record<(typeof cleared)[number], null>> = Object.fromEntries(cleared.map((name) => [name, null]));
  await updateTexts(tx.queries, 'webhook_events', { tenantId, key: 'id', column: 'data', set }, data);
  return cancelDeliveries(tx, tenantId, [...data.keys()]);
}

/** Cancels the pending deliveries of events, and forgets what receivers answered. @returns how many were canceled. */
async function cancelDeliveries(
  { queries, now }: Transaction,
  tenantId: string,
  eventIds: readonly string[],
): Promise<number> {
  if (eventIds.length === 0) return 0;
  const canceled = { status: 'canceled', reason: 'erased', due_at: null, claimed_until: null, finished_at: now };
  const { numUpdatedRows } = await queries
    .updateTable('webhook_deliveries')
    .set(canceled)
    .where('tenant_id', '=', tenantId)
    .where('event_id', 'in', eventIds)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  // A receiver may have repeated what it was sent.
  await queries
    .updateTable('webhook_attempts')
    .set({ excerpt: null })
    .where('tenant_id', '=', tenantId)
    .where('excerpt', 'is not', null)
    .where('delivery_id', 'in', (query) =>
      query
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('tenant_id', '=', tenantId)
        .where('event_id', 'in', eventIds),
    )
    .execute();
  return Number(numUpdatedRows);
}

/**
 * Webhook events about a subject, but not those about what came later.
 * @param later ids of requests.
 */
export function selectSubjectEvents(queries: Queries, job: Job, later: readonly string[]) {
  return selectEvents(queries, job.tenant_id, 'subject_id', [job.target])
    .where(({ eb, or }) => or([eb('sequence', 'is', null), eb('sequence', '<=', job.through)]))
    .$if(later.length > 0, (query) =>
      query.where(({ eb, or }) => or([eb('dsr_id', 'is', null), eb('dsr_id', 'not in', later)])),
    );
}

/** Webhook events about subjects, requests or users. */
export function selectEvents(
  queries: Queries,
  tenantId: string,
  column: 'subject_id' | 'dsr_id' | 'user_id',
  values: readonly string[],
) {
  return queries
    .selectFrom('webhook_events')
    .select(['id', 'data'])
    .where('tenant_id', '=', tenantId)
    .where(column, 'in', values)
    .limit(sql.lit(stepRows));
}

/**
 * Erases the target in responses that are kept for retries. The keys stay, so that a retry changes nothing.
 * @param after the last key that was looked at.
 * @param requests of the subject.
 */
export async function eraseResponses(
  { queries, now }: Transaction,
  job: Job,
  after: string | null,
  requests: ReadonlySet<string>,
) {
  if (after === '') return { responses: 0, position: '' };
  const isSubject = job.kind === 'subject';
  const lists = isSubject ? [await listLaterRecords(queries, job), await listLaterRequests(queries, job)] : [];
  const later = new Set(lists.flat());
  const erase = (text: string) => eraseJson(text, job, requests, later, now);
  const { changed, position } = await changeAnswers(queries, null, job.tenant_id, after, stepRows, erase);
  return { responses: changed, position };
}
