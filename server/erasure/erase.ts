import { type AuditSource, systemSource } from '../audit/source.ts';
import { recordErasure } from '../audit/store.ts';
import { invalidValues, Problem } from '../http/problem.ts';
import { lockChain } from '../ledger/append.ts';
import { nameEntry } from '../ledger/erasure-log.ts';
import { noteErased } from '../ledger/erasure-store.ts';
import { clearOpenings } from '../ledger/opening-store.ts';
import { erasableDsrs, eraseTexts } from '../privacy/erasure-store.ts';
import { type Database, runUnitOfWork, type UnitOfWork } from '../storage/database.ts';
import { findRow, insertRow, newId, updateRow } from '../storage/rows.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';
import { addCounts, type Erasure, type ErasureCounts, hasErased, namesSubject, noCounts } from './erasure.ts';
import {
  clearRecords,
  deleteJob,
  eraseEvents,
  eraseResponses,
  findNextJob,
  type Job,
  listErasableRecords,
  listErasableRequests,
  stepRows,
} from './store.ts';

/** The action of the audit event of an erasure. Its `diff` names the ledgers and the sequences. */
export const erasureAction = 'subject.erased';

/**
 * Erases what identifies a person in the consent records, the completed requests, the audit events, the webhook events and
 * the stored responses of a tenant: up to 1,000 of each in this unit of work, the rest in the background. Repeated, it erases
 * what came since.
 * @throws {Problem} `dsr_open`, `validation_failed` for a reason that names the subject.
 */
export async function eraseSubject(
  work: UnitOfWork,
  source: AuditSource,
  subjectId: string,
  reason: string,
): Promise<Erasure> {
  const { transaction, now } = work;
  const { tenantId } = source;
  if (namesSubject(reason, subjectId))
    throw invalidValues([
      { path: 'body.reason', issue: 'must not contain the subject: the audit log keeps the reason' },
    ]);
  const through = await lockChain(work, { tenantId, ledger: 'consent' });
  await work.lockTenant(tenantId);
  const ofSubject = { tenant_id: tenantId, subject_id: subjectId };
  if ((await findRow(transaction, 'dsr_requests', { ...ofSubject, status: 'open' })) !== undefined)
    throw new Problem('dsr_open', 'A request of this data subject is open. Complete it, then erase the subject.');
  const running = await findRow(transaction, 'erasure_jobs', ofSubject);
  if (running !== undefined) {
    // Its last step includes what came since.
    await updateRow(transaction, 'erasure_jobs', { id: running.id }, { through, position: null });
    return { erasureId: running.id, status: 'running', counts: noCounts };
  }
  const job = { id: newId(), ...ofSubject, through, position: null, counts: JSON.stringify(noCounts), created_at: now };
  const { counts, position, isDone } = await eraseStep(work, source, job, reason);
  if (isDone) await announce(work, job, counts);
  else await insertRow(transaction, 'erasure_jobs', { ...job, position, counts: JSON.stringify(counts) });
  return { erasureId: job.id, status: isDone ? 'done' : 'running', counts };
}

/** Continues the oldest erasure that is not done. @returns whether there may be more. */
export async function continueErasure(database: Database, now: string): Promise<boolean> {
  const next = await findNextJob(database.kysely);
  if (next === undefined) return false;
  await runUnitOfWork(database, now, async (work) => {
    const { transaction } = work;
    await lockChain(work, { tenantId: next.tenant_id, ledger: 'consent' });
    await work.lockTenant(next.tenant_id);
    // Under the lock: another server may have gone on with it.
    const job = await findRow(transaction, 'erasure_jobs', { id: next.id });
    if (job === undefined) return;
    const { counts, position, isDone } = await eraseStep(
      work,
      systemSource(job.tenant_id),
      job,
      'The rest of an erasure',
    );
    if (!isDone) {
      await updateRow(transaction, 'erasure_jobs', { id: job.id }, { position, counts: JSON.stringify(counts) });
      return;
    }
    await deleteJob(transaction, job);
    await announce(work, job, counts);
  });
  return true;
}

/** Erases a data subject that was erased before, in a database that was restored from an older backup. */
export async function eraseAgain(
  database: Database,
  now: string,
  tenantId: string,
  subjectId: string,
): Promise<ErasureCounts> {
  const id = newId();
  let progress: Progress = { counts: noCounts, position: null, isDone: false };
  while (!progress.isDone)
    progress = await runUnitOfWork(database, now, async (work) => {
      const through = await lockChain(work, { tenantId, ledger: 'consent' });
      await work.lockTenant(tenantId);
      const { counts, position } = progress;
      const ofSubject = { tenant_id: tenantId, subject_id: subjectId };
      const job = { id, ...ofSubject, through, position, counts: JSON.stringify(counts), created_at: now };
      const step = await eraseStep(work, systemSource(tenantId), job, restoredReason);
      if (step.isDone) await announce(work, job, step.counts);
      return step;
    });
  return progress.counts;
}

/** Why what was erased is erased again, for the audit log. */
export const restoredReason = 'The database was restored from a backup that is older than the erasure';

/** Emits the webhook event at the end, if anything was erased. */
async function announce(work: UnitOfWork, job: Pick<Job, 'id' | 'tenant_id'>, counts: ErasureCounts): Promise<void> {
  if (!hasErased(counts)) return;
  const data = { erasureId: job.id, counts };
  await emitEvents(work, [{ tenantId: job.tenant_id, type: 'subject.erased', data }]);
}

/** A job after a step: what it has erased since its start, and how far it is. */
interface Progress {
  readonly counts: ErasureCounts;
  readonly position: string | null;
  readonly isDone: boolean;
}

/** Erases a bounded number of rows, with the audit event that names the entries. */
async function eraseStep(work: UnitOfWork, given: AuditSource, job: Job, reason: string): Promise<Progress> {
  const { transaction } = work;
  const { actor } = given;
  // People can erase themselves: the event of it must not have their address again.
  const source = actor.email === job.subject_id ? { ...given, actor: { ...actor, email: null } } : given;
  const records = await listErasableRecords(transaction, job);
  const consent = records.map(({ sequence }) => sequence);
  const ids = await listErasableRequests(transaction, job);
  // Before the requests lose the subject: a restore finds it through them, too.
  if (records.length + ids.length > 0)
    await noteErased(work, job.tenant_id, { kind: 'subject', records: records.map(nameEntry), requests: ids });
  await clearRecords(transaction, job.tenant_id, consent, work.now);
  const requests = await eraseTexts(work, source, erasableDsrs, ids, reason);
  const openings = await clearOpenings(work, job.tenant_id, job.subject_id);
  const { events, deliveries } = await eraseEvents(work, job);
  const { responses, position } = await eraseResponses(work, job);
  const audit = [...new Set([...requests.sequences, ...openings.sequences])];
  const step = {
    records: consent.length,
    requests: requests.rows,
    auditEvents: audit.length,
    events,
    deliveries,
    responses,
  };
  const counts = addCounts(JSON.parse(job.counts), step);
  if (hasErased(step)) {
    const diff = { erasedAt: work.now, counts: step };
    const event = {
      module: 'consent',
      action: erasureAction,
      targetId: job.id,
      targetRef: null,
      diff,
      reason,
    } as const;
    await recordErasure(work, source, { consent, audit }, event);
  }
  const isDone =
    !(openings.hasMore || requests.hasMore) &&
    [consent.length, requests.rows, events].every((count) => count < stepRows) &&
    position === '';
  return { counts, position, isDone };
}
