import { CompiledQuery, sql } from 'kysely';
import type { ByteCache } from '../../storage/cache.ts';
import type { Transaction } from '../../storage/database.ts';
import { databaseTime, locksRows, type Queries } from '../../storage/queries.ts';
import { insertRows, isDistributed, rememberText } from '../../storage/rows.ts';
import type { AttemptRow, DeliveryRow } from '../deliveries/delivery.ts';
import type { StoredEvent } from '../deliveries/event.ts';
import { countOutcomes, type WebhookOutcome } from '../deliveries/statistics-store.ts';
import { isUnclaimed, leaseMilliseconds } from '../deliveries/store.ts';
import { type Endpoint, findEndpoint } from '../endpoints/store.ts';
import {
  type ClaimedDelivery,
  type ClaimedRow,
  type DeliveryState,
  type EndedAttempt,
  isWithinWindow,
  type Lease,
  type SentEvent,
  writeBody,
} from './attempt.ts';
import { changeHealth, describeExhausted, emitNews, type HealthChange, planHealthChange } from './health.ts';

/** The events that were sent last, by their tenants and ids. */
export type SentEvents = ByteCache<SentEvent>;

export interface WaitingEndpoint {
  readonly tenant_id: string;
  readonly id: string;
  /** enabled, paused, disabled or deleted. */
  readonly status: string;
  /** When the next of what is not claimed is due; null when all is claimed. */
  readonly dueAt: string | null;
}

/** Lists the endpoints that have something waiting: their number is what it costs, not that of all there are. */
export async function listWaitingEndpoints(queries: Queries): Promise<readonly WaitingEndpoint[]> {
  const text = rememberText(
    queries,
    'waiting endpoints',
    () => sql`
      with ${isDistributed(queries) ? waitingOfNodes : waiting}
      select endpoint.tenant_id, endpoint.id,
        case when endpoint.deleted_at is null then endpoint.status else 'deleted' end as status,
        (
          select due_at from webhook_deliveries as delivery
          where delivery.tenant_id = endpoint.tenant_id and delivery.endpoint_id = endpoint.id and due_at is not null and ${isUnclaimed(queries)}
          order by due_at, id limit 1
        ) as "dueAt"
      from waiting join webhook_endpoints as endpoint
        on endpoint.tenant_id = waiting.tenant_id and endpoint.id = waiting.id`,
  );
  const { rows } = await queries.executeQuery<WaitingEndpoint>(CompiledQuery.raw(text, []));
  return rows;
}

/** One step into the index finds each. */
const waiting = sql`recursive waiting (tenant_id, id) as (
        select * from (
          select tenant_id, endpoint_id from webhook_deliveries where due_at is not null
          order by tenant_id, endpoint_id limit 1
        ) as first
        union all
        select next.tenant_id, next.endpoint_id
        from waiting join webhook_deliveries as next on (next.tenant_id, next.id) = (
          select tenant_id, id from webhook_deliveries
          where due_at is not null and (tenant_id, endpoint_id) > (waiting.tenant_id, waiting.id)
          order by tenant_id, endpoint_id limit 1
        )
      )`;

/** A node has no recursive query of its own: its costs grow with what waits. */
const waitingOfNodes = sql`waiting (tenant_id, id) as (
        select distinct tenant_id, endpoint_id from webhook_deliveries where due_at is not null
      )`;

/** A claim of what is due to an endpoint. */
export interface DeliveryClaim {
  readonly endpoint: Endpoint;
  /** The end of its lease, from {@link startLease}. */
  readonly until: string;
  readonly limit: number;
}

/**
 * Claims the due deliveries of an endpoint, oldest first; on PostgreSQL skips those that another server is claiming. What can
 * no longer be tried, because its 24 hours are over, is ended.
 * @param sent the events that need not be read again.
 * @returns the deliveries to be attempted now; the ids of those that had no event, and were deleted; and whether more may be due.
 */
