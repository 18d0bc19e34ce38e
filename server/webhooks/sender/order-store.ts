import { CompiledQuery, sql } from 'kysely';
import { locksRows, type Queries } from '../../storage/database.ts';
import { prepareQuery } from '../../storage/prepared-query.ts';
import { rememberText } from '../../storage/query-text.ts';
import { type ClaimedDelivery, readClaimed, type WantedClaim } from './store.ts';

/** What is sent one after the other. */
export interface OrderedPlace {
  readonly endpointId: string;
  readonly orderingKey: string;
}

/** So many due deliveries are looked at for one claim, so that no number of waiting ones makes it long. */
const mostLookedAt = 256;

/**
 * What waits behind another one is put off for so long, or until that one is due: it is made due when that one has ended, and
 * this is only in case that nobody came to do it.
 */
const longestWait = 60 * 60 * 1000;
/** One that was tried already has a schedule to keep to. */
const shortWait = 60_000;

interface DueDelivery {
  readonly id: string;
  readonly attempts: number;
  readonly ordering_key: string | null;
  /** The first that waits or is under way, of those with the same key; this one where it is its turn. */
  readonly head: string | null;
  /** The one that is under way, of those with the same key. */
  readonly held: string | null;
}

/**
 * Claims what is due to an endpoint that keeps an order: of each key the first alone, and none while another one with the key
 * is under way. What waits behind others is put off, so that the next claim does not meet it again.
 * @returns what was claimed, and whether more may be due.
 */
export async function claimInOrder(
  queries: Queries,
  claim: WantedClaim,
): Promise<{ readonly deliveries: readonly ClaimedDelivery[]; readonly hasMore: boolean }> {
  // Two processes that claim at once could each find another first one, where one of them cannot see a commit yet.
  if (!(await tryAlone(queries, claim.endpointId))) return { deliveries: [], hasMore: false };
  // What was read before it was alone may be the order of before an edit.
  if (locksRows(queries) && !(await keepsOrder(queries, claim.endpointId))) return { deliveries: [], hasMore: true };
  const due = await findDue(queries, claim);
  const ready = due.filter(
    ({ id, ordering_key, head, held }) => ordering_key === null || (head === id && held === null),
  );
  const wanted = ready.slice(0, claim.limit).map(({ id }) => id);
  const ids = await claimReady(queries, claim.sender, wanted);
  const deliveries = await readClaimed(queries, ids);
  const blocked = due.filter((delivery) => !ready.includes(delivery));
  const { moved, isMended } = await putOff(queries, claim.now, blocked);
  const isCut = due.length === mostLookedAt && ids.length + moved > 0;
  return { deliveries, hasMore: isCut || isMended || ready.length > wanted.length };
}

/**
 * Makes due what comes next, after a delivery with the key has ended or was put off. In the transaction that writes this: it
 * locks that delivery, as whoever puts something off behind it does.
 */
export async function releaseNext(queries: Queries, now: string, places: readonly OrderedPlace[]): Promise<void> {
  const distinct = [...new Map(places.map((place) => [`${place.endpointId} ${place.orderingKey}`, place])).values()];
  for (let start = 0; start < distinct.length; ) {
    const size = Math.min(mostReleased, 2 ** Math.floor(Math.log2(distinct.length - start)));
    const some = distinct.slice(start, start + size);
    const values = some.flatMap(({ endpointId, orderingKey }) => [endpointId, orderingKey]);
    await queries.executeQuery(CompiledQuery.raw(releaseText(queries, size), [...values, now, now]));
    start += size;
  }
}

const mostReleased = 64;

function releaseText(queries: Queries, size: number): string {
  return rememberText(queries, `release ${size} deliveries`, () => {
    const row = () => sql`(cast(${''} as text), cast(${''} as text))`;
    return sql`
      with ended (endpoint_id, ordering_key) as (values ${sql.join(Array.from({ length: size }, row))})
      update webhook_deliveries set due_at = ${''}
      where id in (
        select (
          select id from webhook_deliveries as other
          where other.endpoint_id = ended.endpoint_id and other.ordering_key = ended.ordering_key
            and other.ordering_key is not null and other.due_at is not null
          order by id limit 1
        ) from ended
      ) and attempts = 0 and claimed_by is null and due_at > ${''}`;
  });
}

/**
 * Makes due what waits behind others: for an endpoint that is to keep another order, or none, from now on. Write that before:
 * a claim that still puts off by the order of before has ended then, and whichever begins later reads the new one.
 */
export async function releaseOrdered(queries: Queries, now: string, endpointId: string): Promise<void> {
  await waitAlone(queries, endpointId);
  await releaseLater(queries, now, endpointId)
    .where('ordering_key', 'is not', null)
    .where('attempts', '=', 0)
    .execute();
}

/**
 * Makes due all that waits for its time: for an endpoint that is taken into use again. What many redeliveries queued keeps
 * the times at which it was queued, so that what happens meanwhile does not wait behind it.
 */
export async function releaseAll(queries: Queries, now: string, endpointId: string): Promise<void> {
  await waitAlone(queries, endpointId);
  await releaseLater(queries, now, endpointId)
    .where((row) => row.or([row('attempts', '>', 0), row('redelivery_of', 'is', null)]))
    .execute();
}

