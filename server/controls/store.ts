import { type Selectable, sql } from 'kysely';
import { describeRows } from '../audit/row-state.ts';
import { requireFound } from '../http/problem.ts';
import type { PageStart } from '../http/route.ts';
import type { Queries, UnitOfWork } from '../storage/database.ts';
import { type Page, takeNewest, takePage } from '../storage/page.ts';
import { findRow, newId, prepareQuery } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { type AssessedControl, assessControl } from './assess-control.ts';
import { catalogue, type Framework } from './catalogue/catalogue.ts';
import type { ControlRow, CustomDefinition } from './control.ts';
import type { ResultRow, TestFacts, TestRow } from './control-test.ts';
import type { EvidenceFacts, EvidenceRow } from './evidence.ts';

export const programRows = describeRows('control_programs', 'controls', 'control_program');
export const controlRows = describeRows('tenant_controls', 'controls', 'control');
export const evidenceRows = describeRows('control_evidence', 'controls', 'control_evidence');
export const testRows = describeRows('control_tests', 'controls', 'control_test');
export const resultRows = describeRows('control_test_results', 'controls', 'control_test_result');

type ProgramRow = Selectable<Tables['control_programs']>;

/** The control framework of a tenant at one time. */
export interface TenantControls {
  /** In the order of the catalogue. */
  readonly adopted: readonly Framework[];
  /** The controls in force, in the order of their codes. */
  readonly controls: readonly AssessedControl[];
}

/** Reads the controls of a tenant with four queries, however many there are. */
export async function readControls(queries: Queries, tenantId: string, now: string): Promise<TenantControls> {
  const adopted = await listAdopted(queries, tenantId);
  const rows = await listControlRows(queries, { tenantId });
  const evidence = await readEvidenceFacts(queries, tenantId, now);
  const tests = await readTestFacts(queries, tenantId);
  const controls = rows
    .map((row) => assessControl(row, adopted, now, evidence.get(row.id), tests.get(row.id)))
    .filter((control) => control !== null)
    .sort(compareCodes);
  return { adopted, controls };
}

function compareCodes({ control: one }: AssessedControl, { control: other }: AssessedControl): number {
  if (one.code === other.code) return one.id < other.id ? -1 : 1;
  return one.code < other.code ? -1 : 1;
}

/** Reads one control in force, by its `id` or its `controlId`. @throws {Problem} `not_found`. */
export async function requireControl(
  queries: Queries,
  tenantId: string,
  id: string,
  now: string,
): Promise<AssessedControl> {
  const row = await selectControls(queries, tenantId)
    .where((either) => either.or([either('id', '=', id), either('control_id', '=', id)]))
    .executeTakeFirst();
  return requireFound((row && (await assessRow(queries, row, now))) ?? undefined, 'control');
}

/** Assesses a stored control; null when it is not in force. */
export async function assessRow(queries: Queries, row: ControlRow, now: string): Promise<AssessedControl | null> {
  const { id, tenant_id: tenantId } = row;
  const adopted = await listAdopted(queries, tenantId);
  const evidence = await readEvidenceFacts(queries, tenantId, now, id);
  const tests = await readTestFacts(queries, tenantId, id);
  return assessControl(row, adopted, now, evidence.get(id), tests.get(id));
}

/** Every control of a tenant, in force or not, except retired custom ones. */
export const listControlRows = prepareQuery<{ tenantId: string }, ControlRow>((queries, parameter) =>
  selectControls(queries, parameter('tenantId')),
);

function selectControls(queries: Queries, tenantId: string) {
  return queries
    .selectFrom('tenant_controls')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('retired_at', 'is', null);
}

/** The definitions of the custom controls of a tenant that were not retired. */
export async function listCustomDefinitions(queries: Queries, tenantId: string): Promise<readonly CustomDefinition[]> {
  const rows = await selectControls(queries, tenantId).where('definition', 'is not', null).execute();
  return rows.map(({ definition }) => JSON.parse(definition as string));
}

/** The adopted frameworks of a tenant, in the order of the catalogue. */
export async function listAdopted(queries: Queries, tenantId: string): Promise<readonly Framework[]> {
  const [program] = await selectProgram(queries, { tenantId });
  const codes = program?.frameworks.split(' ') ?? [];
  return catalogue.frameworks.filter(({ code }) => codes.includes(code));
}

const selectProgram = prepareQuery<{ tenantId: string }, ProgramRow>((queries, parameter) =>
  queries.selectFrom('control_programs').selectAll().where('tenant_id', '=', parameter('tenantId')),
);