export async function claimDeliveries(tx: Transaction, { endpoint, until, limit }: DeliveryClaim, sent: SentEvents) {
  const { queries, now } = tx;
  const { tenant_id: tenantId, id: endpointId } = endpoint;
  const text = rememberText(queries, 'claim deliveries', () => {
    const skipped = locksRows(queries) ? sql`for update skip locked` : sql``;
    return sql`
      with next as materialized (
        select id from webhook_deliveries
        where tenant_id = ${''} and endpoint_id = ${''} and due_at <= ${''} and due_at is not null
          and ${isUnclaimed(queries)}
        order by due_at, id limit ${0} ${skipped}
      )
      update webhook_deliveries set claimed_until = ${''}
      where tenant_id = ${''} and id in (select id from next)
      returning tenant_id, id, event_id, attempts, first_attempt_at, reason, response_status, redelivery_of`;
  });
  const { rows } = await queries.executeQuery<ClaimedRow & Pick<DeliveryRow, 'redelivery_of'>>(
    CompiledQuery.raw(text, [tenantId, endpointId, now, limit, until, tenantId]),
  );
  // An erasure cancels what waits, but its event can be delivered again, without the values: maybe not by this process.
  for (const { event_id, redelivery_of } of rows) if (redelivery_of !== null) sent.delete(`${tenantId} ${event_id}`);
  const events = await readEvents(queries, tenantId, rows, sent);
  const deliveries: ClaimedDelivery[] = [];
  const expired: ClaimedDelivery[] = [];
  const orphaned: string[] = [];
  for (const { redelivery_of: _, ...row } of rows) {
    const event = events.get(row.event_id);
    if (event === undefined) orphaned.push(row.id);
    else if (isWithinWindow(row.first_attempt_at, now)) deliveries.push({ ...row, claimed_until: until, event });
    else expired.push({ ...row, claimed_until: until, event });
  }
  if (orphaned.length > 0) await deleteOrphaned(queries, tenantId, orphaned);
  if (expired.length > 0) await endExpired(tx, endpoint, expired);
  deliveries.sort((one, other) => (one.id < other.id ? -1 : 1));
  return { deliveries, orphaned, hasMore: rows.length === limit };
}

/** Deletes deliveries without their event, which only a damaged database has: they must not keep the others from being sent. */
async function deleteOrphaned(queries: Queries, tenantId: string, ids: readonly string[]): Promise<void> {
  const attempts = queries.deleteFrom('webhook_attempts').where('tenant_id', '=', tenantId);
  await attempts.where('delivery_id', 'in', ids).execute();
  const deliveries = queries.deleteFrom('webhook_deliveries').where('tenant_id', '=', tenantId);
  await deliveries.where('id', 'in', ids).execute();
}

/** Makes deliveries dead letters whose 24 hours are over. */
async function endExpired(tx: Transaction, endpoint: Endpoint, expired: readonly ClaimedDelivery[]): Promise<void> {
  const ended = expired.map((delivery) => {
    const { event: _, ...row } = delivery;
    return { delivery, state: { ...row, status: 'dead', due_at: null } as const };
  });
  const states = ended.map(({ state }) => state);
  const written = await finishAttempts(tx.queries, tx.now, [], states);
  await emitNews(tx, endpoint, describeExhausted(endpoint, ended));
  const outcome = { endpoint, result: 'dead', responseTime: null } as const;
  await countOutcomes(tx.queries, tx.now, Array(written.size).fill(outcome));
}

/** The deliveries whose leases go on: an erasure cancels also what is claimed. */
export async function listClaimed(queries: Queries, claimed: readonly Lease[]): Promise<ReadonlySet<string>> {
  const filled = fill(claimed);
  const text = rememberText(queries, `list ${filled.length} claimed`, () => {
    const keys = sql.join(filled.map(() => sql`(${''}, ${''}, ${''})`));
    return sql`select id from webhook_deliveries where (tenant_id, id, claimed_until) in (values ${keys})`;
  });
  const keys = filled.flatMap(({ tenant_id, id, claimed_until }) => [tenant_id, id, claimed_until]);
  const { rows } = await queries.executeQuery<{ id: string }>(CompiledQuery.raw(text, keys));
  return new Set(rows.map(({ id }) => id));
}

