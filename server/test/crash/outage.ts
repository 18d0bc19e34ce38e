/**
 * Interrupts PostgreSQL under two servers with load, for 30 seconds each: stopped immediately, then hanging (SIGSTOP). The
 * servers must respond with 503, serve the public notice, and recover without a restart; every acknowledged change must be
 * there, and its event must arrive. At the end the servers are stopped while the database does not respond.
 *
 *   npm run test:outage -- [--seconds 30] [--json]
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findMemoryFolder } from '../../../tools/test/memory-folder.ts';
import { findFreePort, findPrograms, findUnprivilegedUser, readUntil } from '../../../tools/test/postgres.ts';
import { type OutageReport, type OutageRound, runOutages } from './outage-rounds.ts';
import { startServerProcess } from './server-process.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '30' }, json: { type: 'boolean', default: false } },
});
const seconds = Number(values.seconds);
const programs = findPrograms();
if (!Number.isInteger(seconds) || seconds < 0 || programs === undefined) {
  console.error(
    programs === undefined
      ? 'PostgreSQL is not installed on this machine (Debian, Ubuntu: sudo apt-get install postgresql).'
      : 'Usage: npm run test:outage -- [--seconds <0 or more>] [--json]',
  );
  process.exit(2);
}
const say = values.json ? () => undefined : console.log;

const parent = findMemoryFolder();
const folder = mkdtempSync(join(parent, 'svc-outage-'));
const dataDir = mkdtempSync(join(parent, 'svc-outage-data-'));
const owner = findUnprivilegedUser();
if (owner) chownSync(folder, owner.uid, owner.gid);
const data = join(folder, 'data');
const port = await findFreePort();
const runTool = (tool: string, ...words: readonly string[]) =>
  execFileSync(join(programs, tool), words, { ...owner, cwd: folder, stdio: 'pipe' });
runTool('initdb', `--pgdata=${data}`, '--username=svc', '--auth=trust', '--encoding=UTF8', '--no-locale');

let postmaster = await startPostgres();
try {
  const settings = { SVC_DATA_DIR: dataDir, DATABASE_URL: `postgres://svc@127.0.0.1:${port}/postgres` };
  const report = await runOutages({
    settings,
    holdMilliseconds: seconds * 1000,
    interruptions: [
      {
        name: 'stopped at once',
        begin: async () => {
          const ended = once(postmaster, 'exit');
          runTool('pg_ctl', 'stop', '-D', data, '-m', 'immediate');
          await ended;
        },
        end: async () => {
          postmaster = await startPostgres();
        },
      },
      {
        name: 'not answering',
        begin: async () => signalAll('SIGSTOP'),
        end: async () => signalAll('SIGCONT'),
      },
    ],
    onRound: (round) => say(describeRound(round)),
  });
  const stopMilliseconds = await stopWhileSilent(settings);
  if (values.json) console.log(JSON.stringify({ ...report, stopMilliseconds }, null, 2));
  else say(describeReport(report, stopMilliseconds));
  process.exitCode = report.passed ? 0 : 1;
} finally {
  postmaster.kill('SIGQUIT');
  for (const one of [folder, dataDir]) rmSync(one, { recursive: true, force: true, maxRetries: 5 });
}

async function startPostgres() {
  const words = ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='];
  const child = spawn(join(programs as string, 'postgres'), words, {
    ...owner,
    cwd: folder,
    env: { LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const complaint = await readUntil(child.stderr.setEncoding('utf8'), 'ready to accept connections');
  if (complaint !== undefined) throw new Error(`PostgreSQL did not start: ${complaint}`);
  return child;
}

/** Sends a signal to the server and then to its processes; stopped first, it starts no others. */
function signalAll(signal: 'SIGSTOP' | 'SIGCONT'): void {
  const pid = postmaster.pid as number;
  process.kill(pid, signal);
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  for (const child of children.split('\n').map(Number).filter(Boolean)) {
    try {
      process.kill(child, signal);
    } catch (error) {
      // A process whose client is gone exits as soon as it continues.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** @returns how long a server takes to exit while the database does not respond. */
async function stopWhileSilent(settings: Readonly<Record<string, string>>): Promise<number> {
  const server = await startServerProcess(settings);
  signalAll('SIGSTOP');
  const started = performance.now();
  await server.stop();
  const took = performance.now() - started;
  signalAll('SIGCONT');
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
