import { type Selectable, sql } from 'kysely';
import type { RowKind } from '../audit/row-state.ts';
import type { Queries } from '../storage/database.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';

export type ResultRow = Selectable<Tables['control_test_results']>;

export const resultRows: RowKind<'control_test_results'> = {
  table: 'control_test_results',
  module: 'controls',
  noun: 'control_test_result',
  key: 'id',
  owner: 'tenant_id',
  counters: [],
};

export async function insertResult(work: UnitOfWork, row: ResultRow): Promise<void> {
  await work.transaction.insertInto('control_test_results').values(row).execute();
}

/** A place in the list of results, which is sorted by the time of the test and then by the id. */
export interface ResultPlace {
  readonly testedAt: string;
  readonly id: string;
}

/**
 * A page of the results of a test, the latest first.
 * @param before the place of the last result already seen; null for the first page.
 */
export async function listResults(
  queries: Queries,
  tenantId: string,
  testId: string,
  before: ResultPlace | null,
  limit: number,
): Promise<{ readonly rows: readonly ResultRow[]; readonly next: ResultPlace | null }> {
  let query = queries
    .selectFrom('control_test_results')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('test_id', '=', testId)
    .orderBy('tested_at', 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(limit + 1));
  if (before !== null) query = query.where(sql<boolean>`(tested_at, id) < (${before.testedAt}, ${before.id})`);
  const found = await query.execute();
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const next = found.length > limit && last !== undefined ? { testedAt: last.tested_at, id: last.id } : null;
  return { rows, next };
}
