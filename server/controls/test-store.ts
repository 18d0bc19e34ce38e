import type { Selectable } from 'kysely';
import type { RowKind } from '../audit/row-state.ts';
import type { Queries } from '../storage/database.ts';
import { insertRows } from '../storage/insert-rows.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { Cadence } from './cadence.ts';
import type { ResultStatus, TestFacts } from './test-schedule.ts';

export type TestRow = Selectable<Tables['control_tests']>;

export const testRows: RowKind<'control_tests'> = {
  table: 'control_tests',
  module: 'controls',
  noun: 'control_test',
  key: 'id',
  owner: 'tenant_id',
  counters: [],
};

interface FactsRow {
  readonly id: string;
  readonly tenant_control_id: string;
  readonly title: string;
  readonly cadence: string | null;
  readonly created_at: string;
  readonly result_id: string | null;
  readonly result_status: string | null;
  readonly tested_at: string | null;
  readonly results: number;
}

/** The facts of every test in use of a tenant, by the id of the control in the tenant; the oldest first. */
export async function readAllTestFacts(
  queries: Queries,
  tenantId: string,
): Promise<ReadonlyMap<string, readonly TestFacts[]>> {
  return byControl(await selectAllFacts(queries, { tenantId }));
}

/** The same for one control. */
export async function readTestFacts(
  queries: Queries,
  tenantId: string,
  tenantControlId: string,
): Promise<ReadonlyMap<string, readonly TestFacts[]>> {
  return byControl(await selectFacts(queries, { tenantId, tenantControlId }));
}

const selectAllFacts = prepareQuery<{ tenantId: string }, FactsRow>((queries, parameter) =>
  facts(queries, parameter('tenantId'))
    .where('control_tests.retired_at', 'is', null)
    .orderBy('control_tests.tenant_control_id')
    .orderBy('control_tests.id'),
);

const selectFacts = prepareQuery<{ tenantId: string; tenantControlId: string }, FactsRow>((queries, parameter) =>
  facts(queries, parameter('tenantId'))
    .where('control_tests.retired_at', 'is', null)
    .where('control_tests.tenant_control_id', '=', parameter('tenantControlId'))
    .orderBy('control_tests.id'),
);

/** Facts of these tests, retired or not, by their ids. */
export async function readFactsOfTests(
  queries: Queries,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TestFacts>> {
  if (ids.length === 0) return new Map();
  const rows = await facts(queries, tenantId).where('control_tests.id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, readFacts(row)]));
}

/** Each column of the latest result is one seek in an index that has them all; a join might read every result. */
function facts(queries: Queries, tenantId: string) {
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
        latest.select('result.status').as('result_status'),
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

function byControl(rows: readonly FactsRow[]): ReadonlyMap<string, readonly TestFacts[]> {
  const byControl = new Map<string, TestFacts[]>();
  for (const row of rows) {
    const tests = byControl.get(row.tenant_control_id) ?? [];
    tests.push(readFacts(row));
    byControl.set(row.tenant_control_id, tests);
  }
  return byControl;
}

function readFacts(row: FactsRow): TestFacts {
  return {
    id: row.id,
    title: row.title,
    cadence: row.cadence as Cadence | null,
    createdAt: row.created_at,
    latest:
      row.result_id === null
        ? null
        : { id: row.result_id, status: row.result_status as ResultStatus, testedAt: row.tested_at as string },
    resultCount: row.results,
  };
}

export async function insertTests(work: UnitOfWork, rows: readonly TestRow[]): Promise<void> {
  await insertRows(work.transaction, 'control_tests', rows);
}

/** The tests of a control, retired ones included, the oldest first. */
export async function listTests(
  queries: Queries,
  tenantId: string,
  tenantControlId: string,
): Promise<readonly TestRow[]> {
  return queries
    .selectFrom('control_tests')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('tenant_control_id', '=', tenantControlId)
    .orderBy('id')
    .execute();
}

export async function findTest(
  queries: Queries,
  tenantId: string,
  tenantControlId: string,
  id: string,
): Promise<TestRow | undefined> {
  return queries
    .selectFrom('control_tests')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('tenant_control_id', '=', tenantControlId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Takes a test out of use. @returns the row as it is now, for the event of the change. */
export async function markRetired(work: UnitOfWork, { id, tenant_id }: TestRow): Promise<TestRow> {
  return work.transaction
    .updateTable('control_tests')
    .set({ retired_at: work.now })
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
