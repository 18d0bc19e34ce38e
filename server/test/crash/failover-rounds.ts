import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findMemoryFolder } from '../../../tools/test/memory-folder.ts';
import type { Machine } from './cluster-machine.ts';
import { DatabaseCluster } from './database-cluster.ts';
import { type Interruption, type OutageReport, type OutageRound, runOutages } from './outage-rounds.ts';

export const failureKinds = ['killed', 'paused', 'crashed', 'cut'] as const;

/**
 * The machine of the primary is killed; it pauses, and continues when another one has replaced it; only its PostgreSQL is
 * killed; or no packet passes between the servers and the database.
 */
export type FailureKind = (typeof failureKinds)[number];

/** Shorter than a statement that hangs: the server may still complete a change when the client has given up. */
const clientPatience = 2000;
const cutMilliseconds = 30_000;

/** Lets a cluster with two loaded servers fail repeatedly. */
export async function runFailovers(
  failures: readonly FailureKind[],
  onRound?: (round: OutageRound) => void,
): Promise<OutageReport> {
  const dataDir = mkdtempSync(join(findMemoryFolder(), 'svc-failover-'));
  try {
    await using cluster = await DatabaseCluster.start();
    return await runOutages({
      settings: { SVC_DATA_DIR: dataDir, DATABASE_URL: cluster.url },
      holdMilliseconds: 0,
      clientPatience,
      interruptions: failures.map((kind) => (kind === 'cut' ? createCut(cluster) : createFailover(cluster, kind))),
      ...(onRound && { onRound }),
    });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function createFailover(cluster: DatabaseCluster, kind: Exclude<FailureKind, 'cut'>): Interruption {
  let failed: Machine;
  return {
    name: kind,
    recurs: true,
    prepare: async () => {
      await cluster.untilWhole();
      failed = await cluster.findPrimary();
    },
    begin: async () => {
      if (kind === 'killed') failed.kill();
      else if (kind === 'paused') failed.freeze();
      else failed.killDatabase();
    },
    end: async () => {
      // Patroni starts it again.
      if (kind === 'crashed') return;
      await cluster.findPrimary(failed);
      if (kind === 'killed') failed.start();
      else failed.thaw();
    },
  };
}

function createCut(cluster: DatabaseCluster): Interruption {
  return {
    name: 'cut',
    begin: async () => {
      cluster.freezeProxy();
      await wait(cutMilliseconds);
    },
    end: async () => cluster.thawProxy(),
  };
}
