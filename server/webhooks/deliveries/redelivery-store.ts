import { type Selectable, sql } from 'kysely';
import { viewRow } from '../../http/view-row.ts';
import { locksRows, type Queries } from '../../storage/database.ts';
import { mapPage, type Page, takeNewest } from '../../storage/page.ts';
import { findRow, insertRow } from '../../storage/rows.ts';
import type { Tables } from '../../storage/tables.ts';
import type { UnitOfWork } from '../../storage/unit-of-work.ts';
import { type DeliveryRow, type RedeliveryFilter, RedeliveryView } from './delivery.ts';
import { byStatus, countDeliveries, type Place, readPlace, type Walk, walkDeliveries, writePlace } from './store.ts';

type RedeliveryRow = Selectable<Tables['webhook_redeliveries']>;

/** An order that is carried out. */
export interface RunningRedelivery extends RedeliveryView {
  readonly tenantId: string;
  /** The last delivery that was looked at; null before the first. */
  readonly position: Place | null;
}

/** An endpoint that takes deliveries, now or when it is enabled again. */
export interface Receiver {
  readonly id: string;
  readonly isEnabled: boolean;
}

/**
 * Finds the endpoints that an order may send to: not those that were deleted or that the server disabled.
 * @param areLocked keeps them as they are until the transaction ends.
 */
export async function listReceivers(
  queries: Queries,
  tenantId: string,
  webhookId: string | null,
  areLocked = false,
): Promise<readonly Receiver[]> {
  let query = queries
    .selectFrom('webhook_endpoints')
    .select(['id', 'status'])
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null)
    .where('status', '!=', 'disabled')
    .orderBy('id');
  if (webhookId !== null) query = query.where('id', '=', webhookId);
  if (areLocked && locksRows(queries)) query = query.forShare();
  return (await query.execute()).map(({ id, status }) => ({ id, isEnabled: status === 'enabled' }));
}

/** Keeps the events of deliveries from being forgotten until the transaction ends. @returns the deliveries that still have theirs. */
export async function holdEvents(queries: Queries, rows: readonly DeliveryRow[]): Promise<readonly DeliveryRow[]> {
  // SQLite has one writer at a time, and a delivery goes with its event.
  if (rows.length === 0 || !locksRows(queries)) return rows;
  const ids = [...new Set(rows.map((row) => row.event_id))];
  const events = await queries
    .selectFrom('webhook_events')
    .select('id')
    .where('id', 'in', ids)
    .orderBy('id')
    .forKeyShare()
    .execute();
  const held = new Set(events.map(({ id }) => id));
  return rows.filter((row) => held.has(row.event_id));
}

/**
 * Notes that dead letters are sent again.
 * @param rows of one tenant: asking for the tenant once more would lead SQLite to an index of all that it has.
 * @returns the ids of those that were dead letters until now.
 */
export async function markRedelivered(queries: Queries, rows: readonly DeliveryRow[]): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  const marked = await queries
    .updateTable('webhook_deliveries')
    .set({ status: 'redelivered' })
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    .where('status', '=', 'dead')
    .returning('id')
    .execute();
  return new Set(marked.map(({ id }) => id));
}

/** How many deliveries fit that were created up to a place. */
export function countFitting(
  queries: Queries,
  tenantId: string,
  filter: RedeliveryFilter,
  receivers: readonly Receiver[],
  until: Place,
): Promise<number> {
  if (receivers.length === 0) return Promise.resolve(0);
  return countDeliveries(queries, { ...toWalk(tenantId, filter, receivers), until });
}

/** Stores an order; one that nothing fits is finished at once. */
export async function insertRedelivery(
  work: UnitOfWork,
  tenantId: string,
  order: { readonly id: string; readonly filter: RedeliveryFilter; readonly total: number },
): Promise<RedeliveryView> {
  const isFinished = order.total === 0;
  const row = await insertRow(work.transaction, 'webhook_redeliveries', {
    id: order.id,
    tenant_id: tenantId,
    filter: JSON.stringify(order.filter),
    status: isFinished ? 'finished' : 'running',
    total: order.total,
    queued: 0,
    position: null,
    created_at: work.now,
    finished_at: isFinished ? work.now : null,
  });
  return readRedelivery(row);
}

