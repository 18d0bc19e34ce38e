import { CompiledQuery, sql } from 'kysely';
import type { Queries } from '../storage/database.ts';
import { locksRows } from '../storage/database.ts';
import { insertRows } from '../storage/insert-rows.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import { rememberText } from '../storage/query-text.ts';
import type { StoredEvent } from './event.ts';

/** A delivery that this process is to attempt now. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly attempts: number;
  readonly firstAttemptAt: string | null;
  readonly reason: string | null;
  readonly responseStatus: number | null;
  readonly event: StoredEvent;
}

/** How a delivery stands after an attempt, or after it was decided that there will be none. */
export interface DeliveryState {
  readonly id: string;
  readonly status: 'pending' | 'delivered' | 'dead';
  readonly reason: string | null;
  readonly responseStatus: number | null;
  readonly attempts: number;
  readonly firstAttemptAt: string | null;
  readonly dueAt: string | null;
  readonly finishedAt: string | null;
}

/** An attempt, to be kept. */
export interface AttemptRow {
  readonly delivery_id: string;
  readonly id: string;
  readonly at: string;
  readonly outcome: string;
  readonly response_status: number | null;
  readonly message: string | null;
  readonly excerpt: string | null;
  readonly timing: string;
}

/** Enabled endpoints that have something waiting, with the time at which the next of it is due. */
export const listWaitingEndpoints = prepareQuery<object, { id: string; due_at: string | null }>((queries) =>
  queries
    .selectFrom('webhook_endpoints as endpoint')
    .select((row) => [
      'endpoint.id',
      row
        .selectFrom('webhook_deliveries as delivery')
        .select('delivery.due_at')
        .whereRef('delivery.endpoint_id', '=', 'endpoint.id')
        .where('delivery.due_at', 'is not', null)
        .where('delivery.claimed_by', 'is', null)
        .orderBy('delivery.due_at')
        .orderBy('delivery.id')
        .limit(sql.lit(1))
        .as('due_at'),
    ])
    .where('endpoint.status', '=', sql.lit('enabled'))
    .where('endpoint.deleted_at', 'is', null),
);

/**
 * Claims what is due to an endpoint, oldest first; on PostgreSQL past what another process is claiming.
 * @param limit at most so many.
 */
export async function claimDeliveries(
  queries: Queries,
  claim: { readonly endpointId: string; readonly sender: string; readonly now: string; readonly limit: number },
): Promise<readonly ClaimedDelivery[]> {
  const text = rememberText(queries, 'claim deliveries', () => {
    const skipped = locksRows(queries) ? sql`for update skip locked` : sql``;
    return sql`
      with next as materialized (
        select id from webhook_deliveries
        where endpoint_id = ${''} and due_at <= ${''} and due_at is not null and claimed_by is null
        order by due_at, id limit ${0} ${skipped}
      )
      update webhook_deliveries set claimed_by = ${''} where id in (select id from next)
      returning id`;
  });
  const { endpointId, now, limit, sender } = claim;
  const { rows } = await queries.executeQuery<{ id: string }>(
    CompiledQuery.raw(text, [endpointId, now, limit, sender]),
  );
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const claimed = await queries
    .selectFrom('webhook_deliveries as delivery')
    .innerJoin('webhook_events as event', 'event.id', 'delivery.event_id')
    .select([
      'delivery.id',
      'delivery.attempts',
      'delivery.first_attempt_at',
      'delivery.reason',
      'delivery.response_status',
      'event.id as event_id',
      'event.tenant_id',
      'event.type',
      'event.data',
      'event.created_at',
    ])
    .where('delivery.id', 'in', ids)
    .orderBy('delivery.id')
    .execute();
  return claimed.map((row) => ({
    id: row.id,
    attempts: row.attempts,
    firstAttemptAt: row.first_attempt_at,
    reason: row.reason,
    responseStatus: row.response_status,
    event: { id: row.event_id, tenant_id: row.tenant_id, type: row.type, data: row.data, created_at: row.created_at },
  }));
}

