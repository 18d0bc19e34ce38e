import type { Selectable } from 'kysely';
import type { AuditSource } from '../http/principal.ts';
import { invalidValues, Problem } from '../http/problem.ts';
import { requirePast, toColumns } from '../http/schemas.ts';
import { evidenceRows, type RowKind, resultRows, testRows } from '../ledger/audit/rows.ts';
import { personal, type RowChange, recordChange } from '../ledger/audit/store.ts';
import { newSalt } from '../ledger/entry.ts';
import { clearOpeningsAbout } from '../ledger/opening-store.ts';
import type { UnitOfWork } from '../storage/database.ts';
import { findRow, insertRow, newId, updateRow } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';
import type { AssessedControl } from './assess-control.ts';
import type { ControlRow } from './control.ts';
import { describeMove, lockControl, saveControl } from './control-changes.ts';
import { type NewResult, type NewTest, type TestParams, type TestRow, viewResult, viewTest } from './control-test.ts';
import { type EvidenceParams, isEvidenceValid, type NewEvidence, type ReceivedFile, viewEvidence } from './evidence.ts';
import { eraseFile, takeFile } from './file-store.ts';
import { findControl, listTests, requireControl, requireEvidence, requireTest } from './store.ts';

/**
 * Adds an item of evidence to a control, with the file that was uploaded. A control whose evidence was requested, overdue or not, becomes
 * `evidence_submitted`.
 * @throws {Problem} `not_found`, `validation_failed` for impossible dates.
 */
export async function addEvidence(
  work: UnitOfWork,
  source: AuditSource,
  controlId: string,
  item: NewEvidence,
  file: { readonly name: string; readonly received: ReceivedFile } | null = null,
) {
  const { kind, collectedAt, expiresAt } = item;
  const assessed = await lockControl(work, source, controlId);
  const { control } = assessed;
  checkEvidenceTimes(item, work.now, file === null ? 'body' : 'query');
  if (file !== null) await takeFile(work, source.tenantId, file.received);
  const row = await insertRow(work.transaction, 'control_evidence', {
    id: newId(),
    tenant_id: source.tenantId,
    tenant_control_id: control.id,
    ...toColumns(item),
    ...(file !== null && fileColumns(file)),
    salt: newSalt(),
    created_at: work.now,
  });
  const diff = { kind, collectedAt, expiresAt, ...(file !== null && { sha256: row.sha256 }) };
  const after = await recordPart(work, source, assessed, evidenceRows, row, { verb: 'added', diff });
  const isRequested = control.status === 'evidence_requested' || control.status === 'overdue';
  if (isRequested && isEvidenceValid(row, work.now))
    await saveControl(work, source, after, { status: 'evidence_submitted', evidence_due_at: null });
  return viewEvidence(row, control.controlId, work.now);
}

function fileColumns({ name, received }: { readonly name: string; readonly received: ReceivedFile }) {
  const { id: file_id, size: file_size, sha256, mediaType: media_type } = received;
  return { file_id, file_name: name, file_size, sha256, media_type };
}

/** @param part of the request that has the times. @throws {Problem} `validation_failed` for times that cannot be. */
export function checkEvidenceTimes(
  { collectedAt, expiresAt }: Pick<NewEvidence, 'collectedAt' | 'expiresAt'>,
  now: string,
  part: 'body' | 'query',
): void {
  requirePast(`${part}.collectedAt`, collectedAt, now);
  if (expiresAt !== null && expiresAt <= collectedAt)
    throw invalidValues([{ path: `${part}.expiresAt`, issue: 'must be after collectedAt' }]);
}

/**
 * Withdraws an item: it is kept and no longer counts. Nothing changes if it was withdrawn before.
 * @throws {Problem} `not_found`.
 */
export async function withdrawEvidence(work: UnitOfWork, source: AuditSource, params: EvidenceParams, reason: string) {
  const { controlId, evidenceId: id } = params;
  const assessed = await lockControl(work, source, controlId);
  const { control } = assessed;
  let row = await requireEvidence(work.transaction, source.tenantId, control.id, id);
  if (row.withdrawn_at === null) {
    const columns = { withdrawn_at: work.now, withdrawal_reason: reason };
    row = await updateRow(work.transaction, 'control_evidence', { tenant_id: source.tenantId, id }, columns);
    const diff = { withdrawnAt: work.now };
    await recordPart(work, source, assessed, evidenceRows, row, { verb: 'withdrawn', diff, reason: personal(reason) });
  }
  return viewEvidence(row, control.controlId, work.now);
}

/**
 * Erases the texts and the file of an item, and the texts of the audit events about it. It is withdrawn with that if it was
 * not before: what cannot be read counts no longer. The hash and the size of the file stay.
 */