/** Finds the order of a tenant that is carried out. */
export async function findRunning(queries: Queries, tenantId: string): Promise<string | undefined> {
  const row = await queries
    .selectFrom('webhook_redeliveries')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('status', '=', sql.lit('running'))
    .executeTakeFirst();
  return row?.id;
}

/** Finds an order of a tenant. */
export async function findRedelivery(
  queries: Queries,
  tenantId: string,
  id: string,
): Promise<RedeliveryView | undefined> {
  const row = await findRow(queries, 'webhook_redeliveries', { tenant_id: tenantId, id });
  return row && readRedelivery(row);
}

/**
 * A page of the orders of a tenant, newest first.
 * @param before the id of the last order already seen; null for the first page.
 */
export async function listRedeliveries(
  queries: Queries,
  tenantId: string,
  before: string | null,
  limit: number,
): Promise<Page<RedeliveryView>> {
  const query = queries.selectFrom('webhook_redeliveries').selectAll().where('tenant_id', '=', tenantId);
  return mapPage(await takeNewest(query, before, limit), readRedelivery);
}

/** Ends an order that is carried out. @returns it; nothing when it had ended already. */
export async function cancelRunning(
  work: UnitOfWork,
  tenantId: string,
  id: string,
): Promise<RedeliveryView | undefined> {
  const row = await work.transaction
    .updateTable('webhook_redeliveries')
    .set({ status: 'canceled', finished_at: work.now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'running')
    .returningAll()
    .executeTakeFirst();
  return row && readRedelivery(row);
}

/**
 * Takes the order, of any tenant, of which least is done, so that a large one keeps none waiting; on PostgreSQL past
 * those that another process works at. It stays locked until the transaction ends.
 */
export async function takeRunning(queries: Queries): Promise<RunningRedelivery | undefined> {
  const query = queries
    .selectFrom('webhook_redeliveries')
    .selectAll()
    .where('status', '=', sql.lit('running'))
    .orderBy('queued')
    .orderBy('id')
    .limit(sql.lit(1));
  const row = await (locksRows(queries) ? query.forUpdate().skipLocked() : query).executeTakeFirst();
  if (row === undefined) return undefined;
  const position = row.position === null ? null : readPlace(row.position);
  return { ...readRedelivery(row), tenantId: row.tenant_id, position };
}

/** Takes the next deliveries that fit an order. Those that it made itself come later than its own place, and are none. */
export function takeFitting(
  queries: Queries,
  { tenantId, filter, position, createdAt, id }: RunningRedelivery,
  receivers: readonly Receiver[],
  limit: number,
): Promise<{ readonly rows: readonly DeliveryRow[]; readonly next: Place | null }> {
  const walk = { ...toWalk(tenantId, filter, receivers), order: 'oldest first', after: position } as const;
  return walkDeliveries(queries, { ...walk, until: { createdAt, id } }, limit);
}

/** Stores how far an order has come. */
export async function saveProgress(
  queries: Queries,
  { id, queued }: Pick<RunningRedelivery, 'id' | 'queued'>,
  more: { readonly position: Place | null; readonly queued: number; readonly now: string },
): Promise<void> {
  const { position } = more;
  await queries
    .updateTable('webhook_redeliveries')
    .set({
      queued: queued + more.queued,
      ...(position === null ? { status: 'finished', finished_at: more.now } : { position: writePlace(position) }),
    })
    .where('id', '=', id)
    .execute();
}

function toWalk(
  tenantId: string,
  { webhookId, status, from, to, eventType, reason }: RedeliveryFilter,
  receivers: readonly Receiver[],
): Omit<Walk, 'order' | 'after'> {
  const { isDead, status: unindexedStatus } = byStatus(status);
  return {
    tenantId,
    isDead,
    webhookId: webhookId ?? undefined,
    from: from ?? undefined,
    to: to ?? undefined,
    unindexed: {
      status: unindexedStatus,
      eventType: eventType ?? undefined,
      reason: reason ?? undefined,
      webhookIds: webhookId === null ? receivers.map((receiver) => receiver.id) : undefined,
    },
  };
}

function readRedelivery(row: RedeliveryRow): RedeliveryView {
  return viewRow(RedeliveryView, row, { filter: JSON.parse(row.filter) });
}
