import type { RowKind } from '../audit/row-state.ts';
import type { Queries } from '../storage/database.ts';
import { insertRows } from '../storage/insert-rows.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { ControlRow } from './assessed-control.ts';
import type { OwnDefinition } from './control.ts';

export const controlRows: RowKind<'tenant_controls'> = {
  table: 'tenant_controls',
  module: 'controls',
  noun: 'control',
  key: 'id',
  owner: 'tenant_id',
  counters: [],
};

/** Every control of a tenant but its own that it retired, in force or not. */
export const listControlRows = prepareQuery<{ tenantId: string }, ControlRow>((queries, parameter) =>
  queries
    .selectFrom('tenant_controls')
    .selectAll()
    .where('tenant_id', '=', parameter('tenantId'))
    .where('retired_at', 'is', null),
);

/** One control by its id in the tenant, or by the id that it has in the catalogue; no retired one. */
export async function findControlRow(queries: Queries, tenantId: string, id: string): Promise<ControlRow | undefined> {
  const [row] = await selectControlRow(queries, { tenantId, id });
  return row;
}

const selectControlRow = prepareQuery<{ tenantId: string; id: string }, ControlRow>((queries, parameter) =>
  queries
    .selectFrom('tenant_controls')
    .selectAll()
    .where('tenant_id', '=', parameter('tenantId'))
    .where('retired_at', 'is', null)
    .where((either) => either.or([either('id', '=', parameter('id')), either('control_id', '=', parameter('id'))])),
);

/** What the controls of the tenant's own are that it has not retired. */
export async function listOwnDefinitions(queries: Queries, tenantId: string): Promise<readonly OwnDefinition[]> {
  const rows = await queries
    .selectFrom('tenant_controls')
    .select('definition')
    .where('tenant_id', '=', tenantId)
    .where('definition', 'is not', null)
    .where('retired_at', 'is', null)
    .execute();
  return rows.map(({ definition }) => JSON.parse(definition as string) as OwnDefinition);
}

export async function insertControls(work: UnitOfWork, rows: readonly ControlRow[]): Promise<void> {
  await insertRows(work.transaction, 'tenant_controls', rows);
}

/** Sets columns of a control. @returns the row as it is now, for the event of the change. */
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
