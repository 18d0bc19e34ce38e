import { setImmediate as turnEventLoop } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { requireFound } from '../../http/problem.ts';
import { viewRow } from '../../http/schemas.ts';
import { databaseTime, type Queries } from '../../storage/queries.ts';
import { findRow, type Page, takePage } from '../../storage/rows.ts';
import type { EndpointKey } from '../endpoints/store.ts';
import { AttemptView, DeliveryDetail, type DeliveryRow, type RedeliveryFilter, viewDelivery } from './delivery.ts';

/** A filter of the deliveries of a tenant: those that match every given field. */
export type DeliveryFilter = { readonly [Name in keyof RedeliveryFilter]?: string | null | undefined } & {
  /** Of any of these webhooks. */
  readonly webhookIds?: readonly string[];
};

/** An attempt takes 15 seconds at most, and its result is written soon after. */
export const leaseMilliseconds = 20_000;

/** Condition: no server has a lease on a delivery. One that ends later than any can is from a time when the clock was wrong. */
export function isUnclaimed(queries: Queries): RawBuilder<boolean> {
  // Twice as long: a lease that began after this statement is none of those.
  const [now, last] = [databaseTime(queries), databaseTime(queries, 2 * leaseMilliseconds)];
  return sql`(claimed_until is null or claimed_until not between ${now} and ${last})`;
}

/**
 * Makes every pending delivery of an endpoint due now: for an endpoint that is enabled again. Deliveries queued by a bulk
 * redelivery keep their times, so that new events do not wait behind them.
 */
export async function makeAllDue(queries: Queries, now: string, { tenant_id, id }: EndpointKey): Promise<void> {
  await queries
    .updateTable('webhook_deliveries')
    .set({ due_at: now })
    .where('tenant_id', '=', tenant_id)
    .where('endpoint_id', '=', id)
    .where('due_at', 'is not', null)
    .where('due_at', '>', now)
    .where(isUnclaimed(queries))
    .where((row) => row.or([row('attempts', '>', 0), row('redelivery_of', 'is', null)]))
    .execute();
}

/** Finds a delivery with its event and its attempts. @throws {Problem} `not_found`. */
export async function findDelivery(queries: Queries, tenantId: string, id: string): Promise<DeliveryDetail> {
  const row = requireFound(await findRow(queries, 'webhook_deliveries', { tenant_id: tenantId, id }), 'delivery');
  // Both are forgotten together, perhaps at this moment.
  const match = { tenant_id: tenantId, id: row.event_id };
  const event = requireFound(await findRow(queries, 'webhook_events', match), 'delivery');
  const attempts = await queries
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('delivery_id', '=', id)
    .orderBy('at')
    .orderBy('id')
    .execute();
  return {
    ...viewDelivery(row),
    event: viewRow(DeliveryDetail.shape.event, event, { data: JSON.parse(event.data) }),
    attempts: attempts.map((row) => viewRow(AttemptView, row, {})),
  };
}

/** The position of a delivery in the order of creation: its time and its id, with a space between them. */
export type Place = string;

export function placeOf({ created_at, id }: Pick<DeliveryRow, 'created_at' | 'id'>): Place {
  return `${created_at} ${id}`;
}

/** A walk through deliveries of a tenant, in one order or the other. */
export interface Walk {
  readonly tenantId: string;
  readonly filter: DeliveryFilter;
  readonly order: 'newest first' | 'oldest first';
  /** The position of the last delivery that was read; null at the start. */
  readonly after: Place | null;
  /** Oldest first: deliveries that were created later are left out. */
  readonly until?: Place;
}

/** How many deliveries are read for one page at most, so that a filter that matches few does not block others. */
export const mostLookedAt = 5000;

/**
 * Takes the next deliveries of a walk.
 * @returns them, and where the walk goes on: null when it has come to its end. With an unindexed filter there may be more although
 *   fewer than `limit` came.
 */
