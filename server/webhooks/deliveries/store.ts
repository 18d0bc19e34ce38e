import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import { locksRows, type Queries } from '../../storage/database.ts';
import { type Page, takePage } from '../../storage/page.ts';
import { findRow } from '../../storage/rows.ts';
import type { Tables } from '../../storage/tables.ts';
import { type DeliveryDetail, type DeliveryRow, viewDeliveryDetail } from './delivery.ts';

export interface DeliveryFilter {
  readonly status?: string | undefined;
  readonly webhookId?: string | undefined;
  readonly eventType?: string | undefined;
  readonly reason?: string | undefined;
  /** Created at this time or later. */
  readonly from?: string | undefined;
  /** Created before this time. */
  readonly to?: string | undefined;
}

/**
 * A page of the deliveries of a tenant, newest first.
 * @param after the last delivery already seen; null for the first page.
 * @returns the deliveries, and where to go on when there are more.
 */
export async function listDeliveries(
  queries: Queries,
  tenantId: string,
  { status, eventType, reason, ...range }: DeliveryFilter,
  after: Place | null,
  limit: number,
): Promise<Page<DeliveryRow, Place>> {
  const { isDead, status: unindexedStatus } = byStatus(status);
  const unindexed = { status: unindexedStatus, eventType, reason };
  return walkDeliveries(queries, { ...range, tenantId, isDead, order: 'newest first', after, unindexed }, limit);
}

/** Finds a delivery of a tenant as it is stored. */
export function findDeliveryRow(queries: Queries, tenantId: string, id: string): Promise<DeliveryRow | undefined> {
  return findRow(queries, 'webhook_deliveries', { tenant_id: tenantId, id });
}

/** Makes a delivery of a tenant due that waits. @returns it; nothing where it does not wait or an attempt is under way. */
export async function expeditePending(
  queries: Queries,
  now: string,
  tenantId: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  // What is due already keeps its place among what is.
  return updatePending(queries, tenantId, id)
    .set({ due_at: sql<string>`case when due_at > ${now} then ${now} else due_at end` })
    .returningAll()
    .executeTakeFirst();
}

/** Cancels a delivery of a tenant that waits. @returns it; nothing where it does not wait or an attempt is under way. */
export async function cancelPending(
  queries: Queries,
  now: string,
  tenantId: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  return updatePending(queries, tenantId, id)
    .set({ status: 'canceled', due_at: null, finished_at: now })
    .returningAll()
    .executeTakeFirst();
}

function updatePending(queries: Queries, tenantId: string, id: string) {
  return queries
    .updateTable('webhook_deliveries')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('claimed_by', 'is', null);
}

/**
 * Makes every pending delivery of an endpoint due now: for an endpoint that is enabled again. Deliveries queued by a bulk
 * redelivery keep their times, so that new events do not wait behind them.
 */
export async function makeAllDue(queries: Queries, now: string, endpointId: string): Promise<void> {
  await queries
    .updateTable('webhook_deliveries')
    .set({ due_at: now })
    .where('endpoint_id', '=', endpointId)
    .where('due_at', 'is not', null)
    .where('due_at', '>', now)
    .where('claimed_by', 'is', null)
    .where((row) => row.or([row('attempts', '>', 0), row('redelivery_of', 'is', null)]))
    .execute();
}

/** Finds a delivery with its event and its attempts. */
export async function findDelivery(
  queries: Queries,
  tenantId: string,
  id: string,
): Promise<DeliveryDetail | undefined> {
  const row = await findDeliveryRow(queries, tenantId, id);
  if (row === undefined) return undefined;
  const event = await findRow(queries, 'webhook_events', { tenant_id: tenantId, id: row.event_id });
  // Both are forgotten together, perhaps at this moment.
  if (event === undefined) return undefined;
  const attempts = await queries
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('delivery_id', '=', id)
    .orderBy('at')
    .orderBy('id')
    .execute();
  return viewDeliveryDetail(row, event, attempts);
}

/** A filter by status, as a walk takes it. */
export function byStatus(status: string | undefined): {
  readonly isDead: boolean;
  readonly status: string | undefined;
} {
  return status === 'dead' ? { isDead: true, status: undefined } : { isDead: false, status };
}

/** The position of a delivery in the order of creation. */
export interface Place {
  readonly createdAt: string;
  readonly id: string;
}

/** A walk through deliveries of a tenant, in one order or the other. */
export interface Walk {
  readonly tenantId: string;
  readonly order: 'newest first' | 'oldest first';
  /** What was seen already; null at the start. */
  readonly after: Place | null;
  /** Oldest first: what was created later is left out. */
  readonly until?: Place | undefined;
  /** Created at this time or later. */
  readonly from?: string | undefined;
  /** Created before this time. */
  readonly to?: string | undefined;
  /** Only dead letters, which have indexes of their own. */
  readonly isDead?: boolean | undefined;
  readonly webhookId?: string | undefined;
  readonly unindexed: UnindexedFilter;
}

/** What no index leads to: deliveries are read to see whether they fit. */
export interface UnindexedFilter {
  readonly status?: string | undefined;
  readonly eventType?: string | undefined;
  readonly reason?: string | undefined;
  readonly webhookIds?: readonly string[] | undefined;
}

/** How many deliveries are read for one page at most, so that a filter that matches few does not block others. */
export const mostLookedAt = 5000;

