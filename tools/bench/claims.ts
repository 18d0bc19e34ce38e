import { sql } from 'kysely';
import type { Installation } from '../../server/installation/installation.ts';
import { ByteCache } from '../../server/storage/cache.ts';
import { inTransaction, runTransaction } from '../../server/storage/database.ts';
import { insertRow, newId } from '../../server/storage/rows.ts';
import type { Endpoint } from '../../server/webhooks/endpoints/store.ts';
import type { ClaimedDelivery, DeliveryState, SentEvent } from '../../server/webhooks/sender/attempt.ts';
import { claimDeliveries, finishAttempts, startLease } from '../../server/webhooks/sender/store.ts';
import type { Bench, Finding } from './benchmark.ts';
import { createSite, openSite } from './site.ts';
import { spreadOf } from './slices.ts';

/** Claims of 64 where many more wait, for this endpoint and for others. */
export async function measureClaims(bench: Bench): Promise<Finding> {
  await using installation = await openSite(bench.createFolder('deliveries-claims'));
  bench.say(`  queueing ${bench.largeRows.toLocaleString('en')} deliveries …`);
  const tenantId = await queueDeliveries(installation, { count: bench.largeRows, endpoints: 10 });
  const { database, clock } = installation;
  const times: number[] = [];
  const sent = new ByteCache<SentEvent>();
  for (let turn = 0; turn < 1000; turn += 1) {
    const endpoint = { tenant_id: tenantId, id: `endpoint-${turn % 10}` } as Endpoint;
    await runTransaction(database, clock(), async (tx) => {
      const until = await startLease(tx.queries);
      const claim = () => claimDeliveries(tx, { endpoint, until, limit: 64 }, sent);
      const { deliveries } = await time(times, claim);
      await finishAttempts(tx.queries, tx.now, [], deliveries.map(arrive));
    });
  }
  return describeTimes(`claim of 64 where ${bench.largeRows.toLocaleString('en')} wait`, times.slice(100), 2);
}

interface WantedQueue {
  readonly count: number;
  readonly endpoints: number;
}

/** Puts deliveries of one event on their way, in one statement. @returns their tenant. */
async function queueDeliveries(installation: Installation, { count, endpoints }: WantedQueue): Promise<string> {
  const { database, clock } = installation;
  const { tenantId } = await createSite(installation);
  const now = clock();
  await inTransaction(database, async (queries) => {
    const event = { id: newId(), tenant_id: tenantId, type: 'dsr.created', data: '{}', created_at: now };
    await insertRow(queries, 'webhook_events', event);
    await sql`
      insert into webhook_deliveries (
        id, tenant_id, endpoint_id, event_id, event_type, status, attempts, due_at, created_at
      )
      with recursive numbers (number) as (select 0 union all select number + 1 from numbers where number < ${count - 1})
      select printf('%08x-0000-7000-8000-%012x', number, number), ${tenantId}, 'endpoint-' || (number % ${sql.lit(endpoints)}),
        ${event.id}, ${event.type}, 'pending', 0, ${now}, ${now}
      from numbers`.execute(queries);
  });
  return tenantId;
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

function arrive({ tenant_id, id, claimed_until }: ClaimedDelivery): DeliveryState {
  const now = new Date().toISOString();
  const nothing = { reason: null, due_at: null, response_status: 204, attempts: 1 };
  return { tenant_id, id, claimed_until, status: 'delivered', first_attempt_at: now, ...nothing };
}
