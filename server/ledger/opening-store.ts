import { type Selectable, sql } from 'kysely';
import type { Queries, UnitOfWork } from '../storage/database.ts';
import { inBatches } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import type { Opening } from './entry.ts';
import { type EntryName, nameEntry } from './erasure-log.ts';
import { noteErased } from './erasure-store.ts';
import type { OpeningName } from './erasures.ts';

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

/** What was cleared. */
export interface ClearedOpenings {
  readonly openings: readonly OpeningName[];
  /** Whether there may be more to clear. */
  readonly hasMore: boolean;
}

/**
 * Clears the openings of a value in the audit log of a tenant: at most 1,000 at a time. The caller records an event that
 * names them (`recordErasure`) in the same unit of work, and calls again while there are more.
 * @param through the last event that is looked at; null for all.
 */
export async function clearOpenings(
  work: UnitOfWork,
  tenantId: string,
  value: string,
  through: number | null = null,
): Promise<ClearedOpenings> {
  const { transaction: queries } = work;
  const found = await selectOfValue(queries, tenantId, value)
    .$if(through !== null, (query) => query.where('sequence', '<=', through))
    .execute();
  if (found.length > 0) {
    const hashes = await readHashes(queries, tenantId, found);
    const openings = found.map(({ sequence, path }) => [sequence, hashes.get(sequence) as string, path] as const);
    await noteErased(work, tenantId, { kind: 'openings', openings });
  }
  return clear(queries, tenantId, found);
}

/** The openings of a value. */
export function selectOfValue(queries: Queries, tenantId: string, value: string) {
  return queries
    .selectFrom('audit_openings')
    .select(['sequence', 'path'])
    .where('tenant_id', '=', tenantId)
    .where(sql`substr(value, 1, 200)`, '=', sql`substr(${value}, 1, 200)`)
    .where('value', '=', value)
    .orderBy('sequence')
    .limit(sql.lit(mostCleared));
}

/**
 * Clears the openings of the events about rows of a tenant, as `clearOpenings` does. The address of the actor stays: who
 * dealt with a row is not the person whom it is about. The caller notes the rows for `erasures.log`.
 * @param targetIds what the events are about.
 */
export async function clearOpeningsAbout(
  queries: Queries,
  tenantId: string,
  targetIds: readonly string[],
): Promise<ClearedOpenings> {
  const found = await queries
    .selectFrom('audit_events as event')
    .innerJoin('audit_openings as opening', (join) =>
      join.onRef('opening.tenant_id', '=', 'event.tenant_id').onRef('opening.sequence', '=', 'event.sequence'),
    )
    .select(['opening.sequence', 'opening.path'])
    .where('event.tenant_id', '=', tenantId)
    .where('event.target_id', 'in', targetIds)
    .where('opening.path', '<>', 'actorEmail')
    .where('opening.value', 'is not', null)
    .limit(sql.lit(mostCleared))
    .execute();
  return clear(queries, tenantId, found);
}

async function clear(queries: Queries, tenantId: string, found: readonly OpeningName[]): Promise<ClearedOpenings> {
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
  return { openings: found, hasMore: found.length === mostCleared };
}

const mostCleared = 1000;

/** Which of these openings still have a salt or a value. */
export async function findOpen(
  queries: Queries,
  tenantId: string,
  openings: readonly OpeningName[],
): Promise<readonly OpeningName[]> {
  let open: readonly OpeningName[] = [];
  for (const [path, named] of Map.groupBy(openings, (opening) => opening.path)) {
    const rows = await inBatches(
      named.map(({ sequence }) => sequence),
      (some) =>
        queries
          .selectFrom('audit_openings')
          .select(['sequence', 'path'])
          .where('tenant_id', '=', tenantId)
          .where('sequence', 'in', some)
          .where('path', '=', path)
          .where(({ or, eb }) => or([eb('salt', 'is not', null), eb('value', 'is not', null)]))
          .execute(),
    );
    open = [...open, ...rows];
  }
  return open;
}

/** The hashes of events by their numbers, as the log of erasures has them. */
async function readHashes(queries: Queries, tenantId: string, events: readonly { readonly sequence: number }[]) {
  const rows = await inBatches([...new Set(events.map(({ sequence }) => sequence))], (some) =>
    queries
      .selectFrom('audit_events')
      .select(['sequence', 'hash'])
      .where('tenant_id', '=', tenantId)
      .where('sequence', 'in', some)
      .execute(),
  );
  return new Map(rows.map(nameEntry));
}

/** The values of openings that the log of erasures names, as far as this database has them and the same events. */
export async function findOpened(
  queries: Queries,
  tenantId: string,
  openings: readonly (readonly [...EntryName, path: string])[],
): Promise<readonly string[]> {
  const events = openings.map(([sequence]) => ({ sequence }));
  const hashes = await readHashes(queries, tenantId, events);
  const rows = await inBatches([...hashes.keys()], (some) =>
    queries
      .selectFrom('audit_openings')
      .select(['sequence', 'path', 'value'])
      .where('tenant_id', '=', tenantId)
      .where('sequence', 'in', some)
      .where('value', 'is not', null)
      .execute(),
  );
  const named = new Set(openings.map((opening) => opening.join(' ')));
  const found = rows.filter(({ sequence, path }) => named.has([sequence, hashes.get(sequence), path].join(' ')));
  return [...new Set(found.map(({ value }) => value as string))];
}
