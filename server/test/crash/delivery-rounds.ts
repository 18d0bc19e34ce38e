import { setTimeout as wait } from 'node:timers/promises';
import type { DemoCredentials } from '../../site/demo/seed.ts';
import type { Dialect } from '../../storage/database.ts';
import { createLocation } from '../harness.ts';
import {
  type Claim,
  countClaims,
  countOpen,
  listClaims,
  listStored,
  openBeside,
  readRemains,
} from './delivery-tables.ts';
import { Fleet } from './fleet.ts';
import { judgeDeliveries } from './judge-deliveries.ts';
import { type Change, loadServers, sendAgain } from './load.ts';
import { createRandom } from './random.ts';
import { calm, moody, Receiver, refusing } from './receiver.ts';
import { type ServerProcess, verifyInProcess } from './server-process.ts';
import { waitForNone } from './wait-for-none.ts';
import { createWebhook, removeWebhooks } from './webhook-calls.ts';

/** The result of one round of kills. */
export interface DeliveryRound {
  readonly round: number;
  readonly seed: number;
  /** How many servers were killed at the same time. */
  readonly killed: number;
  /** When they were killed: after this time and this many requests to the receivers. */
  readonly killedAfter: { readonly requests: number; readonly milliseconds: number };
  readonly acknowledged: number;
  readonly unanswered: number;
  /** Deliveries that were claimed and not finished when the servers were killed, on PostgreSQL also by the one that was not. */
  readonly inFlight: number;
  readonly restartMilliseconds: number;
  /** Time until these were finished or claimed again, from when a surviving server was running. */
  readonly recoveryMilliseconds: number;
}

export interface DeliveryReport {
  readonly dialect: Dialect;
  readonly seed: number;
  readonly rounds: readonly DeliveryRound[];
  readonly kills: number;
  readonly acknowledged: number;
  readonly deliveries: number;
  readonly duplicates: number;
  readonly inFlight: number;
  readonly recovery: { readonly median: number; readonly longest: number; readonly limit: number };
  readonly lost: readonly string[];
  readonly wrong: readonly string[];
  /** The output of a failed `svc verify`; null if everything is intact. */
  readonly complaint: string | null;
  readonly passed: boolean;
}

export interface DeliveryRoundsOptions {
  readonly dialect: Dialect;
  readonly rounds: number;
  readonly seed: number;
  /** True if a slow recovery is a failure: for a machine without other load. */
  readonly isTimed: boolean;
  readonly onRound?: (round: DeliveryRound) => void;
}

/** To each server. */
const connections = 8;
const mostRequests = 300;
const mostMilliseconds = 20;
/** Longer than the wait before a delivery without a response is retried. */
const patience = 45_000;
const kinds = ['public', 'authenticated', 'request'] as const;

/**
 * How long a recovery may take: what the sender needs, and two seconds for a busy machine. A SQLite file has one server, which
 * takes over immediately. On PostgreSQL another one does when the lease of twenty seconds has expired.
 */
const recoveryLimits: Readonly<Record<Dialect, number>> = { sqlite: 2_000, postgres: 23_000 };

/**
 * Kills servers repeatedly while they send webhooks (one server on SQLite, one of two or both on PostgreSQL), and at the end
 * compares what the receivers got.
 */