/** Reads the events of deliveries of a tenant, with their bodies. */
async function readEvents(
  queries: Queries,
  tenantId: string,
  rows: readonly ClaimedRow[],
  sent: SentEvents,
): Promise<ReadonlyMap<string, SentEvent>> {
  const events = new Map<string, SentEvent>();
  const unknown = new Set<string>();
  for (const { event_id: id } of rows) {
    const event = sent.get(`${tenantId} ${id}`);
    if (event === undefined) unknown.add(id);
    else events.set(id, event);
  }
  if (unknown.size === 0) return events;
  const ids = fill([...unknown]);
  const text = rememberText(
    queries,
    `read ${ids.length} events`,
    () => sql`select * from webhook_events where tenant_id = ${''} and id in (${listOf(ids.length)})`,
  );
  const { rows: found } = await queries.executeQuery<StoredEvent>(CompiledQuery.raw(text, [tenantId, ...ids]));
  for (const stored of found) {
    const { id, type, trace_parent: traceParent } = stored;
    const event = { id, type, body: Buffer.from(writeBody(stored)), traceParent };
    events.set(stored.id, event);
    sent.set(`${tenantId} ${stored.id}`, event, event.body.length);
  }
  return events;
}

/** Fills a list of values up to a power of two, so that there are few statements to prepare. */
function fill<Value>(values: readonly Value[]): readonly Value[] {
  const filled = [...values];
  for (const size = 2 ** Math.ceil(Math.log2(values.length)); filled.length < size; )
    filled.push(values.at(-1) as Value);
  return filled;
}

function listOf(size: number) {
  return sql.join(Array.from({ length: size }, () => sql.val('')));
}

/** Writes attempts that ended, and what follows: what is due next, the health of their endpoints, events for other endpoints. */
export async function writeAttempts(tx: Transaction, ended: readonly EndedAttempt[]): Promise<void> {
  if (ended.length === 0) return;
  const { queries, now } = tx;
  const changes: HealthChange[] = [];
  for (const attempts of Map.groupBy(ended, ({ endpoint }) => endpoint.id).values()) {
    const [{ endpoint }] = attempts as [EndedAttempt];
    const found = await findEndpoint(queries, endpoint.tenant_id, endpoint.id);
    // All was well and is: most attempts end here.
    const wasWell = found === undefined || found.failing_since === null;
    if (wasWell && attempts.every(({ state }) => state.status === 'delivered')) continue;
    changes.push(planHealthChange(endpoint, found, attempts, now));
  }
  if (changes.length > 0) {
    // Before the rows of the endpoints.
    const lost = changes.filter(({ lostFor }) => lostFor !== null);
    await tx.lockTenant(...lost.map(({ endpoint }) => endpoint.tenant_id));
    changes.sort(({ endpoint: one }, { endpoint: other }) => (one.id < other.id ? -1 : 1));
  }
  const written = await finishAttempts(
    queries,
    now,
    ended.map(({ row }) => row),
    ended.map(({ state }) => state),
  );
  if (changes.length > 0) await changeHealth(tx, changes, written);
  // The last lock of the transaction, for several servers may send to one endpoint. What a repeated commit wrote before
  // is not counted again.
  const outcomes = ended.filter(({ state }) => written.has(state.id)).flatMap(listOutcomes);
  await countOutcomes(queries, now, outcomes);
}

function listOutcomes({ endpoint, state, responseTime }: EndedAttempt): readonly WebhookOutcome[] {
  if (state.status === 'delivered') return [{ endpoint, result: 'delivered', responseTime }];
  const failed = { endpoint, result: 'failed', responseTime } as const;
  return state.status === 'dead' ? [failed, { endpoint, result: 'dead', responseTime: null }] : [failed];
}

/**
 * Writes attempts and the new states of their deliveries, except of those that were canceled, or claimed again after the lease
 * of the attempt had expired. Deliveries with the same state share a statement: that costs SQLite a quarter of an update from a list of rows.
 * @returns the ids of those that were written.
 */
