import { forgetSpelling } from '../../consent/spelling-store.ts';
import type { EvidenceParams } from '../../controls/evidence.ts';
import { eraseItem } from '../../controls/part-changes.ts';
import { requireErasableEvidence } from '../../controls/store.ts';
import type { AuditSource } from '../../http/principal.ts';
import { invalidValues, Problem } from '../../http/problem.ts';
import type { CountWork } from '../../installation/feature.ts';
import { recordErasure, systemSource } from '../../ledger/audit/store.ts';
import { lockChain } from '../../ledger/entry.ts';
import { nameEntry } from '../../ledger/erasure-log.ts';
import { noteErased } from '../../ledger/erasure-store.ts';
import { countEvents, type OpeningName } from '../../ledger/erasures.ts';
import { clearOpenings } from '../../ledger/opening-store.ts';
import { type Database, runTransaction, type Transaction } from '../../storage/database.ts';
import { noteErasure } from '../../storage/erased-remains.ts';
import { findRow, insertRow, newId, updateRow } from '../../storage/rows.ts';
import { emitEvents } from '../../webhooks/deliveries/outbox.ts';
import { requireBreach } from '../breach.ts';
import { lockDsr } from '../dsr-store.ts';
import {
  addCounts,
  type Erasure,
  type ErasureCounts,
  hasErased,
  type Job,
  namesSubject,
  noCounts,
  readTargets,
  type Target,
} from './erasure.ts';
import {
  clearRecords,
  eraseEvents,
  eraseResponses,
  findJob,
  findNextJob,
  listErasableRecords,
  listErasableRequests,
  stepRows,
} from './store.ts';
import { erasables, eraseTexts } from './texts-store.ts';

/** The action of the audit event of an erasure. Its `diff` names what was cleared in the ledgers. */
const erasureAction = 'subject.erased';

/**
 * Erases what identifies a person in the consent records, the completed requests, the audit events, the webhook events and
 * the stored responses of a tenant: up to 1,000 of each in this transaction, the rest in the background. Repeated, it erases
 * what came since.
 * @throws {Problem} `dsr_open`, `validation_failed` for a reason that names the subject.
 */
export async function eraseSubject(
  tx: Transaction,
  source: AuditSource,
  subjectId: string,
  reason: string,
): Promise<Erasure> {
  const { tenantId } = source;
  requireNameless(reason, [subjectId]);
  const bounds = await lockBounds(tx, tenantId);
  const open = { tenant_id: tenantId, subject_id: subjectId, status: 'open' };
  if ((await findRow(tx.queries, 'dsr_requests', open)) !== undefined)
    throw new Problem('dsr_open', 'A request of this data subject is open. Complete it, then erase the subject.');
  return startErasure(tx, source, { kind: 'subject', target: subjectId }, bounds, reason);
}

/** The newest entries of the ledgers: an erasure leaves what a subject has after them. */
type Bounds = Pick<Job, 'through' | 'audit_through'>;

/** Locks both ledgers, so that nothing is appended before the transaction ends. */
async function lockBounds(tx: Transaction, tenantId: string): Promise<Bounds> {
  const through = await lockChain(tx, { tenantId, ledger: 'consent' });
  await tx.lockTenant(tenantId);
  return { through, audit_through: await lockChain(tx, { tenantId, ledger: 'audit' }) };
}

/** The bounds of a target that is found by only its id. */
export const noBounds: Bounds = { through: 0, audit_through: 0 };

/**
 * Erases the texts of a completed request: also in the audit events, the webhook events and the stored responses about it.
 * @throws {Problem} `not_found`, `dsr_open`, `validation_failed` for a reason that names the person.
 */
export async function eraseDsr(tx: Transaction, source: AuditSource, id: string, reason: string): Promise<Erasure> {
  const dsr = await lockDsr(tx, source, id);
  if (dsr.status === 'open') throw new Problem('dsr_open', 'The request is open. Complete it, then erase its texts.');
  requireNameless(reason, [dsr.subject_id, dsr.requester_email, dsr.requester_name]);
  return startErasure(tx, source, { kind: 'dsr', target: id }, noBounds, reason);
}

/**
 * Erases the texts of a closed breach: also in the audit events and the stored responses about it.
 * @throws {Problem} `not_found`, `breach_open`.
 */
export async function eraseBreach(tx: Transaction, source: AuditSource, id: string, reason: string): Promise<Erasure> {
  await tx.lockTenant(source.tenantId);
  const { status } = await requireBreach(tx.queries, source.tenantId, id);
  if (status !== 'closed') throw new Problem('breach_open', `The breach is ${status}. Close it, then erase its texts.`);
  return startErasure(tx, source, { kind: 'breach', target: id }, noBounds, reason);
}

