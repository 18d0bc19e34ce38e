import { type Selectable, sql } from 'kysely';
import type { AuditSource } from '../../http/principal.ts';
import { Problem, requireFound } from '../../http/problem.ts';
import { viewRow } from '../../http/schemas.ts';
import { addTime, type Database, type Outcome, runTransaction, type Transaction } from '../../storage/database.ts';
import { locksRows, type Queries } from '../../storage/queries.ts';
import { findRow, insertRow, insertRows, isDistributed, newId, takeNewest } from '../../storage/rows.ts';
import type { Tables } from '../../storage/tables.ts';
import { holdEvents, markRedelivered, newRedelivery, record, requireReceiver } from './changes.ts';
import { type RedeliveryFilter, type RedeliveryInput, RedeliveryView } from './delivery.ts';
import { announceDeliveries } from './outbox.ts';
import { countDeliveries, placeOf, type Walk, walkDeliveries } from './store.ts';

type RedeliveryRow = Selectable<Tables['webhook_redeliveries']>;

export function viewRedelivery(row: RedeliveryRow): RedeliveryView {
  return viewRow(RedeliveryView, row, { filter: readFilter(row) });
}

function readFilter({ filter }: Pick<RedeliveryRow, 'filter'>): RedeliveryFilter {
  return JSON.parse(filter);
}

/** Finds an order of a tenant. @throws {Problem} `not_found`. */
export async function findRedelivery(queries: Queries, tenantId: string, id: string): Promise<RedeliveryView> {
  const row = await findRow(queries, 'webhook_redeliveries', { tenant_id: tenantId, id });
  return viewRedelivery(requireFound(row, 'redelivery'));
}

/**
 * Makes the row of an order; an order without matching deliveries is finished at once. It counts the matches, so it
 * runs before the transaction is opened.
 * @throws {Problem} `not_found`, `webhook_deleted`, `webhook_not_enabled`.
 */
export async function prepareOrder(
  queries: Queries,
  now: string,
  tenantId: string,
  input: RedeliveryInput,
): Promise<RedeliveryRow> {
  const { webhookId = null, status, reason = null, eventType = null, from = null, to = null } = input;
  if (webhookId !== null) await requireReceiver(queries, tenantId, webhookId);
  const filter: RedeliveryFilter = { webhookId, status, reason, eventType, from, to };
  const order: RedeliveryRow = {
    id: newId(),
    tenant_id: tenantId,
    status: 'finished',
    filter: JSON.stringify(filter),
    total: 0,
    queued: 0,
    position: null,
    created_at: now,
    finished_at: now,
  };
  const receivers = await listReceivers(queries, order);
  const total = receivers.length === 0 ? 0 : await countDeliveries(queries, walkOf(order, receivers));
  return total === 0 ? order : { ...order, status: 'running', total, finished_at: null };
}

/**
 * Prepares an order, unless one is running.
 * @throws {Problem} `not_found`, `webhook_deleted`, `webhook_not_enabled`, `webhook_redelivery_running`.
 */
export async function prepareRedelivery(queries: Queries, now: string, source: AuditSource, input: RedeliveryInput) {
  const running = await findRunning(queries, source.tenantId);
  if (running !== null) throw running;
  return { source, order: await prepareOrder(queries, now, source.tenantId, input) };
}

/** An order that is ready to be given, and who gives it. */
type PreparedOrder = Awaited<ReturnType<typeof prepareRedelivery>>;

async function findRunning(queries: Queries, tenantId: string): Promise<Problem | null> {
  const running = await queries
    .selectFrom('webhook_redeliveries')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('status', '=', sql.lit('running'))
    .executeTakeFirst();
  if (running === undefined) return null;
  return new Problem('webhook_redelivery_running', `Wait for the order ${running.id} to finish, or cancel it.`);
}

/**
 * Orders that all deliveries that fit are sent again. One order of a tenant is carried out at a time: another is rejected with
 * `webhook_redelivery_running`.
 */
export async function orderRedeliveries(
  tx: Transaction,
  prepared: readonly PreparedOrder[],
): Promise<readonly Outcome<RedeliveryView>[]> {
  await tx.lockTenant(...prepared.map(({ source }) => source.tenantId));
  const outcomes: Outcome<RedeliveryView>[] = [];
  for (const one of prepared) outcomes.push(await orderRedelivery(tx, one));
  return outcomes;
}

async function orderRedelivery(tx: Transaction, { source, order }: PreparedOrder): Promise<Outcome<RedeliveryView>> {
  const { queries } = tx;
  const running = await findRunning(queries, source.tenantId);
  if (running !== null) return { error: running };
  await insertRow(queries, 'webhook_redeliveries', order);
  await record(tx, source, 'webhook_redelivery.ordered', order.id, { filter: readFilter(order), total: order.total });
  return { result: viewRedelivery(order) };
}