/** Writes attempts, and how their deliveries stand now; what another process has taken over meanwhile stays as it is. */
export async function finishAttempts(
  queries: Queries,
  sender: string,
  attempts: readonly AttemptRow[],
  states: readonly DeliveryState[],
): Promise<void> {
  await insertRows(queries, 'webhook_attempts', attempts);
  for (let start = 0; start < states.length; ) {
    const size = Math.min(mostStates, 2 ** Math.floor(Math.log2(states.length - start)));
    const values = states
      .slice(start, start + size)
      .flatMap((state) => [
        state.id,
        state.status,
        state.reason,
        state.responseStatus,
        state.attempts,
        state.firstAttemptAt,
        state.dueAt,
        state.finishedAt,
      ]);
    await queries.executeQuery(CompiledQuery.raw(finishText(queries, size), [...values, sender]));
    start += size;
  }
}

const mostStates = 128;

function finishText(queries: Queries, size: number): string {
  return rememberText(queries, `finish deliveries ${size}`, () => {
    const text = () => sql`cast(${''} as text)`;
    const number = () => sql`cast(${0} as integer)`;
    const row = () => sql`(${text()}, ${text()}, ${text()}, ${number()}, ${number()}, ${text()}, ${text()}, ${text()})`;
    return sql`
      with done (id, status, reason, response_status, attempts, first_attempt_at, due_at, finished_at)
      as (values ${sql.join(Array.from({ length: size }, row))})
      update webhook_deliveries set
        status = done.status, reason = done.reason, response_status = done.response_status, attempts = done.attempts,
        first_attempt_at = done.first_attempt_at, due_at = done.due_at, finished_at = done.finished_at, claimed_by = null
      from done where webhook_deliveries.id = done.id and webhook_deliveries.claimed_by = ${''}`;
  });
}

/** Frees what a process has claimed and does not attempt any more. */
export async function releaseDeliveries(queries: Queries, sender: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await queries
    .updateTable('webhook_deliveries')
    .set({ claimed_by: null })
    .where('id', 'in', ids)
    .where('claimed_by', '=', sender)
    .execute();
}

/** How an endpoint fares. */
export interface EndpointHealth {
  /** When the failures began that no success has ended; null while all is well. */
  readonly failingSince: string | null;
  readonly lastError: string | null;
}

/** Finds how an endpoint fares. */
export async function findHealth(queries: Queries, endpointId: string): Promise<EndpointHealth> {
  const [row] = await selectHealth(queries, { endpointId });
  return row ?? { failingSince: null, lastError: null };
}

const selectHealth = prepareQuery<{ endpointId: string }, EndpointHealth>((queries, parameter) =>
  queries
    .selectFrom('webhook_health')
    .select(['failing_since as failingSince', 'last_error as lastError'])
    .where('endpoint_id', '=', parameter('endpointId')),
);

/** Notes how an endpoint fares. */
export async function saveHealth(queries: Queries, endpointId: string, health: EndpointHealth): Promise<void> {
  const values = { failing_since: health.failingSince, last_error: health.lastError };
  await queries
    .insertInto('webhook_health')
    .values({ endpoint_id: endpointId, ...values })
    .onConflict((conflict) => conflict.column('endpoint_id').doUpdateSet(values))
    .execute();
}

/**
 * Ends what waits for endpoints that take nothing any more, a batch at a time: canceled where the endpoint was deleted,
 * a dead letter where it was disabled.
 * @returns whether there may be more.
 */
export async function endStranded(queries: Queries, now: string): Promise<boolean> {
  const { rows } = await sql<{ id: string; deleted_at: string | null }>`
    select id, deleted_at from webhook_endpoints as endpoint
    where (deleted_at is not null or status = 'disabled') and exists (
      select 1 from webhook_deliveries as delivery
      where delivery.endpoint_id = endpoint.id and delivery.due_at is not null and delivery.claimed_by is null)
    limit 1`.execute(queries);
  const [endpoint] = rows;
  if (endpoint === undefined) return false;
  const [status, reason] =
    endpoint.deleted_at === null ? (['dead', 'endpoint_disabled'] as const) : (['canceled', null] as const);
  const skipped = locksRows(queries) ? sql`for update skip locked` : sql``;
  await sql`
    with next as materialized (
      select id from webhook_deliveries
      where endpoint_id = ${endpoint.id} and due_at is not null and claimed_by is null
      order by due_at, id limit ${sql.lit(strandedBatch)} ${skipped}
    )
    update webhook_deliveries set
      status = ${status}, reason = coalesce(reason, cast(${reason} as text)), due_at = null, finished_at = ${now}
    where id in (select id from next)`.execute(queries);
  return true;
}

const strandedBatch = 500;
