import { sql } from 'kysely';
import { pino } from 'pino';
import { Pool } from 'undici';
import type { Installation } from '../../server/installation/installation.ts';
import { systemSource } from '../../server/ledger/audit/store.ts';
import { runTransaction } from '../../server/storage/database.ts';
import { FaultLog } from '../../server/storage/fault-log.ts';
import { newId } from '../../server/storage/rows.ts';
import { emitEvents } from '../../server/webhooks/deliveries/outbox.ts';
import { createEndpoint } from '../../server/webhooks/endpoints/changes.ts';
import { EndpointInput } from '../../server/webhooks/endpoints/endpoint.ts';
import { writeBody } from '../../server/webhooks/sender/attempt.ts';
import { runSender } from '../../server/webhooks/sender/run-sender.ts';
import { WebhookSender } from '../../server/webhooks/sender/sender.ts';
import { Receivers } from '../../server/webhooks/transport/receivers.ts';
import type { Bench, Benchmark, Finding } from './benchmark.ts';
import { type Child, startChild } from './child.ts';
import type { Arrivals } from './children/receiver.ts';
import { measureClaims } from './claims.ts';
import { perCpuSecond } from './report.ts';
import { createSite, openSite, type Site } from './site.ts';
import { compareInTurn, type Slice } from './slices.ts';

/** About a kilobyte of body, as an event with some text is. */
const data = { text: 'x'.repeat(850) };
/** About a second: with shorter slices, V8 still compiles after the warm-up. */
const perSlice = 12_000;

/** Outgoing deliveries: their rate and latency, and the cost of a receiver that hangs for the others. */
export const deliveries: Benchmark = {
  name: 'deliveries',
  async run(bench) {
    await using receiver = startChild('receiver');
    const origin = `http://127.0.0.1:${await receiver.ask<number>('port')}`;
    return [
      await measureRate(bench, origin, 'FULL', 0.33),
      await measureRate(bench, origin, 'NORMAL', 0.45),
      ...(await measureLatency(bench, origin, receiver)),
      await measureIsolation(bench, origin),
      await measureClaims(bench),
    ];
  },
};

/** Deliveries with their attempts written, beside plain POSTs of the same body over kept connections. */
async function measureRate(bench: Bench, origin: string, synchronous: string, atLeast: number): Promise<Finding> {
  await using installation = await openSite(bench.createFolder(`deliveries-${synchronous}`));
  await sql`pragma synchronous = ${sql.raw(synchronous)}`.execute(installation.database.kysely);
  const site = await createSite(installation);
  // Four receivers, as a server has several: a group of one sync is as large as what is under way.
  const receivers = [1, 2, 3, 4];
  for (const host of receivers) await addEndpoint(installation, site, `${origin.replace('0.0.1', `0.0.${host}`)}/`);
  const sender = createSender(installation);
  const ours: Slice = async () => {
    await queueEvents(installation, site, perSlice / receivers.length);
    return countCpu(() => drain(sender));
  };
  const pool = new Pool(origin, { connections: 50 });
  const body = Buffer.from(
    writeBody({
      id: newId(),
      tenant_id: site.tenantId,
      type: 'dsr.created',
      created_at: '',
      data: JSON.stringify(data),
    }),
  );
  const floor: Slice = () => countCpu(() => postPlainly(pool, body));
  const { ours: cost, floor: least, speed } = await compareInTurn(ours, floor, bench.pace);
  await pool.close();
  await sender.stop(0);
  return {
    what: `deliveries with their attempts, ${synchronous} / plain POST`,
    ours: perCpuSecond(cost),
    floor: perCpuSecond(least),
    value: speed,
    unit: '×',
    budget: { atLeast },
    note: `${cost.toFixed(0)} µs of processor time a delivery`,
  };
}