/** Ends an order: what it has queued is sent. One that has ended stays as it is. @throws {Problem} `not_found`. */
export async function cancelRedelivery(tx: Transaction, source: AuditSource, id: string): Promise<RedeliveryView> {
  const { queries, now } = tx;
  const { tenantId } = source;
  await tx.lockTenant(tenantId);
  const canceled = await queries
    .updateTable('webhook_redeliveries')
    .set({ status: 'canceled', finished_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'running')
    .returningAll()
    .executeTakeFirst();
  if (canceled === undefined) return findRedelivery(queries, tenantId, id);
  const { queued, total } = canceled;
  await record(tx, source, 'webhook_redelivery.canceled', id, { queued, total });
  return viewRedelivery(canceled);
}

/** So many deliveries are queued in one transaction: some 15 milliseconds, which others may have to wait for. */
const batch = 500;
const perSecond = 100;

/**
 * Carries out a part of an order to send deliveries again, in one transaction that also stores its progress: a process
 * that ends in the middle leaves nothing half done. On PostgreSQL several processes may do this at once.
 * @returns true if there was something to do, so that there may be more.
 */
export function stepRedeliveries(database: Database, now: string): Promise<boolean> {
  return runTransaction(database, now, async (tx) => {
    const { queries } = tx;
    const order = await takeRunning(queries);
    if (order === undefined) return false;
    const receivers = await listReceivers(queries, order, true);
    const { rows, next } =
      receivers.length === 0
        ? { rows: [], next: null }
        : await walkDeliveries(queries, walkOf(order, receivers), batch);
    const fitting = await holdEvents(queries, order.tenant_id, rows);
    const ids = fitting.map(({ id }) => id);
    // A caller may have sent one of them again meanwhile.
    const isMarked = readFilter(order).status === 'dead';
    const marked = isMarked ? await markRedelivered(queries, order.tenant_id, fitting) : new Set(ids);
    // After the place of their order, also by the clock of a server that is late: the order never meets what it makes.
    const created_at = now > order.created_at ? now : addTime(order.created_at, 1);
    // At a rate, so that what happens meanwhile does not wait behind all of it.
    const dueAt = (index: number) => {
      const time = addTime(order.created_at, ((order.queued + index) * 1000) / perSecond);
      return time > now ? time : now;
    };
    const deliveries = fitting
      .filter(({ id }) => marked.has(id))
      .map((row, index) => ({ ...newRedelivery(row, now), created_at, due_at: dueAt(index) }));
    await insertRows(queries, 'webhook_deliveries', deliveries);
    await queries
      .updateTable('webhook_redeliveries')
      .set({
        queued: order.queued + deliveries.length,
        ...(next === null ? { status: 'finished', finished_at: now } : { position: next }),
      })
      .where('tenant_id', '=', order.tenant_id)
      .where('id', '=', order.id)
      .execute();
    announceDeliveries(tx, receivers, deliveries);
    return true;
  });
}

/**
 * Takes the order, of any tenant, of which least is done, so that a large one keeps none waiting; on PostgreSQL past
 * those that another process works at. It stays locked until the transaction ends.
 */
async function takeRunning(queries: Queries): Promise<RedeliveryRow | undefined> {
  const running = queries
    .selectFrom('webhook_redeliveries')
    .selectAll()
    .where('status', '=', sql.lit('running'))
    .orderBy('queued')
    .orderBy('id');
  const first = running.limit(sql.lit(1));
  if (!isDistributed(queries)) return (locksRows(queries) ? first.forUpdate().skipLocked() : first).executeTakeFirst();
  // A row is locked on the node of its tenant.
  for (const { tenant_id, id } of await running.execute()) {
    const one = running.where('tenant_id', '=', tenant_id).where('id', '=', id);
    const taken = await one.forUpdate().skipLocked().executeTakeFirst();
    if (taken !== undefined) return taken;
  }
  return undefined;
}

type Receivers = readonly { readonly id: string; readonly status: string }[];

/**
 * Finds the endpoints that an order may send to, now or when they are enabled again: not those that were deleted or that the
 * server disabled.
 * @param areLocked keeps them as they are until the transaction ends.
 */
function listReceivers(queries: Queries, order: RedeliveryRow, areLocked = false): Promise<Receivers> {
  const { webhookId } = readFilter(order);
  let query = queries
    .selectFrom('webhook_endpoints')
    .select(['id', 'status'])
    .where('tenant_id', '=', order.tenant_id)
    .where('deleted_at', 'is', null)
    .where('status', '!=', 'disabled')
    .orderBy('id');
  if (webhookId !== null) query = query.where('id', '=', webhookId);
  if (areLocked && locksRows(queries)) query = query.forShare();
  return query.execute();
}

/** The deliveries that fit an order. Those that it makes itself come later than its own place, and are none. */
function walkOf(order: RedeliveryRow, receivers: Receivers): Walk {
  const filter = readFilter(order);
  return {
    tenantId: order.tenant_id,
    filter: filter.webhookId === null ? { ...filter, webhookIds: receivers.map(({ id }) => id) } : filter,
    order: 'oldest first',
    after: order.position,
    until: placeOf(order),
  };
}

/** A page of the orders of a tenant, newest first. */
export function listRedeliveries(queries: Queries, tenantId: string, after: string | null, limit: number) {
  const query = queries.selectFrom('webhook_redeliveries').selectAll().where('tenant_id', '=', tenantId);
  return takeNewest(query, after, limit);
}
