import { recordChange } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import { notFound, Problem } from '../http/problem.ts';
import { requirePast } from '../http/schemas.ts';
import type { Queries } from '../storage/database.ts';
import { newId } from '../storage/ids.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';
import { newTestRow } from './adoption-changes.ts';
import type { AssessedControl } from './assessed-control.ts';
import { lockControl, tellMove } from './control-changes.ts';
import {
  type ControlTest,
  type NewResult,
  type NewTest,
  type TestResult,
  viewResult,
  viewTest,
} from './control-test.ts';
import { insertResult, type ResultRow, resultRows } from './result-store.ts';
import type { TestFacts } from './test-schedule.ts';
import {
  findTest,
  insertTests,
  listTests,
  markRetired,
  readFactsOfTests,
  type TestRow,
  testRows,
} from './test-store.ts';

/** The most tests that a control may have, retired ones included. */
export const mostTests = 200;

/** Adds a test to a control; it is due at once. */
export async function addTest(
  work: UnitOfWork,
  source: AuditSource,
  controlId: string,
  test: NewTest,
): Promise<ControlTest> {
  const assessed = await lockControl(work, source, controlId);
  const { row: control } = assessed;
  if ((await listTests(work.transaction, source.tenantId, control.id)).length >= mostTests)
    throw new Problem('conflict', `A control may have at most ${mostTests} tests, retired ones included.`);
  const row = newTestRow(work, control, test);
  await insertTests(work, [row]);
  await record(work, source, assessed, row, 'created');
  return readTest(work, assessed, row);
}

/** Takes a test out of use; it is kept with its results. Nothing happens when it was retired before. */
export async function retireTest(
  work: UnitOfWork,
  source: AuditSource,
  controlId: string,
  testId: string,
): Promise<ControlTest> {
  const assessed = await lockControl(work, source, controlId);
  const row = await requireTest(work.transaction, assessed, testId);
  if (row.retired_at !== null) return readTest(work, assessed, row);
  const retired = await markRetired(work, row);
  await record(work, source, assessed, retired, 'retired');
  await tellMove(work, assessed);
  return readTest(work, assessed, retired);
}

/** Records how a test went. A failure is told to webhooks, and ends an acceptance until it is mended. */
export async function recordResult(
  work: UnitOfWork,
  source: AuditSource,
  controlId: string,
  testId: string,
  { status, notes, url, testedAt = work.now }: NewResult,
): Promise<TestResult> {
  const assessed = await lockControl(work, source, controlId);
  const { code, controlId: ofControl } = assessed.control;
  const test = await requireTest(work.transaction, assessed, testId);
  if (test.retired_at !== null) throw new Problem('conflict', 'The test is retired and takes no more results.');
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
  await tellMove(work, assessed);
  return viewResult(row);
}

/** @throws {Problem} `not_found` for what is no test of this control. */
export async function requireTest(queries: Queries, { row }: AssessedControl, id: string): Promise<TestRow> {
  const test = await findTest(queries, row.tenant_id, row.id, id);
  if (test === undefined) throw notFound('test');
  return test;
}

async function readTest(work: UnitOfWork, control: AssessedControl, row: TestRow): Promise<ControlTest> {
  const facts = await readFactsOfTests(work.transaction, row.tenant_id, [row.id]);
  return viewTest(row, facts.get(row.id) as TestFacts, control, work.now);
}

async function record(
  work: UnitOfWork,
  source: AuditSource,
  { control }: AssessedControl,
  row: TestRow,
  verb: string,
): Promise<void> {
  const diff = { controlId: control.controlId, cadence: row.cadence };
  await recordChange(work, source, testRows, row, { verb, targetRef: control.code, diff });
}
