import type { AuditSource } from '../audit/source.ts';
import { Problem } from '../http/problem.ts';
import { requirePast } from '../http/schemas.ts';
import { newId } from '../storage/ids.ts';
import { insertRow, updateRow } from '../storage/rows.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';
import type { ControlRow } from './control.ts';
import { emitMove, lockControl, recordPart } from './control-changes.ts';
import {
  type ControlTest,
  type NewResult,
  type NewTest,
  type TestParams,
  type TestResult,
  type TestRow,
  viewResult,
  viewTest,
} from './control-test.ts';
import { listTests, requireTest, resultRows, testRows } from './store.ts';

/** The maximum number of tests of a control, retired ones included. */
const maximumTests = 200;

/** Adds a test to a control; it is due at once. @throws {Problem} `not_found`, `conflict` for too many tests. */
export async function addTest(
  work: UnitOfWork,
  source: AuditSource,
  controlId: string,
  test: NewTest,
): Promise<ControlTest> {
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
export function newTestRow(
  { now }: UnitOfWork,
  control: Pick<ControlRow, 'id' | 'tenant_id'>,
  { title, procedure, cadence }: NewTest,
): TestRow {
  const { id: tenant_control_id, tenant_id } = control;
  return { id: newId(), tenant_id, tenant_control_id, title, procedure, cadence, created_at: now, retired_at: null };
}

/**
 * Takes a test out of use; it is kept with its results. Nothing changes if it was retired before.
 * @throws {Problem} `not_found`.
 */
export async function retireTest(
  work: UnitOfWork,
  source: AuditSource,
  { controlId, testId: id }: TestParams,
): Promise<ControlTest> {
  const { tenantId } = source;
  const assessed = await lockControl(work, source, controlId);
  const { control } = assessed;
  const test = await requireTest(work.transaction, tenantId, control.id, id);
  if (test.retired_at !== null) return viewTest(test, control, work.now);
  const columns = { retired_at: work.now };
  const row = await updateRow(work.transaction, 'control_tests', { tenant_id: tenantId, id }, columns);
  const diff = { cadence: row.cadence };
  await recordPart(work, source, assessed, testRows, row, { verb: 'retired', diff });
  await emitMove(work, assessed);
  return viewTest({ ...test, ...columns }, control, work.now);
}

/**
 * Records the result of a run. A failure has a webhook event, and ends an acceptance until it is fixed.
 * @throws {Problem} `not_found`, `conflict` for a retired test, `validation_failed` for an impossible time.
 */
export async function recordResult(
  work: UnitOfWork,
  source: AuditSource,
  { controlId: id, testId }: TestParams,
  { status, notes, url, testedAt = work.now }: NewResult,
): Promise<TestResult> {
  const { tenantId } = source;
  const assessed = await lockControl(work, source, id);
  const { code, controlId } = assessed.control;
  const test = await requireTest(work.transaction, tenantId, assessed.row.id, testId);
  if (test.retired_at !== null) throw new Problem('conflict', 'The test is retired and accepts no more results.');
  requirePast('body.testedAt', testedAt, work.now);
  const row = await insertRow(work.transaction, 'control_test_results', {
    id: newId(),
    tenant_id: tenantId,
    test_id: testId,
    status,
    notes,
    url,
    tested_at: testedAt,
    created_at: work.now,
  });
  const diff = { testId, status, testedAt };
  await recordPart(work, source, assessed, resultRows, row, { verb: 'recorded', diff });
  if (status === 'fail') {
    const data = { controlId, code, testId, resultId: row.id };
    await emitEvents(work, [{ tenantId, type: 'control.test_failed', data }]);
  }
  await emitMove(work, assessed);
  return viewResult(row);
}