/**
 * Takes the next deliveries of a walk.
 * @returns them, and where the walk goes on: null when it has come to its end. With an unindexed filter there may be more although
 *   fewer than `limit` came.
 */
export async function walkDeliveries(queries: Queries, walk: Walk, limit: number): Promise<Page<DeliveryRow, Place>> {
  const isFiltered = Object.values(walk.unindexed).some((value) => value !== undefined);
  const end = isFiltered ? await findEnd(queries, walk) : null;
  const page = await takePage(inOrder(queries, walk, end).selectAll().where(passes(walk.unindexed)), limit, placeOf);
  return { ...page, next: page.next ?? end };
}

/** How many deliveries a walk would meet. */
export async function countDeliveries(queries: Queries, walk: Omit<Walk, 'after' | 'order'>): Promise<number> {
  const { count } = await inRange(queries, { ...walk, order: 'oldest first', after: null }, null)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(passes(walk.unindexed))
    .executeTakeFirstOrThrow();
  return Number(count);
}

function placeOf(row: Pick<DeliveryRow, 'created_at' | 'id'>): Place {
  return { createdAt: row.created_at, id: row.id };
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
  const { tenantId, isDead, webhookId } = walk;
  let query = queries.selectFrom('webhook_deliveries').where('tenant_id', '=', tenantId);
  // Written out: for a value that is bound, SQLite cannot know that the index of dead letters holds it.
  if (isDead) query = query.where('status', '=', sql.lit('dead'));
  if (webhookId !== undefined) query = query.where('endpoint_id', '=', webhookId);
  for (const bound of boundsOf(walk, end)) query = query.where(bound);
  return query;
}

/** One bound on either side, the narrower one: of two, SQLite may take the wider and read what lies between. */
function boundsOf({ order, after, until, from, to }: Walk, end: Place | null): readonly RawBuilder<boolean>[] {
  const notBefore = from === undefined ? [] : [sql<boolean>`created_at >= ${from}`];
  const before = to === undefined ? [] : [sql<boolean>`created_at < ${to}`];
  if (order === 'newest first') {
    return [...(end === null ? notBefore : [compare('>=', end)]), ...(after === null ? before : [compare('<', after)])];
  }
  const last = end ?? (until !== undefined && (to === undefined || until.createdAt < to) ? until : null);
  return [...(after === null ? notBefore : [compare('>', after)]), ...(last === null ? before : [compare('<=', last)])];
}

function compare(operator: '<' | '<=' | '>' | '>=', { createdAt, id }: Place): RawBuilder<boolean> {
  return sql`(created_at, id) ${sql.raw(operator)} (${createdAt}, ${id})`;
}

function passes({ status, eventType, reason, webhookIds }: UnindexedFilter) {
  return (delivery: ExpressionBuilder<Tables, 'webhook_deliveries'>) =>
    delivery.and([
      ...(status === undefined ? [] : [delivery('status', '=', status)]),
      ...(eventType === undefined ? [] : [delivery('event_type', '=', eventType)]),
      ...(reason === undefined ? [] : [delivery('reason', '=', reason)]),
      ...(webhookIds === undefined ? [] : [delivery('endpoint_id', 'in', webhookIds)]),
    ]);
}

/** A place as one text. */
export function writePlace({ createdAt, id }: Place): string {
  return `${createdAt} ${id}`;
}

/** Reads what `writePlace` wrote. */
export function readPlace(text: string): Place {
  const [createdAt = '', id = ''] = text.split(' ');
  return { createdAt, id };
}

const day = 24 * 60 * 60 * 1000;
const batch = 200;

/** What is kept of webhooks is forgotten after so many days. */
const retentionDays = 30;

/**
 * Forgets a batch of the oldest events that are older than 30 days, with their deliveries and attempts. An event that
 * was sent again stays until its last delivery is as old; what waits for a paused endpoint waits no longer either, and
 * orders to send again are forgotten too.
 * @returns whether there may be more.
 */
export async function forgetOldEvents(queries: Queries, now: string): Promise<boolean> {
  const before = new Date(Date.parse(now) - retentionDays * day).toISOString();
  // An event that is being sent again at this moment is locked.
  const skipped = locksRows(queries) ? sql`for update skip locked` : sql``;
  const { rows } = await sql<{ id: string }>`
    select id from webhook_events as event
    where created_at <= ${before} and not exists (
      select 1 from webhook_deliveries as delivery
      where delivery.event_id = event.id and (delivery.created_at > ${before} or delivery.claimed_by is not null))
    order by created_at limit ${sql.lit(batch)} ${skipped}`.execute(queries);
  await queries
    .deleteFrom('webhook_redeliveries')
    .where('created_at', '<=', before)
    .where('status', '<>', 'running')
    .execute();
  if (rows.length === 0) return false;
  const ids = rows.map(({ id }) => id);
  const deliveries = await queries
    .deleteFrom('webhook_deliveries')
    .where('event_id', 'in', ids)
    .returning('id')
    .execute();
  for (let start = 0; start < deliveries.length; start += attemptBatch) {
    const some = deliveries.slice(start, start + attemptBatch).map(({ id }) => id);
    await queries.deleteFrom('webhook_attempts').where('delivery_id', 'in', some).execute();
  }
  await queries.deleteFrom('webhook_events').where('id', 'in', ids).execute();
  return rows.length === batch;
}

const attemptBatch = 500;
