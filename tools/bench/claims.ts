import { sql } from 'kysely';
import type { Installation } from '../../server/installation/installation.ts';
import { inTransaction, type Queries } from '../../server/storage/database.ts';
import { insertEvents } from '../../server/webhooks/deliveries/outbox.ts';
import { claimInOrder, releaseNext } from '../../server/webhooks/sender/order-store.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  type DeliveryState,
  finishAttempts,
} from '../../server/webhooks/sender/store.ts';
import type { Bench, Finding } from './benchmark.ts';
import { createSite, openSite } from './site.ts';
import { spreadOf } from './slices.ts';

/** Claims of 64 where many more wait, for this endpoint and for others. */
export async function measureClaims(bench: Bench): Promise<Finding> {
  await using installation = await openSite(bench.createFolder('deliveries-claims'));
  bench.say(`  queueing ${bench.largeRows.toLocaleString('en')} deliveries …`);
  await queueDeliveries(installation, { count: bench.largeRows, endpoints: 10, keys: null });
  const { database, clock } = installation;
  const times: number[] = [];
  for (let turn = 0; turn < 1000; turn += 1) {
    const endpointId = `endpoint-${turn % 10}`;
    await inTransaction(database, async (queries) => {
      const claim = () => claimDeliveries(queries, { endpointId, sender: 'bench', now: clock(), limit: 64 });
      const claimed = await time(times, claim);
      await finishAttempts(queries, 'bench', [], claimed.map(arrive));
    });
  }
  return describeTimes(`claim of 64 where ${bench.largeRows.toLocaleString('en')} wait`, times.slice(100), 2);
}

/** Claims for endpoints that keep an order: many deliveries behind one that waits for its next try, and many subjects. */
export async function measureOrderedClaims(bench: Bench): Promise<readonly Finding[]> {
  const count = 100_000;
  const many = count.toLocaleString('en');
  return [
    describeTimes(`claim in order, ${many} behind one`, await claimBehindOne(bench, count), 5),
    describeTimes(
      `claim of 64 in order, ${many} of ${(count / 2).toLocaleString('en')} subjects`,
      await claimOfSubjects(bench, count),
      5,
    ),
  ];
}

/** Until all of them are put off, and as often again. */
async function claimBehindOne(bench: Bench, count: number): Promise<readonly number[]> {
  await using installation = await openSite(bench.createFolder('deliveries-behind'));
  await queueDeliveries(installation, { count, endpoints: 1, keys: 1 });
  const { database, clock } = installation;
  const later = new Date(Date.parse(clock()) + 12 * 60 * 60 * 1000).toISOString();
  await database.kysely
    .updateTable('webhook_deliveries')
    .set({ attempts: 1, first_attempt_at: clock(), due_at: later })
    .where('id', '=', (row) =>
      row.selectFrom('webhook_deliveries as first').select(({ fn }) => fn.min('first.id').as('id')),
    )
    .execute();
  const times: number[] = [];
  for (let isBusy = true, left = count; isBusy || left > 0; left -= 256)
    await inTransaction(database, async (queries) => {
      const { deliveries, hasMore } = await time(times, () => claimOrdered(queries, clock()));
      if (deliveries.length > 0) throw new Error('the order was not kept');
      isBusy = hasMore;
    });
  return times.slice(20);
}

/** Two deliveries wait for each subject. */
async function claimOfSubjects(bench: Bench, count: number): Promise<readonly number[]> {
  await using installation = await openSite(bench.createFolder('deliveries-subjects'));
  await queueDeliveries(installation, { count: 2 * count, endpoints: 1, keys: count });
  const { database, clock } = installation;
  const times: number[] = [];
  for (let turn = 0; turn < 1000; turn += 1)
    await inTransaction(database, async (queries) => {
      const { deliveries } = await time(times, () => claimOrdered(queries, clock()));
      await finishAttempts(queries, 'bench', [], deliveries.map(arrive));
      const places = deliveries.map(({ orderingKey }) => ({
        endpointId: 'endpoint-0',
        orderingKey: orderingKey ?? '',
      }));
      await releaseNext(queries, clock(), places);
    });
  return times.slice(20);
}

function claimOrdered(queries: Queries, now: string) {
  return claimInOrder(queries, { endpointId: 'endpoint-0', sender: 'bench', now, limit: 64 });
}

interface WantedQueue {
  readonly count: number;
  readonly endpoints: number;
  /** Among how many keys of an order they are; null for none. */
  readonly keys: number | null;
}

/** Puts deliveries of one event on their way, in one statement. */
async function queueDeliveries(installation: Installation, { count, endpoints, keys }: WantedQueue): Promise<void> {
  const { database, clock } = installation;
  const { tenantId } = await createSite(installation);
  const now = clock();
  await inTransaction(database, async (queries) => {
    const [event] = await insertEvents(queries, now, [{ tenantId, type: 'dsr.created', data: {} }]);
    if (event === undefined) throw new Error('no event was stored');
    await sql`
      insert into webhook_deliveries (
        id, tenant_id, endpoint_id, event_id, event_type, status, attempts, due_at, ordering_key, created_at
      )
      with recursive numbers (number) as (select 0 union all select number + 1 from numbers where number < ${count - 1})
      select printf('%08x-0000-7000-8000-%012x', number, number), ${tenantId}, 'endpoint-' || (number % ${sql.lit(endpoints)}),
        ${event.id}, ${event.type}, 'pending', 0, ${now}, 'key-' || (number % ${sql.lit(keys)}), ${now}
      from numbers`.execute(queries);
  });
}

async function time<Result>(times: number[], step: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  const result = await step();
  times.push(performance.now() - start);
  return result;
}

function describeTimes(what: string, times: readonly number[], atMost: number): Finding {
  const sorted = times.toSorted((a, b) => a - b);
  const worst = sorted[Math.floor(0.99 * (sorted.length - 1))] as number;
  const value = { ...spreadOf(sorted), median: worst };
  return { what: `${what}, 99 of 100`, ours: '', floor: '', value, unit: 'ms', budget: { atMost } };
}

function arrive({ id }: ClaimedDelivery): DeliveryState {
  const now = new Date().toISOString();
  const nothing = { reason: null, dueAt: null, responseStatus: 204, attempts: 1 };
  return { id, status: 'delivered', firstAttemptAt: now, finishedAt: now, ...nothing };
}
