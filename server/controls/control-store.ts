import type { Selectable } from 'kysely';
import { describeRows } from '../audit/row-state.ts';
import { notFound } from '../http/problem.ts';
import type { Queries } from '../storage/database.ts';
import { newId } from '../storage/ids.ts';
import { insertRows } from '../storage/insert-rows.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { type AssessedControl, assessControl } from './assess-control.ts';
import { catalogue, type Framework } from './catalogue/catalogue.ts';
import type { ControlRow, CustomDefinition } from './control.ts';
import { readEvidenceFacts } from './evidence-store.ts';
import { readTestFacts } from './test-store.ts';

export const controlRows = describeRows('tenant_controls', 'controls', 'control');
export const programRows = describeRows('control_programs', 'controls', 'control_program');

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

/**
 * Reads one control in force.
 * @param id its `id`, or its `controlId`.
 * @throws {Problem} `not_found`.
 */
export async function requireControl(
  queries: Queries,
  tenantId: string,
  id: string,
  now: string,
): Promise<AssessedControl> {
  const row = await findControlRow(queries, tenantId, id);
  const control = row && (await assessRow(queries, row, now));
  if (!control) throw notFound('control');
  return control;
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

/** Finds a control by its `id` or its `controlId`, unless it was retired. */
export async function findControlRow(queries: Queries, tenantId: string, id: string): Promise<ControlRow | undefined> {
  return selectControls(queries, tenantId)
    .where((either) => either.or([either('id', '=', id), either('control_id', '=', id)]))
    .executeTakeFirst();
}

/** The definitions of the custom controls of a tenant that were not retired. */
export async function listCustomDefinitions(queries: Queries, tenantId: string): Promise<readonly CustomDefinition[]> {
  const rows = await selectControls(queries, tenantId).where('definition', 'is not', null).execute();
  return rows.map(({ definition }) => JSON.parse(definition as string));
}

export async function insertControls(work: UnitOfWork, rows: readonly ControlRow[]): Promise<void> {
  await insertRows(work.transaction, 'tenant_controls', rows);
}

/** Sets columns of a control. @returns the row after the change, for its event. */
export async function updateControl(
  work: UnitOfWork,
  { id, tenant_id }: ControlRow,
  columns: Partial<ControlRow>,
): Promise<ControlRow> {
  return work.transaction
    .updateTable('tenant_controls')
    .set({ ...columns, updated_at: work.now })
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The adopted frameworks of a tenant, in the order of the catalogue. */
export async function listAdopted(queries: Queries, tenantId: string): Promise<readonly Framework[]> {
  const codes = (await findProgram(queries, tenantId))?.frameworks.split(' ') ?? [];
  return catalogue.frameworks.filter(({ code }) => codes.includes(code));
}

/** The row with the adopted frameworks; undefined before the first adoption. */
export async function findProgram(queries: Queries, tenantId: string): Promise<ProgramRow | undefined> {
  const [row] = await selectProgram(queries, { tenantId });
  return row;
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
