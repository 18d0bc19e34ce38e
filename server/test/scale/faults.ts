import { setTimeout as wait } from 'node:timers/promises';
import type { Fleet } from '../crash/fleet.ts';
import type { OwnPostgres } from '../crash/own-postgres.ts';
import type { ServerProcess } from '../crash/server-process.ts';
import { waitForNone } from '../crash/wait-for-none.ts';
import { type Measurements, quiet } from './measurements.ts';

export const faultNames = ['server killed', 'database restarted', 'rolling upgrade'] as const;
export type FaultName = (typeof faultNames)[number];

/** Something that was done to the servers. */
export interface Fault {
  readonly name: FaultName;
  /** When it began, in seconds after the start of the load. */
  readonly at: number;
  /** Until every server was ready again and a capture was acknowledged, in seconds. */
  readonly seconds: number;
}

export interface FaultOptions {
  readonly fleet: Fleet;
  readonly postgres: OwnPostgres;
  readonly measurements: Measurements;
  readonly random: () => number;
  /** `svc.js` of a version with another schema. */
  readonly laterProgram: string;
  readonly plan: readonly PlannedFault[];
  readonly onFault?: (fault: Fault) => void;
}

export type PlannedFault = Pick<Fault, 'name' | 'at'>;

/** @param seconds the length of the load. @param killEvery seconds between two kills. */
export function planFaults(seconds: number, killEvery: number): readonly PlannedFault[] {
  const kills = Array.from({ length: Math.ceil(seconds / killEvery) - 1 }, (_, index): PlannedFault => {
    return { name: 'server killed', at: (index + 1) * killEvery };
  });
  const others: readonly PlannedFault[] = [
    { name: 'database restarted', at: 0.45 * seconds },
    { name: 'rolling upgrade', at: 0.75 * seconds },
  ];
  return [...kills, ...others].toSorted((one, other) => one.at - other.at);
}

const patience = 60_000;
/** How long the documentation says to wait before the next server is stopped: until the proxy uses the last one again. */
const settleMilliseconds = 5000;

/**
 * Does one after the other to the servers, each when its time has come and they have recovered from the one before. All of them
 * are done, however slow the machine, unless the signal ends the run.
 */
export async function causeFaults(options: FaultOptions, signal: AbortSignal): Promise<readonly Fault[]> {
  const { measurements, plan, onFault } = options;
  const done: Fault[] = [];
  const started = performance.now();
  let recoveredAt = started;
  for (const { name, at } of plan) {
    await waitUntil(Math.max(started + at * 1000, recoveredAt + settleMilliseconds), signal);
    if (signal.aborted) break;
    const began = performance.now();
    measurements.phase = name;
    await faults[name](options);
    const captured = measurements.countAnswered('capture');
    await waitForNone({ what: 'captures to be acknowledged again', limit: patience }, () =>
      measurements.countAnswered('capture') > captured ? 0 : 1,
    );
    measurements.phase = quiet;
    recoveredAt = performance.now();
    const fault = { name, at: (began - started) / 1000, seconds: (recoveredAt - began) / 1000 };
    done.push(fault);
    onFault?.(fault);
  }
  return done;
}

/** Waits for a time by `performance.now()`, or for the signal. */
export async function waitUntil(time: number, signal: AbortSignal): Promise<void> {
  await wait(Math.max(0, time - performance.now()), undefined, { signal }).catch(() => undefined);
}

const faults: Readonly<Record<FaultName, (options: FaultOptions) => Promise<void>>> = {
  async 'server killed'({ fleet, random }) {
    const victim = fleet.servers[Math.floor(random() * fleet.servers.length)] as ServerProcess;
    await victim.kill();
    await fleet.replace(victim);
  },
  async 'database restarted'({ postgres }) {
    await postgres.stop('immediate');
    await postgres.start();
  },
  async 'rolling upgrade'({ fleet, laterProgram }) {
    fleet.program = laterProgram;
    for (const [index, server] of [...fleet.servers].entries()) {
      if (index > 0) await wait(settleMilliseconds);
      await server.stop();
      await fleet.replace(server);
    }
  },
};
