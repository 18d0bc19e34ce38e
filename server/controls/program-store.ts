import type { Selectable } from 'kysely';
import type { RowKind } from '../audit/row-state.ts';
import type { Queries } from '../storage/database.ts';
import { newId } from '../storage/ids.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { catalogue, type Framework } from './catalogue/catalogue.ts';

export type ProgramRow = Selectable<Tables['control_programs']>;

export const programRows: RowKind<'control_programs'> = {
  table: 'control_programs',
  module: 'controls',
  noun: 'control_program',
  key: 'id',
  owner: 'tenant_id',
  counters: [],
};

/** What a tenant adopted; undefined before its first adoption. */
export async function findProgram(queries: Queries, tenantId: string): Promise<ProgramRow | undefined> {
  const [row] = await selectProgram(queries, { tenantId });
  return row;
}

const selectProgram = prepareQuery<{ tenantId: string }, ProgramRow>((queries, parameter) =>
  queries.selectFrom('control_programs').selectAll().where('tenant_id', '=', parameter('tenantId')),
);

/** The frameworks that a tenant adopted, in the order of the catalogue. */
export async function listAdopted(queries: Queries, tenantId: string): Promise<readonly Framework[]> {
  const codes = (await findProgram(queries, tenantId))?.frameworks.split(' ') ?? [];
  return catalogue.frameworks.filter(({ code }) => codes.includes(code));
}

/** Stores what a tenant adopted. @returns the row as it is now, for the event of the change. */
export async function saveProgram(
  work: UnitOfWork,
  tenantId: string,
  earlier: ProgramRow | undefined,
  adopted: readonly Framework[],
): Promise<ProgramRow> {
  const frameworks = adopted.map(({ code }) => code).join(' ');
  if (earlier !== undefined)
    return work.transaction
      .updateTable('control_programs')
      .set({ frameworks, updated_at: work.now })
      .where('id', '=', earlier.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  const row = { id: newId(), tenant_id: tenantId, frameworks, created_at: work.now, updated_at: work.now };
  await work.transaction.insertInto('control_programs').values(row).execute();
  return row;
}