/** Stores the adopted frameworks of a tenant. @returns the row after the change, for its event. */
export async function saveProgram(
  work: UnitOfWork,
  tenantId: string,
  adopted: readonly Framework[],
): Promise<ProgramRow> {
  const frameworks = adopted.map(({ code }) => code).join(' ');
  return work.transaction
    .insertInto('control_programs')
    .values({ id: newId(), tenant_id: tenantId, frameworks, created_at: work.now, updated_at: work.now })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet({ frameworks, updated_at: work.now }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Reads the evidence facts of the controls of a tenant.
 * @param controlId the row id of one control; omitted for all.
 * @returns them by the row id of the control.
 */
export async function readEvidenceFacts(
  queries: Queries,
  tenantId: string,
  now: string,
  controlId?: string,
): Promise<ReadonlyMap<string, EvidenceFacts>> {
  const rows =
    controlId === undefined
      ? await selectAllFacts(queries, { tenantId, now })
      : await selectFacts(queries, tenantId, now).where('tenant_controls.id', '=', controlId).execute();
  return new Map(rows.map(({ id, ...facts }) => [id, facts]));
}

const selectAllFacts = prepareQuery<{ tenantId: string; now: string }, EvidenceFacts & { readonly id: string }>(
  (queries, parameter) => selectFacts(queries, parameter('tenantId'), parameter('now')),
);

/**
 * For each control, counts its items in the index and seeks the latest valid one there: less than half of the work of
 * grouping all of them. `isEvidenceValid` decides in the same way which items are valid.
 */
function selectFacts(queries: Queries, tenantId: string, now: string) {
  return queries
    .selectFrom('tenant_controls')
    .select(({ selectFrom }) => {
      const kept = selectFrom('control_evidence')
        .whereRef('control_evidence.tenant_id', '=', 'tenant_controls.tenant_id')
        .whereRef('control_evidence.tenant_control_id', '=', 'tenant_controls.id')
        .where('control_evidence.withdrawn_at', 'is', null);
      return [
        'tenant_controls.id',
        kept
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .$asScalar()
          .$notNull()
          .as('count'),
        kept
          .select('control_evidence.collected_at')
          .where((item) => item.or([item('expires_at', 'is', null), item('expires_at', '>', now)]))
          .orderBy('control_evidence.collected_at', 'desc')
          .limit(1)
          .as('latest'),
      ];
    })
    .where('tenant_controls.tenant_id', '=', tenantId)
    .where('tenant_controls.retired_at', 'is', null);
}

/** Reads an item of evidence of a control, by its row id. @throws {Problem} `not_found`. */
export async function requireEvidence(
  queries: Queries,
  tenantId: string,
  controlId: string,
  id: string,
): Promise<EvidenceRow> {
  const match = { tenant_id: tenantId, tenant_control_id: controlId, id };
  return requireFound(await findRow(queries, 'control_evidence', match), 'item of evidence');
}

/** A page of the evidence of a control, by its row id, the items added last first. */
export async function listEvidence(
  queries: Queries,
  tenantId: string,
  controlId: string,
  { after, limit }: PageStart<string>,
): Promise<Page<EvidenceRow>> {
  const ofControl = queries
    .selectFrom('control_evidence')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('tenant_control_id', '=', controlId);
  return takeNewest(ofControl, after, limit);
}

/**
 * Reads the tests in use of a tenant, the oldest first.
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
  return Map.groupBy(rows, (row) => row.tenant_control_id);
}

const selectAllInUse = prepareQuery<{ tenantId: string }, TestFacts>((queries, parameter) =>
  selectInUse(queries, parameter('tenantId')),
);

function selectInUse(queries: Queries, tenantId: string) {
  return selectTests(queries, tenantId)
    .where('control_tests.retired_at', 'is', null)
    .orderBy('control_tests.tenant_control_id')
    .orderBy('control_tests.id');
}

/** Each column of the latest result is one seek in an index that covers it; a join might read every result. */
function selectTests(queries: Queries, tenantId: string) {
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
          .as('result_count'),
      ];
    })
    .where('control_tests.tenant_id', '=', tenantId);
}

/** A test with what only its own view shows. */
export type ListedTest = TestFacts & Pick<TestRow, 'procedure' | 'retired_at'>;

function selectOfControl(queries: Queries, tenantId: string, controlId: string) {
  return selectTests(queries, tenantId)
    .select(['control_tests.procedure', 'control_tests.retired_at'])
    .where('control_tests.tenant_control_id', '=', controlId);
}

/** The tests of a control, retired ones included, the oldest first. @param controlId its row id. */
export async function listTests(queries: Queries, tenantId: string, controlId: string): Promise<readonly ListedTest[]> {
  return selectOfControl(queries, tenantId, controlId).orderBy('control_tests.id').execute();
}

/** Reads a test of a control, by its row id. @throws {Problem} `not_found`. */
export async function requireTest(
  queries: Queries,
  tenantId: string,
  controlId: string,
  id: string,
): Promise<ListedTest> {
  const query = selectOfControl(queries, tenantId, controlId).where('control_tests.id', '=', id);
  return requireFound(await query.executeTakeFirst(), 'test');
}

/**
 * Reads a page of the results of a test, the latest first.
 * @param before the time and the id of the last result of the previous page; null for the first page.
 */
export async function listResults(
  queries: Queries,
  tenantId: string,
  testId: string,
  before: readonly [testedAt: string, id: string] | null,
  limit: number,
): Promise<Page<ResultRow, readonly [testedAt: string, id: string]>> {
  let query = queries
    .selectFrom('control_test_results')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('test_id', '=', testId)
    .orderBy('tested_at', 'desc')
    .orderBy('id', 'desc');
  if (before !== null) query = query.where(sql<boolean>`(tested_at, id) < (${before[0]}, ${before[1]})`);
  return takePage(query, limit, ({ tested_at, id }) => [tested_at, id]);
}