export async function eraseItem(work: UnitOfWork, source: AuditSource, id: string, reason: string) {
  const { transaction, now } = work;
  const { tenantId } = source;
  await work.lockTenant(tenantId);
  const item = await findRow(transaction, 'control_evidence', { tenant_id: tenantId, id, erased_at: null });
  if (item === undefined) return { rows: 0, files: 0, openings: [], hasMore: false };
  const cleared = await clearOpeningsAbout(transaction, tenantId, [id]);
  if (cleared.hasMore) return { rows: 0, files: 0, ...cleared };
  const before = await findControl(transaction, tenantId, item.tenant_control_id, now);
  const texts = Object.fromEntries(evidenceRows.personal.map((name) => [name, null]));
  const columns = { ...texts, salt: null, withdrawn_at: item.withdrawn_at ?? now, erased_at: now };
  const row = await updateRow(transaction, 'control_evidence', { tenant_id: tenantId, id }, columns);
  if (item.file_id !== null) await eraseFile(transaction, tenantId, item.file_id);
  const change = { verb: 'erased', reason, diff: { withdrawnAt: row.withdrawn_at } } as const;
  // Of a control that is not in force, no status can change.
  if (before === undefined) await recordChange(work, source, evidenceRows, row, { ...change, targetRef: null });
  else await recordPart(work, source, before, evidenceRows, row, change);
  return { rows: 1, files: item.file_id === null ? 0 : 1, ...cleared };
}

/** The maximum number of tests of a control, retired ones included. */
const maximumTests = 200;

/** Adds a test to a control; it is due at once. @throws {Problem} `not_found`, `conflict` for too many tests. */
export async function addTest(work: UnitOfWork, source: AuditSource, controlId: string, test: NewTest) {
  const assessed = await lockControl(work, source, controlId);
  const { control } = assessed;
  if ((await listTests(work.transaction, source.tenantId, control.id)).length >= maximumTests)
    throw new Problem('conflict', `A control may have at most ${maximumTests} tests, retired ones included.`);
  const row = await insertRow(work.transaction, 'control_tests', newTestRow(work, assessed.row, test));
  const diff = { cadence: row.cadence };
  await recordPart(work, source, assessed, testRows, row, { verb: 'created', diff });
  return viewTest(await requireTest(work.transaction, source.tenantId, control.id, row.id), control, work.now);
}

/** The row of a test that has not run yet. */
export function newTestRow({ now }: UnitOfWork, control: ControlRow, test: NewTest): TestRow {
  const { id: tenant_control_id, tenant_id } = control;
  const { title, procedure, cadence } = test;
  return { id: newId(), tenant_id, tenant_control_id, title, procedure, cadence, created_at: now, retired_at: null };
}

/**
 * Takes a test out of use; it is kept with its results. Nothing changes if it was retired before.
 * @throws {Problem} `not_found`.
 */
export async function retireTest(work: UnitOfWork, source: AuditSource, { controlId, testId: id }: TestParams) {
  const { tenantId } = source;
  const assessed = await lockControl(work, source, controlId);
  const { control } = assessed;
  const test = await requireTest(work.transaction, tenantId, control.id, id);
  if (test.retired_at !== null) return viewTest(test, control, work.now);
  const columns = { retired_at: work.now };
  const row = await updateRow(work.transaction, 'control_tests', { tenant_id: tenantId, id }, columns);
  const diff = { cadence: row.cadence };
  await recordPart(work, source, assessed, testRows, row, { verb: 'retired', diff });
  return viewTest({ ...test, ...columns }, control, work.now);
}

/**
 * Records the result of a run. A failure has a webhook event, and ends an acceptance until it is fixed.
 * @throws {Problem} `not_found`, `conflict` for a retired test, `validation_failed` for an impossible time.
 */
export async function recordResult(work: UnitOfWork, source: AuditSource, params: TestParams, result: NewResult) {
  const { tenantId } = source;
  const { testId } = params;
  const { status, notes, url, testedAt = work.now } = result;
  const assessed = await lockControl(work, source, params.controlId);
  const { code, controlId } = assessed.control;
  const test = await requireTest(work.transaction, tenantId, assessed.row.id, testId);
  if (test.retired_at !== null) throw new Problem('conflict', 'The test is retired and accepts no more results.');
  requirePast('body.testedAt', testedAt, work.now);
  const row = await insertRow(work.transaction, 'control_test_results', {
    id: newId(),
    tenant_id: tenantId,
    ...toColumns({ testId, status, notes, url, testedAt }),
    created_at: work.now,
  });
  const diff = { testId, status, testedAt };
  const data = { controlId, code, testId, resultId: row.id };
  if (status === 'fail') await emitEvents(work, [{ tenantId, type: 'control.test_failed', data }]);
  await recordPart(work, source, assessed, resultRows, row, { verb: 'recorded', diff });
  return viewResult(row);
}

/**
 * Records a change of evidence, a test or a result of a control, with a webhook event if it moved the derived status; the
 * row of the control stays as it is.
 * @returns the control after it.
 */
async function recordPart<Name extends keyof Tables>(
  work: UnitOfWork,
  source: AuditSource,
  before: AssessedControl,
  kind: RowKind<Name>,
  row: Selectable<Tables[Name]>,
  { diff, ...change }: Omit<RowChange, 'targetRef'>,
): Promise<AssessedControl> {
  const { id, code, controlId } = before.control;
  await recordChange(work, source, kind, row, { ...change, targetRef: code, diff: { controlId, ...diff } });
  const after = await requireControl(work.transaction, source.tenantId, id, work.now);
  await emitEvents(work, describeMove(before, after));
  return after;
}