export async function runDeliveryRounds(options: DeliveryRoundsOptions): Promise<DeliveryReport> {
  const { dialect, rounds, seed, isTimed, onRound } = options;
  await using location = await createLocation(dialect);
  const settings = { ...location.environment, SVC_WEBHOOK_ALLOW_PRIVATE: 'true' };
  const random = createRandom(seed);
  await using steady = new Receiver({ random, mood: calm });
  await using troubled = new Receiver({ random, mood: calm });
  await using fleet = await Fleet.start(settings, dialect === 'sqlite' ? 1 : 2);
  const [first] = fleet.servers as readonly [ServerProcess];
  const credentials = first.credentials as DemoCredentials;
  await removeWebhooks(first, credentials);
  const received = new Map<string, Receiver['deliveries']>();
  for (const receiver of [steady, troubled]) {
    const { id, secret } = await createWebhook(first, credentials, await receiver.listen());
    receiver.secret = secret;
    received.set(id, receiver.deliveries);
  }

  const confirmed = new Map<Change, string>();
  const inFlight = new Map<string, number>();
  const done: DeliveryRound[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const result = await runRound(round, (seed + round - 1) >>> 0);
    done.push(result);
    onRound?.(result);
  }

  await using database = openBeside(settings);
  const awaited = { what: 'deliveries that have not come to their end', limit: patience };
  await waitForNone(awaited, () => countOpen(database.kysely));
  const stored = await listStored(database.kysely);
  const { lost, duplicates, wrong } = judgeDeliveries({ confirmed, received, stored, inFlight });
  const recovery = { ...summarize(done), limit: recoveryLimits[dialect] };
  const slow = done.filter(({ recoveryMilliseconds }) => isTimed && recoveryMilliseconds > recovery.limit);
  const complaints = [
    ...wrong,
    ...steady.complaints,
    ...troubled.complaints,
    ...slow.map(({ round, recoveryMilliseconds }) => `round ${round} took ${recoveryMilliseconds} ms to recover`),
  ];
  const complaint = await verifyInProcess(settings);
  return {
    dialect,
    seed,
    rounds: done,
    kills: done.reduce((sum, { killed }) => sum + killed, 0),
    acknowledged: confirmed.size,
    deliveries: stored.length,
    duplicates,
    inFlight: done.reduce((sum, round) => sum + round.inFlight, 0),
    recovery,
    lost,
    wrong: complaints,
    complaint,
    passed: lost.length === 0 && complaints.length === 0 && complaint === null,
  };

  async function runRound(round: number, roundSeed: number): Promise<DeliveryRound> {
    const random = createRandom(roundSeed);
    const requests = 1 + Math.floor(random() * mostRequests);
    const milliseconds = random() * mostMilliseconds;
    const victims = pickVictims(fleet.servers, random);
    // Requests without a response in the last round would be waited for.
    troubled.mood = round === rounds ? refusing : moody;
    let number = 0;
    const nextChange = (): Change => ({
      subjectId: `round-${round}-change-${++number}`,
      kind: kinds[number % kinds.length] as Change['kind'],
      at: new Date().toISOString(),
    });
    let isOver = false;
    const goal = steady.requests + troubled.requests + requests;
    const loading = loadServers({
      servers: fleet.servers,
      credentials,
      connections,
      nextChange,
      isOver: () => isOver,
    });
    try {
      const coming = waitForNone(
        { what: 'requests to come before the kill', limit: patience },
        () => goal - steady.requests - troubled.requests,
      );
      // A failing load ends the round.
      await Promise.race([coming, loading]);
      await wait(milliseconds);
      await Promise.all(victims.map((server) => server.kill()));
      const killedAt = performance.now();
      const cutOff = await readRemains(settings, listClaims);
      for (const { id } of cutOff) inFlight.set(id, (inFlight.get(id) ?? 0) + 1);

      // Surviving servers got load for a moment longer.
      isOver = true;
      const restarting = restart(victims);
      // A SQLite file must be recovered by the next server, so the file is not opened before.
      const recovering = (dialect === 'sqlite' ? restarting : Promise.resolve()).then(() => waitForRecovery(cutOff));
      const sending = restarting.then(async (server) => {
        const result = await loading;
        const repeated = await sendAgain(server, credentials, result.unanswered);
        for (const [change, id] of [...result.acknowledged, ...repeated]) confirmed.set(change, id);
        return result;
      });
      const [server, recoveredAt, { acknowledged, unanswered }] = await Promise.all([restarting, recovering, sending]);
      const isAlone = victims.length === fleet.servers.length;
      return {
        round,
        seed: roundSeed,
        killed: victims.length,
        killedAfter: { requests, milliseconds: Math.round(milliseconds * 10) / 10 },
        acknowledged: acknowledged.size,
        unanswered: unanswered.length,
        inFlight: cutOff.length,
        restartMilliseconds: Math.round(server.startMilliseconds),
        recoveryMilliseconds: Math.round(recoveredAt - (isAlone ? server.listensSince : killedAt)),
      };
    } finally {
      isOver = true;
    }
  }

  /** @returns the first one to complete. */
  async function restart(victims: readonly ServerProcess[]): Promise<ServerProcess> {
    const [victim, ...others] = victims as readonly [ServerProcess, ...ServerProcess[]];
    const replacement = await fleet.replace(victim);
    for (const other of others) await fleet.replace(other);
    return replacement;
  }

  async function waitForRecovery(claims: readonly Claim[]): Promise<number> {
    await using database = openBeside(settings);
    const awaited = { what: 'leases from before the kill', limit: patience };
    await waitForNone(awaited, () => countClaims(database.kysely, claims));
    return performance.now();
  }
}

/** One of the servers, or one time in four all of them. */
function pickVictims(servers: readonly ServerProcess[], random: () => number): readonly ServerProcess[] {
  const [which, all] = [Math.floor(random() * servers.length), random() < 1 / 4];
  return servers.filter((_, index) => all || index === which);
}

function summarize(rounds: readonly DeliveryRound[]) {
  const sorted = rounds.map(({ recoveryMilliseconds }) => recoveryMilliseconds).sort((one, other) => one - other);
  return { median: sorted[Math.floor(sorted.length / 2)] as number, longest: sorted.at(-1) as number };
}