/** Makes due what is not under way and waits for a later time. */
function releaseLater(queries: Queries, now: string, endpointId: string) {
  return queries
    .updateTable('webhook_deliveries')
    .set({ due_at: now })
    .where('endpoint_id', '=', endpointId)
    .where('due_at', 'is not', null)
    .where('due_at', '>', now)
    .where('claimed_by', 'is', null);
}

const claimLock = (endpointId: string) => sql`hashtextextended(${`webhook ${endpointId}`}, 0)`;

/** Whether an endpoint keeps an order. */
async function keepsOrder(queries: Queries, id: string): Promise<boolean> {
  const [row] = await selectOrdering(queries, { id });
  return row !== undefined && row.ordering !== 'none';
}

const selectOrdering = prepareQuery<{ id: string }, { readonly ordering: string }>((queries, parameter) =>
  queries.selectFrom('webhook_endpoints').select('ordering').where('id', '=', parameter('id')),
);

/** Whether this transaction alone claims for an endpoint until it ends; SQLite has one writer in any case. */
async function tryAlone(queries: Queries, endpointId: string): Promise<boolean> {
  if (!locksRows(queries)) return true;
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(${claimLock(endpointId)}) as taken`.execute(queries);
  return rows[0]?.taken === true;
}

/** Waits until no other transaction claims in order for an endpoint, and lets none until this one ends. */
async function waitAlone(queries: Queries, endpointId: string): Promise<void> {
  if (locksRows(queries)) await sql`select pg_advisory_xact_lock(${claimLock(endpointId)})`.execute(queries);
}

async function findDue(queries: Queries, { endpointId, now }: WantedClaim): Promise<readonly DueDelivery[]> {
  const text = rememberText(queries, 'due in order', () => {
    const withKey = sql`other.endpoint_id = delivery.endpoint_id and other.ordering_key = delivery.ordering_key
      and other.ordering_key is not null and other.due_at is not null`;
    return sql`
      select id, attempts, ordering_key,
        (select id from webhook_deliveries as other where ${withKey} order by id limit 1) as head,
        (select id from webhook_deliveries as other where ${withKey} and other.claimed_by is not null limit 1) as held
      from webhook_deliveries as delivery
      where endpoint_id = ${''} and due_at <= ${''} and due_at is not null and claimed_by is null
      order by due_at, id limit ${sql.lit(mostLookedAt)}`;
  });
  const { rows } = await queries.executeQuery<DueDelivery>(CompiledQuery.raw(text, [endpointId, now]));
  return rows;
}

async function claimReady(queries: Queries, sender: string, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const free = queries
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('id', 'in', ids)
    .where('due_at', 'is not', null)
    .where('claimed_by', 'is', null);
  const claimed = await queries
    .with('next', () => (locksRows(queries) ? free.forUpdate().skipLocked() : free))
    .updateTable('webhook_deliveries')
    .set({ claimed_by: sender })
    .where('id', 'in', (query) => query.selectFrom('next').select('next.id'))
    .returning('id')
    .execute();
  return claimed.map(({ id }) => id);
}

/** Puts off what waits behind others. @returns how many rows, and whether one is due after all that the others wait for. */
async function putOff(
  queries: Queries,
  now: string,
  blocked: readonly DueDelivery[],
): Promise<{ readonly moved: number; readonly isMended: boolean }> {
  if (blocked.length === 0) return { moved: 0, isMended: false };
  const waitedFor = await holdWaitedFor(queries, blocked);
  // One that was never tried and waits for none is due: what it waited for has gone another way.
  const forgotten = waitedFor.filter((one) => one.claimed_by === null && one.attempts === 0 && one.due_at > now);
  const dueTimes = new Map(waitedFor.filter((one) => !forgotten.includes(one)).map(({ id, due_at }) => [id, due_at]));
  const later = (time: number) => new Date(Date.parse(now) + time).toISOString();
  const latest = later(longestWait);
  const moves = forgotten.map(({ id }) => ({ id, to: now }));
  for (const { id, attempts, head, held } of blocked) {
    const due = dueTimes.get((held ?? head) as string);
    if (due !== undefined) moves.push({ id, to: attempts > 0 ? later(shortWait) : due > latest ? due : latest });
  }
  for (const [to, some] of Map.groupBy(moves, (move) => move.to))
    await moveDue(
      queries,
      to,
      some.map(({ id }) => id),
    );
  return { moved: moves.length, isMended: forgotten.length > 0 };
}

/** Reads what others wait for. Whoever ends it meanwhile waits, and then finds them put off and makes the next one due. */
async function holdWaitedFor(queries: Queries, blocked: readonly DueDelivery[]) {
  const ids = [...new Set(blocked.map(({ head, held }) => (held ?? head) as string))];
  const query = queries
    .selectFrom('webhook_deliveries')
    .select(['id', 'due_at', 'attempts', 'claimed_by'])
    .where('id', 'in', ids)
    .where('due_at', 'is not', null)
    .$narrowType<{ due_at: string }>();
  return (locksRows(queries) ? query.forShare().skipLocked() : query).execute();
}

async function moveDue(queries: Queries, to: string, ids: readonly string[]): Promise<void> {
  await queries
    .updateTable('webhook_deliveries')
    .set({ due_at: to })
    .where('id', 'in', ids)
    .where('due_at', 'is not', null)
    .where('claimed_by', 'is', null)
    .execute();
}
