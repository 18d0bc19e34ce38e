import { recordChange } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import { Problem } from '../http/problem.ts';
import { requirePast } from '../http/schemas.ts';
import { newId } from '../storage/ids.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';
import type { AssessedControl } from './assess-control.ts';
import { emitMove, lockControl } from './control-changes.ts';
import {
  type ControlTest,
  type NewResult,
  type NewTest,
  type ResultRow,
  type TestFacts,
  type TestResult,
  type TestRow,
  viewResult,
  viewTest,
} from './control-test.ts';
import {
  insertResult,
  insertTests,
  listTests,
  markRetired,
  readFactsOfTests,
  requireTest,
  resultRows,
  testRows,
} from './test-store.ts';

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
  if ((await listTests(work.transaction, source.tenantId, assessed.row.id)).length >= maximumTests)
    throw new Problem('conflict', `A control may have at most ${maximumTests} tests, retired ones included.`);
  const row = newTestRow(work, assessed.row, test);
  await insertTests(work, [row]);
  await recordTest(work, source, assessed, row, 'created');
  return readTest(work, assessed, row);
}

/** The row of a test that has not run yet. */
export function newTestRow(
  { now }: UnitOfWork,
  control: { readonly id: string; readonly tenant_id: string },
  { title, procedure, cadence }: NewTest,
): TestRow {
  return {
    id: newId(),
    tenant_id: control.tenant_id,
    tenant_control_id: control.id,
    title,
    procedure,
    cadence,
    created_at: now,
    retired_at: null,
  };
}

/**
 * Takes a test out of use; it is kept with its results. Nothing changes if it was retired before.
 * @throws {Problem} `not_found`.
 */
export async function retireTest(
  work: UnitOfWork,
  source: AuditSource,
  controlId: string,
  testId: string,
): Promise<ControlTest> {
  const assessed = await lockControl(work, source, controlId);
  const row = await requireTest(work.transaction, source.tenantId, assessed.row.id, testId);
  if (row.retired_at !== null) return readTest(work, assessed, row);
  const retired = await markRetired(work, row);
  await recordTest(work, source, assessed, retired, 'retired');
  await emitMove(work, assessed);
  return readTest(work, assessed, retired);
}

/**
 * Records the result of a run. A failure has a webhook event, and ends an acceptance until it is fixed.
 * @throws {Problem} `not_found`, `conflict` for a retired test, `validation_failed` for an impossible time.
 */
export async function recordResult(
  work: UnitOfWork,
  source: AuditSource,
  controlId: string,
  testId: string,
  { status, notes, url, testedAt = work.now }: NewResult,
): Promise<TestResult> {
  const assessed = await lockControl(work, source, controlId);
  const { code, controlId: ofControl } = assessed.control;
  const test = await requireTest(work.transaction, source.tenantId, assessed.row.id, testId);
  if (test.retired_at !== null) throw new Problem('conflict', 'The test is retired and accepts no more results.');
  requirePast('body.testedAt', testedAt, work.now);
  const row: ResultRow = {
    id: newId(),
    tenant_id: source.tenantId,
    test_id: test.id,
    status,
    notes,
    url,
    tested_at: testedAt,
    created_at: work.now,
  };
  await insertResult(work, row);
  await recordChange(work, source, resultRows, row, {
    verb: 'recorded',
    targetRef: code,
    diff: { controlId: ofControl, testId: test.id, status, testedAt },
  });
  if (status === 'fail') {
    const data = { controlId: ofControl, code, testId: test.id, resultId: row.id };
    await emitEvents(work, [{ tenantId: source.tenantId, type: 'control.test_failed', data }]);
  }
  await emitMove(work, assessed);
  return viewResult(row);
}

async function readTest(work: UnitOfWork, { control }: AssessedControl, row: TestRow): Promise<ControlTest> {
  const facts = await readFactsOfTests(work.transaction, row.tenant_id, [row.id]);
  return viewTest(row, facts.get(row.id) as TestFacts, control, work.now);
}

async function recordTest(
  work: UnitOfWork,
  source: AuditSource,
  { control }: AssessedControl,
  row: TestRow,
  verb: string,
): Promise<void> {
  const diff = { controlId: control.controlId, cadence: row.cadence };
  await recordChange(work, source, testRows, row, { verb, targetRef: control.code, diff });
}