export async function finishAttempts(
  queries: Queries,
  now: string,
  attempts: readonly AttemptRow[],
  states: readonly DeliveryState[],
): Promise<ReadonlySet<string>> {
  const written = new Set<string>();
  for (const same of Map.groupBy(states, nameState).values()) {
    const [{ tenant_id, status, reason, response_status, attempts: count, first_attempt_at, due_at, claimed_until }] =
      same as [DeliveryState];
    const finishedAt = due_at === null ? now : null;
    const values = [
      status,
      reason,
      response_status,
      count,
      first_attempt_at,
      due_at,
      finishedAt,
      tenant_id,
      claimed_until,
    ];
    for (let start = 0; start < same.length; start += mostFinished) {
      const ids = fill(same.slice(start, start + mostFinished).map(({ id }) => id));
      const text = rememberText(
        queries,
        `finish ${ids.length} deliveries`,
        () => sql`
          update webhook_deliveries set
            status = ${''}, reason = ${''}, response_status = ${0}, attempts = ${0}, first_attempt_at = ${''},
            due_at = ${''}, finished_at = ${''}, claimed_until = null
          where tenant_id = ${''} and claimed_until = ${''} and id in (${listOf(ids.length)})
          returning id`,
      );
      const { rows } = await queries.executeQuery<{ id: string }>(CompiledQuery.raw(text, [...values, ...ids]));
      for (const { id } of rows) written.add(id);
    }
  }
  // An erasure may have canceled a delivery meanwhile, and the receiver may have repeated what it was sent.
  const rows = attempts.map((row) => (written.has(row.delivery_id) ? row : { ...row, excerpt: null }));
  // A commit whose answer was lost is done again, although it may have succeeded: the rows may be there.
  await insertRows(queries, 'webhook_attempts', rows, { skipsPresent: true });
  return written;
}

/** Everything but the id: states of one name are written by one statement. */
function nameState(state: DeliveryState): string {
  const { tenant_id, status, reason, response_status, attempts, first_attempt_at, due_at, claimed_until } = state;
  return `${tenant_id} ${status} ${reason} ${response_status} ${attempts} ${first_attempt_at} ${due_at} ${claimed_until}`;
}

const mostFinished = 128;

/** Ends a batch of what waits for an endpoint that takes nothing any more: canceled where it was deleted, else dead. */
export async function endUndeliverable(
  queries: Queries,
  now: string,
  endpoint: Pick<WaitingEndpoint, 'tenant_id' | 'id' | 'status'>,
): Promise<void> {
  const [status, reason] =
    endpoint.status === 'deleted' ? (['canceled', null] as const) : (['dead', 'endpoint_disabled'] as const);
  const skipped = locksRows(queries) ? sql`for update skip locked` : sql``;
  const { numAffectedRows } = await sql`
    with next as materialized (
      select id from webhook_deliveries
      where tenant_id = ${endpoint.tenant_id} and endpoint_id = ${endpoint.id} and due_at is not null
        and ${isUnclaimed(queries)}
      order by due_at, id limit ${sql.lit(undeliverableBatch)} ${skipped}
    )
    update webhook_deliveries set
      status = ${status}, reason = coalesce(reason, cast(${reason} as text)), due_at = null, claimed_until = null,
      finished_at = ${now}
    where tenant_id = ${endpoint.tenant_id} and id in (select id from next)`.execute(queries);
  const outcome = { endpoint, result: 'dead', responseTime: null } as const;
  if (status === 'dead') await countOutcomes(queries, now, Array(Number(numAffectedRows)).fill(outcome));
}

const undeliverableBatch = 500;

/** A lease on what is claimed in a transaction. It starts after earlier leases have expired, so its end identifies it. */
export async function startLease(queries: Queries): Promise<string> {
  const text = rememberText(
    queries,
    'start lease',
    () => sql`select ${databaseTime(queries, leaseMilliseconds)} as until`,
  );
  const { rows } = await queries.executeQuery<{ until: string }>(CompiledQuery.raw(text, []));
  return (rows[0] as { readonly until: string }).until;
}

/** Ends the leases on deliveries that are not attempted any more, so that they can be claimed again. */
export async function releaseDeliveries(queries: Queries, claimed: readonly Lease[]): Promise<void> {
  for (const { tenant_id, id, claimed_until } of claimed)
    await queries
      .updateTable('webhook_deliveries')
      .set({ claimed_until: null })
      .where('tenant_id', '=', tenant_id)
      .where('id', '=', id)
      .where('claimed_until', '=', claimed_until)
      .execute();
}

/** Ends every lease. */
export async function releaseAll(queries: Queries): Promise<void> {
  await queries
    .updateTable('webhook_deliveries')
    .set({ claimed_until: null })
    .where('due_at', 'is not', null)
    .where('claimed_until', 'is not', null)
    .execute();
}
