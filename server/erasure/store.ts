import type { Selectable } from 'kysely';
import { type AuditSource, systemSource } from '../audit/source.ts';
import { recordEvent } from '../audit/store.ts';
import { Problem } from '../http/problem.ts';
import { lockChain } from '../ledger/append.ts';
import { describeErasure } from '../ledger/erasures.ts';
import { erasableDsrs, eraseTexts } from '../privacy/erasure-store.ts';
import { type Database, type Queries, runUnitOfWork, type UnitOfWork } from '../storage/database.ts';
import { findRow, insertRow, newId, updateRow } from '../storage/rows.ts';
import { emptyLog } from '../storage/sqlite.ts';
import type { Tables } from '../storage/tables.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';
import { addCounts, type Erasure, type ErasureCounts, eraseJson, noCounts } from './erasure.ts';

type Job = Selectable<Tables['erasure_jobs']>;

/** How many rows of each kind one unit of work erases or looks at: well below a second. */
export const stepRows = 1000;

/** The action of the audit event of an erasure. Its `diff` names the ledger and the sequences. */
export const erasureAction = 'subject.erased';

/**
 * Erases what identifies a person in the consent records, the completed requests, the webhook events and the stored
 * responses of a tenant: up to 1,000 of each in this unit of work, the rest in the background. Repeated, it erases what came
 * since.
 * @throws {Problem} `dsr_open`.
 */
export async function eraseSubject(
  work: UnitOfWork,
  source: AuditSource,
  subjectId: string,
  reason: string,
): Promise<Erasure> {
  const { transaction, now } = work;
  const { tenantId } = source;
  const through = await lockChain(work, { tenantId, ledger: 'consent' });
  await work.lockTenant(tenantId);
  const open = await findRow(transaction, 'dsr_requests', {
    tenant_id: tenantId,
    subject_id: subjectId,
    status: 'open',
  });
  if (open !== undefined)
    throw new Problem('dsr_open', 'A request of this data subject is open. Complete it, then erase the subject.');
  const running = await findRow(transaction, 'erasure_jobs', { tenant_id: tenantId, subject_id: subjectId });
  if (running !== undefined) {
    // Its last step includes what came since.
    await updateRow(transaction, 'erasure_jobs', { id: running.id }, { through, position: null });
    return { erasureId: running.id, status: 'running', counts: noCounts };
  }
  const job = { id: newId(), tenant_id: tenantId, subject_id: subjectId, through, position: null, created_at: now };
  const { counts, position, isDone } = await eraseStep(work, source, { ...job, ...noCounts }, reason);
  if (isDone) {
    await announce(work, job, counts);
    return { erasureId: job.id, status: 'done', counts };
  }
  await insertRow(transaction, 'erasure_jobs', { ...job, position, ...counts });
  return { erasureId: job.id, status: 'running', counts };
}

/**
 * Empties the write-ahead log of SQLite after an erasure; PostgreSQL cleans up by itself.
 * @returns whether it did.
 */
export async function forgetErased({ dialect, kysely }: Database): Promise<boolean> {
  return dialect !== 'sqlite' || emptyLog(kysely);
}

/** Continues the oldest erasure that is not done. @returns whether there may be more. */
export async function continueErasure(database: Database, now: string): Promise<boolean> {
  const [next] = await listJobs(database.kysely);
  if (next === undefined) return false;
  await runUnitOfWork(database, now, async (work) => {
    const { transaction } = work;
    await lockChain(work, { tenantId: next.tenant_id, ledger: 'consent' });
    await work.lockTenant(next.tenant_id);
    // Under the lock: another server may have gone on with it.
    const job = await findRow(transaction, 'erasure_jobs', { id: next.id });
    if (job === undefined) return;
    const step = await eraseStep(work, systemSource(job.tenant_id), job, 'The rest of an erasure');
    const counts = addCounts(job, step.counts);
    if (step.isDone) {
      await transaction.deleteFrom('erasure_jobs').where('id', '=', job.id).execute();
      await announce(work, job, counts);
    } else await updateRow(transaction, 'erasure_jobs', { id: job.id }, { position: step.position, ...counts });
  });
  return true;
}

function listJobs(queries: Queries): Promise<readonly Job[]> {
  return queries.selectFrom('erasure_jobs').selectAll().orderBy('id').limit(1).execute();
}

/** Emits the webhook event at the end, if anything was erased. */
async function announce(work: UnitOfWork, job: Pick<Job, 'id' | 'tenant_id'>, counts: ErasureCounts): Promise<void> {
  if (Object.values(counts).every((count) => count === 0)) return;
  const data = { erasureId: job.id, counts };
  await emitEvents(work, [{ tenantId: job.tenant_id, type: 'subject.erased', data }]);
}

interface Step {
  readonly counts: ErasureCounts;
  /** Of the job after it. */
  readonly position: string | null;
  readonly isDone: boolean;
}

/** Erases a bounded number of rows, with the audit event that names the records. */
async function eraseStep(work: UnitOfWork, source: AuditSource, job: Job, reason: string): Promise<Step> {
  const sequences = await eraseRecords(work, job);
  const requests = await eraseRequests(work, source, job, reason);
  const { events, deliveries } = await eraseEvents(work, job);
  const { responses, position } = await eraseResponses(work, job);
  work.afterCommit(() => work.signals.emit('erased'));
  const counts = { records: sequences.length, requests, events, deliveries, responses };
  if (Object.values(counts).some((count) => count > 0))
    await recordEvent(work, source, {
      module: 'consent',
      action: erasureAction,
      targetId: job.id,
      targetRef: null,
      diff: { ...describeErasure('consent', sequences), erasedAt: work.now, counts },
      reason,
    });
  const isDone = [sequences.length, requests, events].every((count) => count < stepRows) && position === '';
  return { counts, position, isDone };
}

/** Clears the openings of records. @returns their sequences. */
async function eraseRecords({ transaction, now }: UnitOfWork, job: Job): Promise<readonly number[]> {
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

async function eraseRequests(work: UnitOfWork, source: AuditSource, job: Job, reason: string): Promise<number> {
  const rows = await work.transaction
    .selectFrom('dsr_requests')
    .select('id')
    .where('tenant_id', '=', job.tenant_id)
    .where('subject_id', '=', job.subject_id)
    .where('status', '=', 'completed')
    .limit(stepRows)
    .execute();
  const ids = rows.map(({ id }) => id);
  return eraseTexts(work, source, erasableDsrs, ids, reason);
}

/** Erases the data of webhook events, and cancels what still waits to be sent. */
async function eraseEvents(work: UnitOfWork, job: Job) {
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
async function eraseResponses({ transaction, now }: UnitOfWork, job: Job) {
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
