import { CompiledQuery, sql } from 'kysely';
import type { ByteCache } from '../../storage/cache.ts';
import { databaseTime, locksRows, type Queries } from '../../storage/queries.ts';
import { insertRows, rememberText } from '../../storage/rows.ts';
import type { AttemptRow, DeliveryRow } from '../deliveries/delivery.ts';
import { type StoredEvent, writeBody } from '../deliveries/event.ts';
import { countOutcomes } from '../deliveries/statistics-store.ts';
import { isUnclaimed, leaseMilliseconds } from '../deliveries/store.ts';
import type { EndpointKey } from '../endpoints/store.ts';

type ClaimedRow = Pick<
  DeliveryRow,
  'tenant_id' | 'id' | 'event_id' | 'attempts' | 'first_attempt_at' | 'reason' | 'response_status'
>;

/** What identifies the lease of a server on a delivery. */
export type Lease = Pick<DeliveryRow, 'tenant_id' | 'id'> & { readonly claimed_until: string };

/** A delivery that this process is to attempt now. */
export type ClaimedDelivery = ClaimedRow & Lease & { readonly event: SentEvent };

/** An event with the body of its deliveries: the same bytes for every endpoint and each attempt. */
export interface SentEvent {
  readonly id: string;
  readonly type: string;
  readonly body: Buffer;
}

/** The events that were sent last, by their ids. */
export type SentEvents = ByteCache<SentEvent>;

/** The state of a delivery after an attempt, or after it was decided that there will be none. */
export type DeliveryState = Omit<ClaimedRow, 'event_id'> &
  Lease & {
    readonly status: 'pending' | 'delivered' | 'dead';
    /** Null for a delivery that is finished. */
    readonly due_at: string | null;
  };

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
      with recursive waiting (tenant_id, id) as (
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
      )
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

interface DeliveryClaim {
  readonly endpoint: EndpointKey;
  readonly until: string;
  readonly now: string;
  readonly limit: number;
}

/**
 * Claims the due deliveries of an endpoint, oldest first; on PostgreSQL skips those that another process is claiming.
 * @param sent the events that need not be read again.
 * @returns also the ids of those that had no event, and were deleted.
 */
export async function claimDeliveries(
  queries: Queries,
  { endpoint, until, now, limit }: DeliveryClaim,
  sent: SentEvents,
): Promise<{ readonly deliveries: readonly ClaimedDelivery[]; readonly orphaned: readonly string[] }> {
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
  const { tenant_id: tenantId, id: endpointId } = endpoint;
  const { rows: claimed } = await queries.executeQuery<ClaimedRow & Pick<DeliveryRow, 'redelivery_of'>>(
    CompiledQuery.raw(text, [tenantId, endpointId, now, limit, until, tenantId]),
  );
  // An erasure cancels what waits, but its event can be delivered again, without the values: maybe not by this process.
  for (const { event_id, redelivery_of } of claimed) if (redelivery_of !== null) sent.delete(`${tenantId} ${event_id}`);
  const rows = claimed.map(({ redelivery_of: _, ...row }) => ({ ...row, claimed_until: until }));
  const events = await readEvents(queries, tenantId, [...new Set(rows.map(({ event_id }) => event_id))], sent);
  // Only a damaged database has deliveries without their event. They must not keep the others from being sent.
  const orphaned = rows.filter(({ event_id }) => !events.has(event_id)).map(({ id }) => id);
  if (orphaned.length > 0) {
    const attempts = queries.deleteFrom('webhook_attempts').where('tenant_id', '=', tenantId);
    await attempts.where('delivery_id', 'in', orphaned).execute();
    const removal = queries.deleteFrom('webhook_deliveries').where('tenant_id', '=', tenantId);
    await removal.where('id', 'in', orphaned).execute();
  }
  const deliveries = rows
    .filter(({ event_id }) => events.has(event_id))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((row) => ({ ...row, event: events.get(row.event_id) as SentEvent }));
  return { deliveries, orphaned };
}

/** The deliveries whose leases go on: an erasure cancels also what is claimed. */
export async function listClaimed(queries: Queries, claimed: readonly Lease[]): Promise<ReadonlySet<string>> {
  const size = sizeFor(claimed);
  const text = rememberText(queries, `list ${size} claimed`, () => {
    const keys = sql.join(Array.from({ length: size }, () => sql`(${''}, ${''}, ${''})`));
    return sql`select id from webhook_deliveries where (tenant_id, id, claimed_until) in (values ${keys})`;
  });
  const keys = fill(claimed).flatMap(({ tenant_id, id, claimed_until }) => [tenant_id, id, claimed_until]);
  const { rows } = await queries.executeQuery<{ id: string }>(CompiledQuery.raw(text, keys));
  return new Set(rows.map(({ id }) => id));
}

async function readEvents(
  queries: Queries,
  tenantId: string,
  ids: readonly string[],
  sent: SentEvents,
): Promise<ReadonlyMap<string, SentEvent>> {
  const events = new Map(
    ids.map((id) => [id, sent.get(`${tenantId} ${id}`)] as const).filter(([, event]) => event !== undefined),
  );
  const unknown = ids.filter((id) => !events.has(id));
  if (unknown.length > 0) {
    const text = rememberText(
      queries,
      `read ${sizeFor(unknown)} events`,
      () => sql`select * from webhook_events where tenant_id = ${''} and id in (${listOf(sizeFor(unknown))})`,
    );
    const { rows } = await queries.executeQuery<StoredEvent>(CompiledQuery.raw(text, [tenantId, ...fill(unknown)]));
    for (const { id, type, ...row } of rows) {
      const event = { id, type, body: Buffer.from(writeBody({ id, type, ...row })) };
      events.set(id, event);
      sent.set(`${tenantId} ${id}`, event, event.body.length);
    }
  }
  return events as ReadonlyMap<string, SentEvent>;
}

/** Lists of values are filled up to a power of two, so that there are few statements to prepare. */
function sizeFor(values: readonly unknown[]): number {
  return 2 ** Math.ceil(Math.log2(values.length));
}

function fill<Value>(values: readonly Value[]): readonly Value[] {
  return Array.from({ length: sizeFor(values) }, (_, index) => values[Math.min(index, values.length - 1)] as Value);
}

function listOf(size: number) {
  return sql.join(Array.from({ length: size }, () => sql.val('')));
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
      const ids = same.slice(start, start + mostFinished).map(({ id }) => id);
      const text = rememberText(
        queries,
        `finish ${sizeFor(ids)} deliveries`,
        () => sql`
          update webhook_deliveries set
            status = ${''}, reason = ${''}, response_status = ${0}, attempts = ${0}, first_attempt_at = ${''},
            due_at = ${''}, finished_at = ${''}, claimed_until = null
          where tenant_id = ${''} and claimed_until = ${''} and id in (${listOf(sizeFor(ids))})
          returning id`,
      );
      const { rows } = await queries.executeQuery<{ id: string }>(CompiledQuery.raw(text, [...values, ...fill(ids)]));
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
export async function endStranded(
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
      order by due_at, id limit ${sql.lit(strandedBatch)} ${skipped}
    )
    update webhook_deliveries set
      status = ${status}, reason = coalesce(reason, cast(${reason} as text)), due_at = null, claimed_until = null,
      finished_at = ${now}
    where tenant_id = ${endpoint.tenant_id} and id in (select id from next)`.execute(queries);
  const outcome = { endpoint, result: 'dead', responseTime: null } as const;
  if (status === 'dead') await countOutcomes(queries, now, Array(Number(numAffectedRows)).fill(outcome));
}

const strandedBatch = 500;

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