/**
 * Erases the texts and the file of an item of evidence: also in the audit events and the stored responses about it.
 * @throws {Problem} `not_found`, `validation_failed` for a reason that repeats what is erased.
 */
export async function eraseEvidence(
  tx: Transaction,
  source: AuditSource,
  params: EvidenceParams,
  reason: string,
): Promise<Erasure> {
  const { tenantId } = source;
  await tx.lockTenant(tenantId);
  const item = await requireErasableEvidence(tx.queries, tenantId, params);
  const erased = [item.title, item.description, item.url, item.file_name, item.withdrawal_reason];
  requireNameless(reason, erased, 'must not repeat a text that is erased');
  return startErasure(tx, source, { kind: 'evidence', target: item.id }, noBounds, reason);
}

/** Nothing can clear the reason, which the audit log has as it is. @throws {Problem} `validation_failed`. */
export function requireNameless(
  reason: string,
  names: readonly (string | null)[],
  issue = 'must not name the person',
): void {
  if (names.some((name) => name !== null && namesSubject(reason, name)))
    throw invalidValues([{ path: 'body.reason', issue: `${issue}: the audit log keeps the reason` }]);
}

/** Erases a first part under the lock of the tenant, or joins a running erasure, which has its audit events already. */
export async function startErasure(
  tx: Transaction,
  source: AuditSource,
  target: Target,
  bounds: Bounds,
  reason: string,
): Promise<Erasure> {
  const { queries, now } = tx;
  const running = await findJob(queries, source.tenantId, target);
  if (running !== undefined) {
    // Its last step includes what came since.
    const match = { tenant_id: source.tenantId, id: running.id };
    await updateRow(queries, 'erasure_jobs', match, { ...bounds, position: null });
    return { erasureId: running.id, status: 'running', counts: JSON.parse(running.counts) };
  }
  const job: Job = {
    id: newId(),
    tenant_id: source.tenantId,
    ...target,
    ...bounds,
    position: null,
    requests: '[]',
    counts: JSON.stringify(noCounts),
    created_at: now,
  };
  const { counts, isDone, ...progress } = await eraseStep(tx, source, job, reason);
  if (isDone) await announce(tx, job, counts);
  else await insertRow(queries, 'erasure_jobs', { ...job, ...progress, counts: JSON.stringify(counts) });
  return { erasureId: job.id, status: isDone ? 'done' : 'running', counts };
}

/** Continues the oldest erasure that is not done. @returns true if there may be more. */
export async function continueErasure(database: Database, now: string, count?: CountWork): Promise<boolean> {
  const next = await findNextJob(database.kysely);
  if (next === undefined) return false;
  const source = systemSource(next.tenant_id);
  await runTransaction(database, now, async (tx) => {
    const { queries } = tx;
    await lockChain(tx, { tenantId: next.tenant_id, ledger: 'consent' });
    await tx.lockTenant(next.tenant_id);
    // Under the lock: another server may have continued it.
    const job = await findJob(queries, next.tenant_id, next);
    if (job === undefined) return;
    const { counts, isDone, ...progress } = await eraseStep(tx, source, job, 'The rest of an erasure');
    const { tenant_id, id } = job;
    if (!isDone) {
      const columns = { ...progress, counts: JSON.stringify(counts) };
      return updateRow(queries, 'erasure_jobs', { tenant_id, id }, columns);
    }
    await queries.deleteFrom('erasure_jobs').where('tenant_id', '=', tenant_id).where('id', '=', id).execute();
    // The job itself named the person.
    await noteErasure(tx);
    await announce(tx, job, counts);
  });
  count?.({ erasureSteps: 1 });
  return true;
}

/**
 * Repeats an erasure in a database that was restored from an older backup.
 * @param requests the requests of the subject: everything about them is erased, even if the backup has them open.
 */
export async function eraseAgain(
  database: Database,
  now: string,
  tenantId: string,
  target: Target,
  requests: readonly string[] = [],
): Promise<ErasureCounts> {
  const source = systemSource(tenantId);
  const id = newId();
  let progress: Progress = { counts: noCounts, position: null, requests: JSON.stringify(requests), isDone: false };
  while (!progress.isDone)
    progress = await runTransaction(database, now, async (tx) => {
      const bounds = await lockBounds(tx, tenantId);
      const { position, requests } = progress;
      const counts = JSON.stringify(progress.counts);
      const job: Job = { id, tenant_id: tenantId, ...target, ...bounds, position, requests, counts, created_at: now };
      const step = await eraseStep(tx, source, job, restoredReason, true);
      if (step.isDone) await announce(tx, job, step.counts);
      return step;
    });
  return progress.counts;
}

