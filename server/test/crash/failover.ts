/**
 * Lets the primary of a PostgreSQL with Patroni fail repeatedly under two servers with load, with the configuration of the
 * documentation: its machine is killed, its machine pauses and continues when it was replaced, its PostgreSQL is killed.
 * Clients that wait for longer than two seconds send their change to the other server. Nothing acknowledged may be lost or
 * stored twice, and the servers must recover without a restart. Patroni, etcd and HAProxy are Debian packages.
 *
 *   npm run test:failover -- [--kills 10] [--kinds killed,paused,crashed] [--json]
 *
 * The failures take turns. A further kind, `cut`, pauses HAProxy for 30 s: the database cannot be reached, and nothing fails over.
 */
import { parseArgs } from 'node:util';
import { requireClusterPrograms } from './database-cluster.ts';
import { type FailureKind, failureKinds, runFailovers } from './failover-rounds.ts';
import type { OutageReport, OutageRound } from './outage-rounds.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '10' },
    kinds: { type: 'string', default: 'killed,paused,crashed' },
    json: { type: 'boolean', default: false },
  },
});
const kills = Number(values.kills);
const kinds = values.kinds.split(',') as readonly FailureKind[];
if (!Number.isInteger(kills) || kills < 1 || !kinds.every((kind) => failureKinds.includes(kind))) {
  console.error(
    `Usage: npm run test:failover -- [--kills <1 or more>] [--kinds <some of ${failureKinds.join(',')}>] [--json]`,
  );
  process.exit(2);
}
const missing = requireClusterPrograms();
if (missing !== null) {
  console.error(missing);
  process.exit(2);
}
const say = values.json ? () => undefined : console.log;
const failures = Array.from({ length: kills }, (_, index) => kinds[index % kinds.length] as FailureKind);
say('| | Failure | Without a capture | Acknowledged | 503 | Gave up | First 503 |\n|---|---|---|---|---|---|---|');
let number = 0;
const report = await runFailovers(failures, (round) => say(describeRound(round)));
console.log(values.json ? JSON.stringify(report, null, 2) : describeReport(report));
process.exitCode = report.passed ? 0 : 1;

function describeRound(round: OutageRound): string {
  number += 1;
  const cells = [
    number,
    round.interruption,
    `${(round.withoutCaptureMilliseconds / 1000).toFixed(1)} s`,
    round.acknowledged,
    round.refused,
    round.gaveUp,
    `${(round.firstRefusalMilliseconds / 1000).toFixed(1)} s`,
  ];
  return `| ${cells.join(' | ')} |`;
}

function describeReport({ acknowledged, deliveries, duplicates, passed, wrong }: OutageReport): string {
  return [
    `${acknowledged} changes, ${deliveries} deliveries, ${duplicates} of them came again.`,
    passed ? 'Nothing was lost.' : 'Something is wrong:',
    ...wrong.slice(0, 50),
  ].join('\n');
}
