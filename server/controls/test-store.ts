import { sql } from 'kysely';
import { describeRows } from '../audit/row-state.ts';
import { notFound } from '../http/problem.ts';
import type { Queries } from '../storage/database.ts';
import { insertRows } from '../storage/insert-rows.ts';
import { type Page, takePage } from '../storage/page.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { Cadence } from './cadence.ts';
import type { ResultRow, TestFacts, TestRow } from './control-test.ts';
import type { ResultStatus } from './status.ts';

export const testRows = describeRows('control_tests', 'controls', 'control_test');
export const resultRows = describeRows('control_test_results', 'controls', 'control_test_result');

/** A test with the columns of its latest result. */
interface FactsRow extends Pick<TestRow, 'id' | 'tenant_control_id' | 'title' | 'cadence' | 'created_at'> {
  readonly result_id: string | null;
  readonly status: string | null;
  readonly tested_at: string | null;
  readonly results: number;
}

/**
 * Reads the facts of the tests in use of a tenant, the oldest first.
 * @param controlId the row id of one control; omitted for all.
 * @returns them by the row id of the control.
 */
export async function readTestFacts(
  queries: Queries,
  tenantId: string,
  controlId?: string,
): Promise<ReadonlyMap<string, readonly TestFacts[]>> {
  const rows =
    controlId === undefined
      ? await selectAllInUse(queries, { tenantId })
      : await selectInUse(queries, tenantId).where('control_tests.tenant_control_id', '=', controlId).execute();
  const byControl = Map.groupBy(rows, (row) => row.tenant_control_id);
  return new Map([...byControl].map(([id, ofControl]) => [id, ofControl.map(readFacts)]));
}

const selectAllInUse = prepareQuery<{ tenantId: string }, FactsRow>((queries, parameter) =>
  selectInUse(queries, parameter('tenantId')),
);

function selectInUse(queries: Queries, tenantId: string) {
  return selectFacts(queries, tenantId)
    .where('control_tests.retired_at', 'is', null)
    .orderBy('control_tests.tenant_control_id')
    .orderBy('control_tests.id');
}

/** Reads the facts of these tests, retired or not, by their ids. */
export async function readFactsOfTests(
  queries: Queries,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TestFacts>> {
  if (ids.length === 0) return new Map();
  const rows = await selectFacts(queries, tenantId).where('control_tests.id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, readFacts(row)]));
}

/** Each column of the latest result is one seek in an index that covers it; a join might read every result. */
function selectFacts(queries: Queries, tenantId: string) {
  return queries
    .selectFrom('control_tests')
    .select(({ selectFrom }) => {
      const results = selectFrom('control_test_results as result')
        .whereRef('result.tenant_id', '=', 'control_tests.tenant_id')
        .whereRef('result.test_id', '=', 'control_tests.id');
      const latest = results.orderBy('result.tested_at', 'desc').orderBy('result.id', 'desc').limit(1);
      return [
        'control_tests.id',
        'control_tests.tenant_control_id',
        'control_tests.title',
        'control_tests.cadence',
        'control_tests.created_at',
        latest.select('result.id').as('result_id'),
        latest.select('result.status').as('status'),
        latest.select('result.tested_at').as('tested_at'),
        results
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .$asScalar()
          .$notNull()
          .as('results'),
      ];
    })
    .where('control_tests.tenant_id', '=', tenantId);
}

function readFacts({ id, title, cadence, created_at, result_id, status, tested_at, results }: FactsRow): TestFacts {
  return {
    id,
    title,
    cadence: cadence as Cadence | null,
    createdAt: created_at,
    latest:
      result_id === null ? null : { id: result_id, status: status as ResultStatus, testedAt: tested_at as string },
    resultCount: results,
  };
}

export async function insertTests(work: UnitOfWork, rows: readonly TestRow[]): Promise<void> {
  await insertRows(work.transaction, 'control_tests', rows);
}

function selectOfControl(queries: Queries, tenantId: string, controlId: string) {
  return queries
    .selectFrom('control_tests')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('tenant_control_id', '=', controlId);
}

/** The tests of a control, retired ones included, the oldest first. @param controlId its row id. */
export async function listTests(queries: Queries, tenantId: string, controlId: string): Promise<readonly TestRow[]> {
  return selectOfControl(queries, tenantId, controlId).orderBy('id').execute();
}

/**
 * Reads a test.
 * @param controlId the row id of its control.
 * @throws {Problem} `not_found` also for a test of another control.
 */
export async function requireTest(queries: Queries, tenantId: string, controlId: string, id: string): Promise<TestRow> {
  const row = await selectOfControl(queries, tenantId, controlId).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('test');
  return row;
}

/** Takes a test out of use. @returns the row after the change, for its event. */
export async function markRetired(work: UnitOfWork, { id, tenant_id }: TestRow): Promise<TestRow> {
  return work.transaction
    .updateTable('control_tests')
    .set({ retired_at: work.now })
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function insertResult(work: UnitOfWork, row: ResultRow): Promise<void> {
  await work.transaction.insertInto('control_test_results').values(row).execute();
}

/** A place in the list of results, which is sorted by the time of the test and then by the id. */
export interface ResultPlace {
  readonly testedAt: string;
  readonly id: string;
}

/**
 * Reads a page of the results of a test, the latest first.
 * @param before the place of the last result of the previous page; null for the first page.
 */
export async function listResults(
  queries: Queries,
  tenantId: string,
  testId: string,
  before: ResultPlace | null,
  limit: number,
): Promise<Page<ResultRow, ResultPlace>> {
  let query = queries
    .selectFrom('control_test_results')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('test_id', '=', testId)
    .orderBy('tested_at', 'desc')
    .orderBy('id', 'desc');
  if (before !== null) query = query.where(sql<boolean>`(tested_at, id) < (${before.testedAt}, ${before.id})`);
  return takePage(query, limit, ({ tested_at, id }) => ({ testedAt: tested_at, id }));
}
