import { CompiledQuery, sql } from 'kysely';
import type { ByteCache } from '../../storage/cache.ts';
import { locksRows, type Queries } from '../../storage/queries.ts';
import { inBatches, insertRows, prepareQuery, rememberText } from '../../storage/rows.ts';
import type { AttemptRow, DeliveryRow } from '../deliveries/delivery.ts';
import { type StoredEvent, writeBody } from '../deliveries/event.ts';
import { countOutcomes } from '../deliveries/statistics-store.ts';
import type { EndpointKey } from '../endpoints/store.ts';

type ClaimedRow = Pick<
  DeliveryRow,
  'tenant_id' | 'id' | 'event_id' | 'attempts' | 'first_attempt_at' | 'reason' | 'response_status'
>;

/** A delivery that this process is to attempt now. */
export type ClaimedDelivery = ClaimedRow & { readonly event: SentEvent };

/** An event with the body of its deliveries: the same bytes for every endpoint and each attempt. */
export interface SentEvent {
  readonly id: string;
  readonly type: string;
  readonly body: Buffer;
}

/** The events that were sent last, by their ids. */
export type SentEvents = ByteCache<SentEvent>;

/** The state of a delivery after an attempt, or after it was decided that there will be none. */
export type DeliveryState = Omit<ClaimedRow, 'event_id'> & {
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
          where delivery.tenant_id = endpoint.tenant_id and delivery.endpoint_id = endpoint.id and due_at is not null and claimed_by is null
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
  readonly sender: string;
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
  { endpoint, sender, now, limit }: DeliveryClaim,
  sent: SentEvents,
): Promise<{ readonly deliveries: readonly ClaimedDelivery[]; readonly orphaned: readonly string[] }> {
  const text = rememberText(queries, 'claim deliveries', () => {
    const skipped = locksRows(queries) ? sql`for update skip locked` : sql``;
    return sql`
      with next as materialized (
        select id from webhook_deliveries
        where tenant_id = ${''} and endpoint_id = ${''} and due_at <= ${''} and due_at is not null and claimed_by is null
        order by due_at, id limit ${0} ${skipped}
      )
      update webhook_deliveries set claimed_by = ${''}
      where tenant_id = ${''} and id in (select id from next)
      returning tenant_id, id, event_id, attempts, first_attempt_at, reason, response_status, redelivery_of`;
  });
  const { tenant_id: tenantId, id: endpointId } = endpoint;
  const { rows: claimed } = await queries.executeQuery<ClaimedRow & Pick<DeliveryRow, 'redelivery_of'>>(
    CompiledQuery.raw(text, [tenantId, endpointId, now, limit, sender, tenantId]),
  );
  // An erasure cancels what waits, but its event can be delivered again, without the values: maybe not by this process.
  for (const { event_id, redelivery_of } of claimed) if (redelivery_of !== null) sent.delete(`${tenantId} ${event_id}`);
  const rows = claimed.map(({ redelivery_of: _, ...row }) => row);
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

/** Those of some deliveries that a process has still claimed: an erasure cancels also what is claimed. */
export async function listClaimed(
  queries: Queries,
  sender: string,
  claimed: readonly Pick<ClaimedRow, 'tenant_id' | 'id'>[],
): Promise<ReadonlySet<string>> {
  const size = sizeFor(claimed);
  const text = rememberText(queries, `list ${size} claimed`, () => {
    const keys = sql.join(Array.from({ length: size }, () => sql`(${''}, ${''})`));
    return sql`select id from webhook_deliveries where claimed_by = ${''} and (tenant_id, id) in (values ${keys})`;
  });
  const keys = fill(claimed).flatMap(({ tenant_id, id }) => [tenant_id, id]);
  const { rows } = await queries.executeQuery<{ id: string }>(CompiledQuery.raw(text, [sender, ...keys]));
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
 * Writes attempts and the new states of their deliveries, except of those that another process has taken over or that were
 * canceled. Deliveries with the same state share a statement: that costs SQLite a quarter of an update from a list of rows.
 * @returns the ids of those that were written.
 */
export async function finishAttempts(
  queries: Queries,
  sender: string,
  now: string,
  attempts: readonly AttemptRow[],
  states: readonly DeliveryState[],
): Promise<ReadonlySet<string>> {
  const written = new Set<string>();
  for (const same of Map.groupBy(states, nameState).values()) {
    const [{ tenant_id, status, reason, response_status, attempts: count, first_attempt_at, due_at }] = same as [
      DeliveryState,
    ];
    const finishedAt = due_at === null ? now : null;
    const values = [status, reason, response_status, count, first_attempt_at, due_at, finishedAt, tenant_id, sender];
    for (let start = 0; start < same.length; start += mostFinished) {
      const ids = same.slice(start, start + mostFinished).map(({ id }) => id);
      const text = rememberText(
        queries,
        `finish ${sizeFor(ids)} deliveries`,
        () => sql`
          update webhook_deliveries set
            status = ${''}, reason = ${''}, response_status = ${0}, attempts = ${0}, first_attempt_at = ${''},
            due_at = ${''}, finished_at = ${''}, claimed_by = null
          where tenant_id = ${''} and claimed_by = ${''} and id in (${listOf(sizeFor(ids))})
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
  const { tenant_id, status, reason, response_status, attempts, first_attempt_at, due_at } = state;
  return `${tenant_id} ${status} ${reason} ${response_status} ${attempts} ${first_attempt_at} ${due_at}`;
}

const mostFinished = 128;

/**
 * Releases deliveries that are stored as claimed by a process that does not attempt them: claims of a commit with a
 * lost response, or of an attempt that failed. It reads all waiting deliveries, so call it only after such a failure.
 * @param readHeld returns the deliveries that the process attempts; called after its claims are read, because attempts
 *   end meanwhile.
 */
export async function releaseStrays(
  queries: Queries,
  sender: string,
  readHeld: () => ReadonlySet<string>,
): Promise<void> {
  const claimed = await queries
    .selectFrom('webhook_deliveries')
    .select(['tenant_id', 'id'])
    .where('due_at', 'is not', null)
    .where('claimed_by', '=', sender)
    .execute();
  const held = readHeld();
  const strays = claimed.filter(({ id }) => !held.has(id));
  const release = queries.updateTable('webhook_deliveries').set({ claimed_by: null }).where('claimed_by', '=', sender);
  for (const [tenantId, ofTenant] of Map.groupBy(strays, ({ tenant_id }) => tenant_id)) {
    const ids = ofTenant.map(({ id }) => id);
    await inBatches(ids, (some) => release.where('tenant_id', '=', tenantId).where('id', 'in', some).execute());
  }
}

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
      where tenant_id = ${endpoint.tenant_id} and endpoint_id = ${endpoint.id} and due_at is not null and claimed_by is null
      order by due_at, id limit ${sql.lit(strandedBatch)} ${skipped}
    )
    update webhook_deliveries set
      status = ${status}, reason = coalesce(reason, cast(${reason} as text)), due_at = null, finished_at = ${now}
    where tenant_id = ${endpoint.tenant_id} and id in (select id from next)`.execute(queries);
  const outcome = { endpoint, result: 'dead', responseTime: null } as const;
  if (status === 'dead') await countOutcomes(queries, now, Array(Number(numAffectedRows)).fill(outcome));
}

const strandedBatch = 500;

/** Says that a process is alive. @returns the beats of every process that sends. */
export async function beat(queries: Queries, sender: string): Promise<ReadonlyMap<string, number>> {
  await countBeat(queries, sender);
  const senders = await queries.selectFrom('webhook_senders').selectAll().execute();
  return new Map(senders.map(({ id, beats }) => [id, Number(beats)]));
}

async function countBeat(queries: Queries, sender: string): Promise<void> {
  await queries
    .insertInto('webhook_senders')
    .values({ id: sender, beats: 1 })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ beats: sql`webhook_senders.beats + 1` }))
    .execute();
}

/**
 * Keeps a process on the list until the transaction ends, or puts it back: a process that removes it waits, and then releases
 * what was claimed in this transaction too. The claims of a process that is not on the list would never be released. SQLite has one
 * process, which frees everything when it starts.
 */
export async function holdPlace(queries: Queries, sender: string): Promise<void> {
  if (!locksRows(queries)) return;
  const [held] = await selectPlace(queries, { sender });
  if (held === undefined) await countBeat(queries, sender);
}

// A beat does not change the key, so it does not wait for this.
const selectPlace = prepareQuery<{ sender: string }, { readonly id: string }>((queries, parameter) => {
  const query = queries.selectFrom('webhook_senders').select('id').where('id', '=', parameter('sender'));
  return locksRows(queries) ? query.forKeyShare() : query;
});

/** Takes processes off the list. */
export async function removeSenders(queries: Queries, senders: readonly string[]): Promise<void> {
  if (senders.length > 0) await queries.deleteFrom('webhook_senders').where('id', 'in', senders).execute();
}

/**
 * Frees what was claimed by processes that are not on the list. It looks at all that waits, so ask for it only when a
 * process has ended.
 * @returns how many deliveries.
 */
export async function freeOrphans(queries: Queries): Promise<number> {
  const { numUpdatedRows } = await queries
    .updateTable('webhook_deliveries')
    .set({ claimed_by: null })
    .where('due_at', 'is not', null)
    .where('claimed_by', 'is not', null)
    .where('claimed_by', 'not in', (row) => row.selectFrom('webhook_senders').select('webhook_senders.id'))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
