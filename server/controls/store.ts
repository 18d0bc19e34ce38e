import { sql } from 'kysely';
import { requireFound } from '../http/problem.ts';
import type { PageStart } from '../http/route.ts';
import type { Transaction } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import { findRow, newId, prepareQuery, takeNewest, takePage } from '../storage/rows.ts';
import { type AssessedControl, assessControl } from './assess-control.ts';
import { byCode, catalogue, type Framework } from './catalogue/catalogue.ts';
import type { StoredControl } from './control.ts';
import type { ListedTest, TestFacts } from './control-test.ts';
import type { EvidenceParams } from './evidence.ts';

/** The control framework of a tenant at one time. */
export interface TenantControls {
  /** In the order of the catalogue. */
  readonly adopted: readonly Framework[];
  /** The controls in force, in the order of their codes. */
  readonly controls: readonly AssessedControl[];
}

/** Reads the controls of a tenant with three queries, however many there are. */
export async function readControls(queries: Queries, tenantId: string, now: string): Promise<TenantControls> {
  const adopted = await listAdopted(queries, tenantId);
  const rows = await listControlRows(queries, { tenantId, now });
  const tests = Map.groupBy(await listTestsInUse(queries, { tenantId }), (test) => test.tenant_control_id);
  return assessControls(adopted, rows, tests, now);
}

/** The same for many tenants at once, by their ids. */
export async function readControlsOf(
  queries: Queries,
  tenantIds: readonly string[],
  now: string,
): Promise<ReadonlyMap<string, TenantControls>> {
  const programs = await queries
    .selectFrom('control_programs')
    .select(['tenant_id', 'frameworks'])
    .where('tenant_id', 'in', tenantIds)
    .execute();
  const controls = await selectControls(queries, now).where('tenant_id', 'in', tenantIds).execute();
  const tests = await selectTests(queries)
    .where('tenant_id', 'in', tenantIds)
    .where('retired_at', 'is', null)
    .execute();
  const testsOf = Map.groupBy(tests, (test) => test.tenant_control_id);
  const rows = Map.groupBy(controls, ({ tenant_id }) => tenant_id);
  return new Map(
    programs.map(({ tenant_id, frameworks }) => [
      tenant_id,
      assessControls(readFrameworks(frameworks), rows.get(tenant_id) ?? [], testsOf, now),
    ]),
  );
}

function assessControls(
  adopted: readonly Framework[],
  rows: readonly StoredControl[],
  tests: ReadonlyMap<string, readonly TestFacts[]>,
  now: string,
): TenantControls {
  const controls = rows
    .map((row) => assessControl(row, adopted, now, tests.get(row.id)))
    .filter((control) => control !== null)
    .sort((one, other) => byCode(one.control, other.control));
  return { adopted, controls };
}

/** Reads one control in force, by its `id` or its `controlId`. @throws {Problem} `not_found`. */
export async function requireControl(queries: Queries, tenantId: string, id: string, now: string) {
  return requireFound(await findControl(queries, tenantId, id, now), 'control');
}

/** Reads one control in force, by its `id` or its `controlId`. */
export async function findControl(queries: Queries, tenantId: string, id: string, now: string) {
  const row = await selectControls(queries, now)
    .where('tenant_id', '=', tenantId)
    .where((either) => either.or([either('id', '=', id), either('control_id', '=', id)]))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const tests = await listTests(queries, tenantId, row.id);
  const inUse = tests.filter(({ retired_at }) => retired_at === null);
  return assessControl(row, await listAdopted(queries, tenantId), now, inUse) ?? undefined;
}

/** Every control of a tenant, in force or not, except retired custom ones. */
export const listControlRows = prepareQuery<{ tenantId: string; now: string }, StoredControl>((queries, parameter) =>
  selectControls(queries, parameter('now')).where('tenant_id', '=', parameter('tenantId')),
);

/**
 * For each control, counts its items of evidence in the index and seeks the latest valid one there: less than half of the
 * work of grouping all of them. `isEvidenceValid` decides in the same way which items are valid.
 */
function selectControls(queries: Queries, now: string) {
  return queries
    .selectFrom('tenant_controls')
    .selectAll()
    .select(({ selectFrom }) => {
      const kept = selectFrom('control_evidence as item')
        .whereRef('item.tenant_id', '=', 'tenant_controls.tenant_id')
        .whereRef('item.tenant_control_id', '=', 'tenant_controls.id')
        .where('item.withdrawn_at', 'is', null);
      const valid = kept.where((item) => item.or([item('expires_at', 'is', null), item('expires_at', '>', now)]));
      return [
        kept
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .$asScalar()
          .$notNull()
          .as('evidence_count'),
        valid.select('item.collected_at').orderBy('item.collected_at', 'desc').limit(1).as('latest_evidence'),
      ];
    })
    .where('retired_at', 'is', null);
}

