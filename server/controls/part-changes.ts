import type { Selectable } from 'kysely';
import type { AuditSource } from '../http/principal.ts';
import { invalidValues, Problem } from '../http/problem.ts';
import { requirePast, toColumns } from '../http/schemas.ts';
import { evidenceRows, type RowKind, resultRows, testRows } from '../ledger/audit/rows.ts';
import { personal, type RowChange, recordChange } from '../ledger/audit/store.ts';
import { newSalt } from '../ledger/entry.ts';
import { clearOpeningsAbout } from '../ledger/opening-store.ts';
import type { Transaction } from '../storage/database.ts';
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
  tx: Transaction,
  source: AuditSource,
  controlId: string,
  item: NewEvidence,
  file: { readonly name: string; readonly received: ReceivedFile } | null = null,
) {
  const { kind, collectedAt, expiresAt } = item;
  const assessed = await lockControl(tx, source, controlId);
  const { control } = assessed;
  checkEvidenceTimes(item, tx.now, file === null ? 'body' : 'query');
  if (file !== null) await takeFile(tx, source.tenantId, file.received);
  const row = await insertRow(tx.queries, 'control_evidence', {
    id: newId(),
    tenant_id: source.tenantId,
    tenant_control_id: control.id,
    ...toColumns(item),
    ...(file !== null && fileColumns(file)),
    salt: newSalt(),
    created_at: tx.now,
  });
  const diff = { kind, collectedAt, expiresAt, ...(file !== null && { sha256: row.sha256 }) };
  const after = await recordPart(tx, source, assessed, evidenceRows, row, { verb: 'added', diff });
  const isRequested = control.status === 'evidence_requested' || control.status === 'overdue';
  if (isRequested && isEvidenceValid(row, tx.now))
    await saveControl(tx, source, after, { status: 'evidence_submitted', evidence_due_at: null });
  return viewEvidence(row, control.controlId, tx.now);
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
export async function withdrawEvidence(tx: Transaction, source: AuditSource, params: EvidenceParams, reason: string) {
  const { controlId, evidenceId: id } = params;
  const assessed = await lockControl(tx, source, controlId);
  const { control } = assessed;
  let row = await requireEvidence(tx.queries, source.tenantId, control.id, id);
  if (row.withdrawn_at === null) {
    const columns = { withdrawn_at: tx.now, withdrawal_reason: reason };
    row = await updateRow(tx.queries, 'control_evidence', { tenant_id: source.tenantId, id }, columns);
    const diff = { withdrawnAt: tx.now };
    await recordPart(tx, source, assessed, evidenceRows, row, { verb: 'withdrawn', diff, reason: personal(reason) });
  }
  return viewEvidence(row, control.controlId, tx.now);
}

/**
 * Erases the texts and the file of an item, and the texts of the audit events about it. It is withdrawn with that if it was
 * not before: what cannot be read counts no longer. The hash and the size of the file stay.
 */
export async function eraseItem(tx: Transaction, source: AuditSource, id: string, reason: string) {
  const { queries, now } = tx;
  const { tenantId } = source;
  await tx.lockTenant(tenantId);
  const item = await findRow(queries, 'control_evidence', { tenant_id: tenantId, id, erased_at: null });
  if (item === undefined) return { rows: 0, files: 0, openings: [], hasMore: false };
  const cleared = await clearOpeningsAbout(queries, tenantId, [id]);
  if (cleared.hasMore) return { rows: 0, files: 0, ...cleared };
  const before = await findControl(queries, tenantId, item.tenant_control_id, now);
  const texts = Object.fromEntries(evidenceRows.personal.map((name) => [name, null]));
  const columns = { ...texts, salt: null, withdrawn_at: item.withdrawn_at ?? now, erased_at: now };
  const row = await updateRow(queries, 'control_evidence', { tenant_id: tenantId, id }, columns);
  if (item.file_id !== null) await eraseFile(queries, tenantId, item.file_id);
  const change = { verb: 'erased', reason, diff: { withdrawnAt: row.withdrawn_at } } as const;
  // Of a control that is not in force, no status can change.
  if (before === undefined) await recordChange(tx, source, evidenceRows, row, { ...change, targetRef: null });
  else await recordPart(tx, source, before, evidenceRows, row, change);
  return { rows: 1, files: item.file_id === null ? 0 : 1, ...cleared };
}

/** The maximum number of tests of a control, retired ones included. */
const maximumTests = 200;

/** Adds a test to a control; it is due at once. @throws {Problem} `not_found`, `conflict` for too many tests. */
export async function addTest(tx: Transaction, source: AuditSource, controlId: string, test: NewTest) {
  const assessed = await lockControl(tx, source, controlId);
  const { control } = assessed;
  if ((await listTests(tx.queries, source.tenantId, control.id)).length >= maximumTests)
    throw new Problem('conflict', `A control may have at most ${maximumTests} tests, retired ones included.`);
  const row = await insertRow(tx.queries, 'control_tests', newTestRow(tx, assessed.row, test));
  const diff = { cadence: row.cadence };
  await recordPart(tx, source, assessed, testRows, row, { verb: 'created', diff });
  return viewTest(await requireTest(tx.queries, source.tenantId, control.id, row.id), control, tx.now);
}

/** The row of a test that has not run yet. */
export function newTestRow({ now }: Transaction, control: ControlRow, test: NewTest): TestRow {
  const { id: tenant_control_id, tenant_id } = control;
  const { title, procedure, cadence } = test;
  return { id: newId(), tenant_id, tenant_control_id, title, procedure, cadence, created_at: now, retired_at: null };
}

/**
 * Takes a test out of use; it is kept with its results. Nothing changes if it was retired before.
 * @throws {Problem} `not_found`.
 */
export async function retireTest(tx: Transaction, source: AuditSource, { controlId, testId: id }: TestParams) {
  const { tenantId } = source;
  const assessed = await lockControl(tx, source, controlId);
  const { control } = assessed;
  const test = await requireTest(tx.queries, tenantId, control.id, id);
  if (test.retired_at !== null) return viewTest(test, control, tx.now);
  const columns = { retired_at: tx.now };
  const row = await updateRow(tx.queries, 'control_tests', { tenant_id: tenantId, id }, columns);
  const diff = { cadence: row.cadence };
  await recordPart(tx, source, assessed, testRows, row, { verb: 'retired', diff });
  return viewTest({ ...test, ...columns }, control, tx.now);
}

/**
 * Records the result of a run. A failure has a webhook event, and ends an acceptance until it is fixed.
 * @throws {Problem} `not_found`, `conflict` for a retired test, `validation_failed` for an impossible time.
 */
export async function recordResult(tx: Transaction, source: AuditSource, params: TestParams, result: NewResult) {
  const { tenantId } = source;
  const { testId } = params;
  const { status, notes, url, testedAt = tx.now } = result;
  const assessed = await lockControl(tx, source, params.controlId);
  const { code, controlId } = assessed.control;
  const test = await requireTest(tx.queries, tenantId, assessed.row.id, testId);
  if (test.retired_at !== null) throw new Problem('conflict', 'The test is retired and accepts no more results.');
  requirePast('body.testedAt', testedAt, tx.now);
  const row = await insertRow(tx.queries, 'control_test_results', {
    id: newId(),
    tenant_id: tenantId,
    ...toColumns({ testId, status, notes, url, testedAt }),
    created_at: tx.now,
  });
  const diff = { testId, status, testedAt };
  const data = { controlId, code, testId, resultId: row.id };
  if (status === 'fail') await emitEvents(tx, [{ tenantId, type: 'control.test_failed', data }]);
  await recordPart(tx, source, assessed, resultRows, row, { verb: 'recorded', diff });
  return viewResult(row);
}

/**
 * Records a change of evidence, a test or a result of a control, with a webhook event if it moved the derived status; the
 * row of the control stays as it is.
 * @returns the control after it.
 */
async function recordPart<Name extends keyof Tables>(
  tx: Transaction,
  source: AuditSource,
  before: AssessedControl,
  kind: RowKind<Name>,
  row: Selectable<Tables[Name]>,
  { diff, ...change }: Omit<RowChange, 'targetRef'>,
): Promise<AssessedControl> {
  const { id, code, controlId } = before.control;
  await recordChange(tx, source, kind, row, { ...change, targetRef: code, diff: { controlId, ...diff } });
  const after = await requireControl(tx.queries, source.tenantId, id, tx.now);
  await emitEvents(tx, describeMove(before, after));
  return after;
}