export async function walkDeliveries(queries: Queries, walk: Walk, limit: number): Promise<Page<DeliveryRow>> {
  const end = unindexed(walk.filter).length > 0 ? await findEnd(queries, walk) : null;
  let query = inOrder(queries, walk, end).selectAll();
  for (const condition of unindexed(walk.filter)) query = query.where(condition);
  const page = await takePage(query, limit, placeOf);
  return { ...page, next: page.next ?? end };
}

/** Counts the deliveries that a walk meets, some at a time: others get their turn in between. Not within a transaction. */
export async function countDeliveries(queries: Queries, walk: Walk): Promise<number> {
  let total = 0;
  for (let after = walk.after; ; ) {
    const rest = { ...walk, after };
    const end = await findEnd(queries, rest);
    let query = inRange(queries, rest, end).select(({ fn }) => fn.countAll<number>().as('count'));
    for (const condition of unindexed(walk.filter)) query = query.where(condition);
    total += Number((await query.executeTakeFirstOrThrow()).count);
    if (end === null) return total;
    after = end;
    await turnEventLoop();
  }
}

/** The last delivery that may be looked at; null when there are not so many. */
async function findEnd(queries: Queries, walk: Walk): Promise<Place | null> {
  const row = await inOrder(queries, walk, null)
    .select(['created_at', 'id'])
    .limit(sql.lit(1))
    .offset(sql.lit(mostLookedAt - 1))
    .executeTakeFirst();
  return row === undefined ? null : placeOf(row);
}

function inOrder(queries: Queries, walk: Walk, end: Place | null) {
  const direction = walk.order === 'newest first' ? 'desc' : 'asc';
  return inRange(queries, walk, end).orderBy('created_at', direction).orderBy('id', direction);
}

function inRange(queries: Queries, walk: Walk, end: Place | null) {
  const { status, webhookId } = walk.filter;
  let query = queries.selectFrom('webhook_deliveries').where('tenant_id', '=', walk.tenantId);
  // Written out: for a value that is bound, SQLite cannot know that the index of dead letters holds it.
  if (status === 'dead') query = query.where('status', '=', sql.lit('dead'));
  if (webhookId) query = query.where('endpoint_id', '=', webhookId);
  for (const bound of boundsOf(walk, end)) query = query.where(bound);
  return query;
}

/** One bound on either side, the narrower one: of two, SQLite may take the wider and read what lies between. */
function boundsOf({ order, after, until, filter: { from, to } }: Walk, end: Place | null) {
  const notBefore = from ? [sql<boolean>`created_at >= ${from}`] : [];
  const before = to ? [sql<boolean>`created_at < ${to}`] : [];
  if (order === 'newest first') {
    return [...(end === null ? notBefore : [compare('>=', end)]), ...(after === null ? before : [compare('<', after)])];
  }
  // A place is less than a time if its own time is.
  const last = end ?? (until && (!to || until < to) ? until : null);
  return [...(after === null ? notBefore : [compare('>', after)]), ...(last === null ? before : [compare('<=', last)])];
}

function compare(operator: '<' | '<=' | '>' | '>=', place: Place): RawBuilder<boolean> {
  const [createdAt, id] = place.split(' ');
  return sql`(created_at, id) ${sql.raw(operator)} (${createdAt}, ${id})`;
}

/** Conditions that no index serves, unlike dead letters: deliveries are read to check whether they match. */
function unindexed({ status, eventType, reason, webhookIds }: DeliveryFilter): readonly RawBuilder<boolean>[] {
  const wanted = { status: status === 'dead' ? null : status, event_type: eventType, reason };
  const equal = Object.entries(wanted)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([column, value]) => sql<boolean>`${sql.ref(column)} = ${value}`);
  return webhookIds === undefined ? equal : [...equal, sql<boolean>`endpoint_id in (${sql.join(webhookIds)})`];
}
