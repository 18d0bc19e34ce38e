import { type Selectable, sql } from 'kysely';
import type { Queries } from '../storage/database.ts';
import { inBatches } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import type { Opening } from './commitment.ts';

/** The canonical text of an event contains this if it has commitments: quotes inside texts are escaped. */
export const commitmentsMark = '"commitments":{';

/** The openings of events that are not erased, by the number of their event. */
export async function readOpenings(
  queries: Queries,
  tenantId: string,
  events: readonly { readonly sequence: number; readonly entry: string }[],
): Promise<ReadonlyMap<number, readonly Opening[]>> {
  const numbers = events.filter(({ entry }) => entry.includes(commitmentsMark)).map(({ sequence }) => sequence);
  const rows = await inBatches(numbers, (some) =>
    queries
      .selectFrom('audit_openings')
      .select(['sequence', 'path', 'salt', 'value'])
      .where('tenant_id', '=', tenantId)
      .where('sequence', 'in', some)
      .where('value', 'is not', null)
      .orderBy('sequence')
      .orderBy('path')
      .execute(),
  );
  const found = new Map<number, Opening[]>();
  for (const { sequence, ...opening } of rows)
    found.set(sequence, [...(found.get(sequence) ?? []), opening as Opening]);
  return found;
}

/** Every opening of the events after `start` up to `end`, and the erased ones, whose values are null. */
export function readOpeningRows(
  queries: Queries,
  tenantId: string,
  start: number,
  end: number,
): Promise<readonly Selectable<Tables['audit_openings']>[]> {
  return queries
    .selectFrom('audit_openings')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('sequence', '>', start)
    .where('sequence', '<=', end)
    .orderBy('sequence')
    .execute();
}

/** An opening whose event is not there. */
export async function findStrayOpening(queries: Queries, tenantId: string) {
  return queries
    .selectFrom('audit_openings as opening')
    .select('sequence')
    .where('tenant_id', '=', tenantId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('audit_events as event')
            .select('event.id')
            .whereRef('event.tenant_id', '=', 'opening.tenant_id')
            .whereRef('event.sequence', '=', 'opening.sequence'),
        ),
      ),
    )
    .limit(sql.lit(1))
    .executeTakeFirst();
}

/**
 * Clears the openings of a value in the audit log of a tenant: at most 1,000 events at a time. The caller records an event
 * that names them (`describeErasure`) in the same unit of work, and calls again until there are none.
 * @returns the numbers of the events, in order.
 */
export async function clearOpenings(queries: Queries, tenantId: string, value: string): Promise<readonly number[]> {
  const ofValue = queries
    .selectFrom('audit_openings')
    .select(['sequence', 'path'])
    .where('tenant_id', '=', tenantId)
    .where(sql`substr(value, 1, 200)`, '=', sql`substr(${value}, 1, 200)`)
    .where('value', '=', value);
  const found = await ofValue.orderBy('sequence').limit(sql.lit(mostCleared)).execute();
  for (const [path, rows] of Map.groupBy(found, (row) => row.path)) {
    await queries
      .updateTable('audit_openings')
      .set({ salt: null, value: null })
      .where('tenant_id', '=', tenantId)
      .where(
        'sequence',
        'in',
        rows.map(({ sequence }) => sequence),
      )
      .where('path', '=', path)
      .execute();
  }
  return [...new Set(found.map(({ sequence }) => sequence))];
}

const mostCleared = 1000;
