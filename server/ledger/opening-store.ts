import { type Selectable, sql } from 'kysely';
import type { Transaction } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
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
    openingsOf(queries, tenantId)
      .select(['sequence', 'path', 'salt', 'value'])
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

/** An opening as it is stored; erased, its salt and value are null. */
export type OpeningRow = Selectable<Tables['audit_openings']>;

/** Every opening of the events after `start` up to `end`, and the erased ones, by the number of their event. */
export async function readOpeningRows(
  queries: Queries,
  tenantId: string,
  start: number,
  end: number,
): Promise<ReadonlyMap<number, readonly OpeningRow[]>> {
  const openings = openingsOf(queries, tenantId).selectAll();
  const inRange = openings.where('sequence', '>', start).where('sequence', '<=', end);
  return Map.groupBy(await inRange.orderBy('sequence').execute(), ({ sequence }) => sequence);
}

function openingsOf(queries: Queries, tenantId: string) {
  return queries.selectFrom('audit_openings').where('tenant_id', '=', tenantId);
}

/** An opening whose event is not there. */
export async function findStrayOpening(queries: Queries, tenantId: string) {
  const { rows } = await sql<{ readonly sequence: number }>`
    select sequence from audit_openings as opening where tenant_id = ${tenantId} and not exists (
      select 1 from audit_events where tenant_id = opening.tenant_id and sequence = opening.sequence
    ) limit 1`.execute(queries);
  return rows[0];
}

/** The openings that one step cleared. */
export interface ClearedOpenings {
  readonly openings: readonly OpeningName[];
  /** True if there may be more to clear. */
  readonly hasMore: boolean;
}

/**
 * Clears the openings of a value in the audit log of a tenant: at most 1,000 at a time. The caller records an event that
 * names them (`recordErasure`) in the same transaction, and calls again while there are more.
 * @param through the last event that is looked at; null for all.
 */
export async function clearOpenings(
  tx: Transaction,
  tenantId: string,
  value: string,
  through: number | null = null,
): Promise<ClearedOpenings> {
  const { queries } = tx;
  const found = await selectOfValue(queries, tenantId, value)
    .$if(through !== null, (query) => query.where('sequence', '<=', through))
    .execute();
  if (found.length > 0) {
    const hashes = await readHashes(queries, tenantId, found);
    const openings = found.map(({ sequence, path }) => [sequence, hashes.get(sequence) as string, path] as const);
    await noteErased(tx, tenantId, { kind: 'openings', openings });
  }
  return clear(queries, tenantId, found);
}

/** The openings of a value. */
export function selectOfValue(queries: Queries, tenantId: string, value: string) {
  return openingsOf(queries, tenantId)
    .select(['sequence', 'path'])
    .where(sql`substr(value, 1, 200)`, '=', sql`substr(${value}, 1, 200)`)
    .where('value', '=', value)
    .orderBy('sequence')
    .limit(sql.lit(mostCleared));
}

/**
 * Clears the openings of the events about rows of a tenant, as `clearOpenings` does. The address of the actor stays:
 * the actor who dealt with a row is not the person whom it is about. The caller notes the rows for `erasures.log`.
 * @param targetIds the ids of the rows that the events are about.
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
    const sequences = rows.map(({ sequence }) => sequence);
    await queries
      .updateTable('audit_openings')
      .set({ salt: null, value: null })
      .where('tenant_id', '=', tenantId)
      .where('sequence', 'in', sequences)
      .where('path', '=', path)
      .execute();
  }
  return { openings: found, hasMore: found.length === mostCleared };
}

const mostCleared = 1000;

/** Finds the openings of a list that still have a salt or a value. */
export async function findOpen(
  queries: Queries,
  tenantId: string,
  openings: readonly OpeningName[],
): Promise<readonly OpeningName[]> {
  let open: readonly OpeningName[] = [];
  for (const [path, named] of Map.groupBy(openings, (opening) => opening.path)) {
    const sequences = named.map(({ sequence }) => sequence);
    const rows = await inBatches(sequences, (some) =>
      openingsOf(queries, tenantId)
        .select(['sequence', 'path'])
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
    openingsOf(queries, tenantId)
      .select(['sequence', 'path', 'value'])
      .where('sequence', 'in', some)
      .where('value', 'is not', null)
      .execute(),
  );
  const named = new Set(openings.map((opening) => opening.join(' ')));
  const found = rows.filter(({ sequence, path }) => named.has([sequence, hashes.get(sequence), path].join(' ')));
  return [...new Set(found.map(({ value }) => value as string))];
}