/** Why what was erased is erased again, for the audit log. */
export const restoredReason = 'The database was restored from a backup that is older than the erasure';

/** Emits the webhook event at the end, if anything was erased. */
async function announce(tx: Transaction, job: Job, counts: ErasureCounts): Promise<void> {
  if (!hasErased(counts)) return;
  const data = { erasureId: job.id, counts };
  await emitEvents(tx, [{ tenantId: job.tenant_id, type: 'subject.erased', data }]);
}

/** A job after a step: what it has erased since its start, and how far it is. */
interface Progress {
  readonly counts: ErasureCounts;
  readonly position: string | null;
  readonly requests: string;
  readonly isDone: boolean;
}

/**
 * Erases a bounded number of rows, with the audit event that names the entries.
 * @param isAgain after a restore: a request or breach that had ended may be open in the backup.
 */
async function eraseStep(
  tx: Transaction,
  given: AuditSource,
  job: Job,
  reason: string,
  isAgain = false,
): Promise<Progress> {
  const { actor } = given;
  // People can erase themselves: the event of it must not have their address again.
  const source = actor.email === job.target ? { ...given, actor: { ...actor, email: null } } : given;
  const { counts, consent, audit, requests, hasMore } = await eraseOwn(tx, source, job, reason, isAgain);
  const known: readonly string[] = JSON.parse(job.requests);
  const all = new Set([...known, ...requests]);
  const { events, deliveries } = await eraseEvents(tx, job, all);
  // From the start for requests that were not known before.
  const after = all.size > known.length ? null : job.position;
  const { responses, position } = await eraseResponses(tx, job, after, all);
  const own = { ...counts, records: consent.length, auditEvents: countEvents(audit) };
  const step = { ...noCounts, ...own, events, deliveries, responses };
  if (hasErased(step)) {
    if (job.kind === 'evidence') await noteErased(tx, job.tenant_id, { kind: job.kind, id: job.target });
    const module = modules[job.kind];
    const diff = { erasedAt: tx.now, counts: step };
    const event = { module, action: erasureAction, targetId: job.id, targetRef: null, diff, reason } as const;
    await recordErasure(tx, source, { consent, audit }, event);
  }
  const isDone = !hasMore && events < stepRows && position === '';
  return { counts: addCounts(JSON.parse(job.counts), step), position, requests: JSON.stringify([...all]), isDone };
}

const modules = { subject: 'consent', dsr: 'privacy', breach: 'privacy', evidence: 'controls' } as const;

/** The values that a step erased in the ledgers, requests, breaches and evidence. */
interface Own {
  readonly counts: Partial<ErasureCounts>;
  readonly consent: readonly number[];
  readonly audit: readonly OpeningName[];
  /** The ids of the completed requests of the subject. */
  readonly requests: readonly string[];
  readonly hasMore: boolean;
}

async function eraseOwn(
  tx: Transaction,
  source: AuditSource,
  job: Job,
  reason: string,
  isAgain: boolean,
): Promise<Own> {
  const { queries } = tx;
  const none = { consent: [], requests: [] };
  if (job.kind === 'evidence') {
    const { rows, files, openings, hasMore } = await eraseItem(tx, source, job.target, reason);
    return { ...none, counts: { evidence: rows, files }, audit: openings, hasMore };
  }
  if (job.kind !== 'subject') {
    const ids = readTargets(job);
    const { rows, openings, hasMore } = await eraseTexts(tx, source, erasables[job.kind], ids, reason, isAgain);
    const counts = job.kind === 'dsr' ? { requests: rows } : { breaches: rows };
    return { ...none, counts, audit: openings, hasMore };
  }
  const records = await listErasableRecords(queries, job);
  const consent = records.map(({ sequence }) => sequence);
  const requests = await listErasableRequests(queries, job);
  // A restore finds the subject through the records; the requests are noted with their texts, too.
  if (records.length > 0)
    await noteErased(tx, job.tenant_id, { kind: 'subject', records: records.map(nameEntry), requests });
  await clearRecords(queries, job.tenant_id, consent, tx.now);
  await forgetSpelling(queries, job.tenant_id, job.target);
  const texts = await eraseTexts(tx, source, erasables.dsr, requests, reason);
  const named = await clearOpenings(tx, job.tenant_id, job.target, job.audit_through);
  return {
    counts: { requests: texts.rows },
    consent,
    audit: [...texts.openings, ...named.openings],
    requests,
    hasMore: texts.hasMore || named.hasMore || [consent, requests].some(({ length }) => length === stepRows),
  };
}
