/**
 * Interrupts PostgreSQL under two servers with load, for 30 seconds each: stopped immediately, then hanging (SIGSTOP). The
 * servers must respond with 503, serve the public notice, and recover without a restart; every acknowledged change must be
 * there, and its event must arrive. At the end the servers are stopped while the database does not respond.
 *
 *   npm run test:outage -- [--seconds 30] [--json]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findMemoryFolder } from '../../../tools/test/memory-folder.ts';
import { type OutageReport, type OutageRound, runOutages } from './outage-rounds.ts';
import { missingPostgres, OwnPostgres } from './own-postgres.ts';
import { startServerProcess } from './server-process.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '30' }, json: { type: 'boolean', default: false } },
});
const seconds = Number(values.seconds);
if (!Number.isInteger(seconds) || seconds < 0 || missingPostgres !== null) {
  console.error(missingPostgres ?? 'Usage: npm run test:outage -- [--seconds <0 or more>] [--json]');
  process.exit(2);
}
const say = values.json ? () => undefined : console.log;

const parent = findMemoryFolder();
const dataDir = mkdtempSync(join(parent, 'svc-outage-data-'));
const postgres = await OwnPostgres.create(parent);
try {
  const settings = { SVC_DATA_DIR: dataDir, DATABASE_URL: postgres.url };
  const report = await runOutages({
    settings,
    holdMilliseconds: seconds * 1000,
    interruptions: [
      {
        name: 'stopped at once',
        begin: () => postgres.stop('immediate'),
        end: () => postgres.start(),
      },
      {
        name: 'not answering',
        begin: async () => postgres.freeze(),
        end: async () => postgres.thaw(),
      },
    ],
    onRound: (round) => say(describeRound(round)),
  });
  const stopMilliseconds = await stopWhileSilent(settings);
  if (values.json) console.log(JSON.stringify({ ...report, stopMilliseconds }, null, 2));
  else say(describeReport(report, stopMilliseconds));
  process.exitCode = report.passed ? 0 : 1;
} finally {
  await postgres[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true, force: true });
}

/** @returns how long a server takes to exit while the database does not respond. */
async function stopWhileSilent(settings: Readonly<Record<string, string>>): Promise<number> {
  const server = await startServerProcess(settings);
  postgres.freeze();
  const started = performance.now();
  await server.stop();
  const took = performance.now() - started;
  postgres.thaw();
  return Math.round(took);
}

function describeRound(round: OutageRound): string {
  return (
    `${round.interruption}: away for ${round.milliseconds} ms; ${round.acknowledged} changes acknowledged, ` +
    `${round.refused} answers of 503 (the first after ${round.firstRefusalMilliseconds} ms at the slower server); ` +
    `the notice was read ${round.noticeReads} times meanwhile, in ${round.slowestNoticeMilliseconds} ms at most; ` +
    `both servers took changes again after ${round.recoveryMilliseconds} ms`
  );
}

function describeReport(report: OutageReport, stopMilliseconds: number): string {
  return [
    `A server that was stopped while the database did not respond exited after ${stopMilliseconds} ms.`,
    `${report.acknowledged} changes, ${report.deliveries} deliveries, ${report.duplicates} of them came again.`,
    report.passed ? 'Nothing was lost.' : 'Something is wrong:',
    ...report.wrong.slice(0, 50),
  ].join('\n');
}