/** The adopted frameworks of a tenant, in the order of the catalogue. */
export async function listAdopted(queries: Queries, tenantId: string): Promise<readonly Framework[]> {
  const [program] = await selectProgram(queries, { tenantId });
  return readFrameworks(program?.frameworks ?? '');
}

function readFrameworks(text: string): readonly Framework[] {
  const codes = text.split(' ');
  return catalogue.frameworks.filter(({ code }) => codes.includes(code));
}

const selectProgram = prepareQuery<{ tenantId: string }, { frameworks: string }>((queries, parameter) =>
  queries.selectFrom('control_programs').select('frameworks').where('tenant_id', '=', parameter('tenantId')),
);

/** Stores the adopted frameworks of a tenant. @returns the row after the change, for its event. */
export async function saveProgram({ now, queries }: Transaction, tenantId: string, adopted: readonly Framework[]) {
  const frameworks = adopted.map(({ code }) => code).join(' ');
  return queries
    .insertInto('control_programs')
    .values({ id: newId(), tenant_id: tenantId, frameworks, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet({ frameworks, updated_at: now }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Reads an item of evidence of a control, by its row id. @throws {Problem} `not_found`. */
export async function requireEvidence(queries: Queries, tenantId: string, controlId: string, id: string) {
  const match = { tenant_id: tenantId, tenant_control_id: controlId, id };
  return requireFound(await findRow(queries, 'control_evidence', match), 'item of evidence');
}

/** Reads an item of evidence to erase: also of a control that is no longer in force. @throws {Problem} `not_found`. */
export async function requireErasableEvidence(
  queries: Queries,
  tenantId: string,
  { controlId, evidenceId }: EvidenceParams,
) {
  const item = await queries
    .selectFrom('control_evidence')
    .innerJoin('tenant_controls as control', (join) =>
      join
        .onRef('control.tenant_id', '=', 'control_evidence.tenant_id')
        .onRef('control.id', '=', 'control_evidence.tenant_control_id'),
    )
    .selectAll('control_evidence')
    .where('control_evidence.tenant_id', '=', tenantId)
    .where('control_evidence.id', '=', evidenceId)
    .where((either) => either.or([either('control.id', '=', controlId), either('control.control_id', '=', controlId)]))
    .executeTakeFirst();
  return requireFound(item, 'item of evidence');
}

/** A page of the evidence of a control, by its row id, the items added last first. */
export async function listEvidence(queries: Queries, tenantId: string, controlId: string, start: PageStart<string>) {
  const ofControl = queries
    .selectFrom('control_evidence')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('tenant_control_id', '=', controlId);
  return takeNewest(ofControl, start.after, start.limit);
}

/** The tests in use of a tenant, those of each control the oldest first. */
export const listTestsInUse = prepareQuery<{ tenantId: string }, TestFacts>((queries, parameter) =>
  selectTests(queries).where('tenant_id', '=', parameter('tenantId')).where('retired_at', 'is', null),
);

/** Each column of the latest result is one seek in an index that covers it; a join might read every result. */
function selectTests(queries: Queries) {
  return queries
    .selectFrom('control_tests')
    .select(['id', 'tenant_control_id', 'title', 'cadence', 'created_at'])
    .select(({ selectFrom }) => {
      const results = selectFrom('control_test_results as result')
        .whereRef('result.tenant_id', '=', 'control_tests.tenant_id')
        .whereRef('result.test_id', '=', 'control_tests.id');
      const latest = results.orderBy('result.tested_at', 'desc').orderBy('result.id', 'desc').limit(1);
      return [
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
    .orderBy('tenant_control_id')
    .orderBy('id');
}

/** The tests of a control, retired ones included, the oldest first. @param controlId its row id. */
export async function listTests(queries: Queries, tenantId: string, controlId: string): Promise<readonly ListedTest[]> {
  return selectTests(queries)
    .select(['procedure', 'retired_at'])
    .where('tenant_id', '=', tenantId)
    .where('tenant_control_id', '=', controlId)
    .execute();
}

/** Reads a test of a control, by its row id. @throws {Problem} `not_found`. */
export async function requireTest(queries: Queries, tenantId: string, controlId: string, id: string) {
  const test = (await listTests(queries, tenantId, controlId)).find((one) => one.id === id);
  return requireFound(test, 'test');
}

/** A page of the results of a test, the latest first; the place of each is its time and its id. */
export async function listResults(queries: Queries, tenantId: string, testId: string, start: PageStart<string>) {
  const { after, limit } = start;
  const [time, id] = after?.split(' ') ?? [];
  const query = queries
    .selectFrom('control_test_results')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('test_id', '=', testId)
    .$if(after !== null, (rest) => rest.where(sql<boolean>`(tested_at, id) < (${time}, ${id})`))
    .orderBy('tested_at', 'desc')
    .orderBy('id', 'desc');
  return takePage(query, limit, (row) => `${row.tested_at} ${row.id}`);
}