/** From the commit of a change until its delivery is at the receiver: a thousand a second, ten to a commit. */
async function measureLatency(bench: Bench, origin: string, receiver: Child): Promise<readonly Finding[]> {
  await using installation = await openSite(bench.createFolder('deliveries-latency'));
  const { database, clock } = installation;
  const site = await createSite(installation);
  await addEndpoint(installation, site, `${origin}/timed`);
  const faults = new FaultLog(database, pino({ level: 'silent' }));
  const running = runSender({ sender: createSender(installation), database, clock, faults });
  const commits: bigint[] = [];
  const [total, group] = [5000, 10];
  const start = performance.now();
  for (let sent = 0; sent < total; sent += group) {
    while (performance.now() < start + sent) await new Promise((resolve) => setImmediate(resolve));
    await queueEvents(installation, site, group);
    const committed = process.hrtime.bigint();
    for (let one = 0; one < group; one += 1) commits.push(committed);
  }
  let times: Arrivals['times'] = [];
  while (times.length < total) times = [...times, ...(await receiver.ask<Arrivals>('arrivals')).times];
  await running.stop();
  // Ids are in the order of the commits, and so is the list of when they ended.
  const came = times.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, time]) => BigInt(time));
  const waits = came.map((time, index) => Number(time - (commits[index] as bigint)) / 1e6).slice(500);
  const sorted = waits.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] as number;
  const finding = (what: string, value: number, atMost: number): Finding => ({
    what,
    ours: '',
    floor: '',
    value: { low: value, median: value, high: value },
    unit: 'ms',
    budget: { atMost },
  });
  return [
    finding('commit to receiver, 1,000 events a second, median', at(0.5), 3),
    finding('commit to receiver, 1,000 events a second, 99 of 100', at(0.99), 15),
  ];
}

/** Nine endpoints beside a tenth that never answers, and the nine without it. */
async function measureIsolation(bench: Bench, origin: string): Promise<Finding> {
  const prepare = async (name: string, paths: readonly string[]) => {
    const installation = await openSite(bench.createFolder(`deliveries-${name}`));
    const site = await createSite(installation);
    for (const path of paths) await addEndpoint(installation, site, origin + path);
    const sender = createSender(installation);
    const slice: Slice = async () => {
      const count = 200;
      await queueEvents(installation, site, count);
      const start = performance.now();
      await drain(sender, 9 * count);
      return (performance.now() - start) / (9 * count);
    };
    const close = async () => {
      await sender.stop(0);
      await installation[Symbol.asyncDispose]();
    };
    return { slice, close };
  };
  const paths = Array.from({ length: 9 }, (_, index) => `/${index}`);
  const beside = await prepare('beside', [...paths, '/hang']);
  const without = await prepare('without', paths);
  const { ours, floor, speed } = await compareInTurn(beside.slice, without.slice, bench.pace);
  await Promise.all([beside.close(), without.close()]);
  return {
    what: 'nine endpoints beside one that hangs / the nine alone',
    ours: `${(1000 / ours).toFixed(0)}/s`,
    floor: `${(1000 / floor).toFixed(0)}/s`,
    value: speed,
    unit: '×',
    budget: { atLeast: 0.95 },
  };
}

async function addEndpoint({ database, clock, box }: Installation, { tenantId }: Site, url: string): Promise<void> {
  const policy = { allowPrivate: true };
  const input = EndpointInput.parse({ url });
  await runTransaction(database, clock(), (tx) => createEndpoint(tx, systemSource(tenantId), { box, policy }, input));
}

function createSender({ database, clock, box }: Installation): WebhookSender {
  const receivers = new Receivers({ policy: { allowPrivate: true } });
  const faults = new FaultLog(database, pino({ level: 'silent' }));
  return new WebhookSender({ database, clock, box, receivers, faults });
}

async function queueEvents({ database, clock }: Installation, { tenantId }: Site, count: number): Promise<void> {
  const events = Array.from({ length: count }, () => ({ tenantId, type: 'dsr.created', data }) as const);
  await runTransaction(database, clock(), (tx) => emitEvents(tx, events));
}

/** Sends what waits as a running server does. @param enough stops when so many were delivered. */
async function drain(sender: WebhookSender, enough = perSlice): Promise<number> {
  const until = sender.counts.delivered + enough;
  await sender.poll();
  while (sender.counts.delivered < until) {
    if (!sender.hasWork) await sender.waitForWork();
    else {
      await sender.gather();
      await sender.tick();
    }
  }
  return enough;
}

async function postPlainly(pool: Pool, body: Buffer): Promise<number> {
  let left = perSlice;
  const post = async () => {
    while (left > 0) {
      left -= 1;
      const response = await pool.request({
        path: '/',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      await response.body.dump();
    }
  };
  await Promise.all(Array.from({ length: 50 }, post));
  return perSlice;
}

/** Microseconds of this process's processor time an operation. */
async function countCpu(tx: () => Promise<number>): Promise<number> {
  const before = process.cpuUsage();
  const operations = await tx();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / operations;
}
