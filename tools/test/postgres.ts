/**
 * A private PostgreSQL for one test run.
 *
 *   node tools/test/postgres.ts -- node --test …    runs the command with SVC_TEST_POSTGRES_URL set; its exit code is ours
 *
 * Set SVC_TEST_POSTGRES_URL yourself to use a server of your own: nothing is started or stopped then.
 * The private server keeps its data in memory where it can and runs with fsync off: a killed process loses nothing, a power cut
 * would. It never vacuums by itself: databases of tests live for seconds. Right for tests, wrong for measuring speed,
 * so give benchmarks a server of their own.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { installPackages, mayInstallPackages } from './apt.ts';
import { findMemoryFolder } from './memory-folder.ts';

export type TestPostgres = { readonly url: string; readonly stop: () => Promise<void> } | { readonly skipped: string };

const howToGet =
  'Install it (Debian, Ubuntu: sudo apt-get install postgresql; macOS: brew install postgresql) or set SVC_TEST_POSTGRES_URL.';

/**
 * Answers the address of a PostgreSQL that tests may fill as they like, or one sentence on why there is none.
 * @param parent where the folder of the server is made.
 */
export async function startPostgres(parent: string = tmpdir()): Promise<TestPostgres> {
  const given = process.env.SVC_TEST_POSTGRES_URL;
  if (given) return { url: given, stop: async () => {} };
  const programs = findPrograms() ?? installPrograms();
  if (!programs) return { skipped: `PostgreSQL tests are skipped: no PostgreSQL was found. ${howToGet}` };
  for (let attempt = 1; ; attempt++) {
    const server = await startServer(programs, parent);
    if ('url' in server) return server;
    // Another process can take the port between our check and the start of the server.
    if (attempt < 3 && server.complaint.includes('could not bind')) continue;
    const lines = server.complaint.trim().split('\n');
    const reason = lines.find((line) => /error|fatal/i.test(line)) ?? lines.at(-1);
    return {
      skipped: `PostgreSQL tests are skipped: ${programs}/postgres did not start (${reason}). Set SVC_TEST_POSTGRES_URL to use another server.`,
    };
  }
}

/** The folder that holds these programs; of several versions the newest. */
export function findPrograms(names: readonly string[] = ['initdb', 'postgres']): string | undefined {
  const installed = globSync([
    '/usr/lib/postgresql/*/bin',
    '/usr/pgsql-*/bin',
    '/{opt/homebrew,usr/local,home/linuxbrew/.linuxbrew}/opt/postgresql*/bin',
    '/Applications/Postgres.app/Contents/Versions/*/bin',
  ]).sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  const onPath = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return [...onPath, ...installed].find((folder) => names.every((program) => existsSync(join(folder, program))));
}

function installPrograms(): string | undefined {
  if (!mayInstallPackages()) return undefined;
  // The package would otherwise create a cluster of its own and start it.
  const settings = '/etc/postgresql-common/createcluster.conf';
  if (!existsSync(settings)) {
    mkdirSync('/etc/postgresql-common', { recursive: true });
    writeFileSync(settings, 'create_main_cluster = false\n');
  }
  return installPackages('postgresql') ? findPrograms() : undefined;
}

/**
 * Owns the server's whole life: it ends the server and removes its folder as soon as its standard input closes,
 * and that happens however we end, SIGKILL included. It asks more than once, because a server that is just being
 * started still ignores the signal. Arguments: programs, folder, port.
 */
const keeper = `
exec 3<&0
"$1/initdb" --pgdata="$2/data" --username=svc --auth=trust --encoding=UTF8 --no-locale --no-sync >/dev/null &&
{
  "$1/postgres" -D "$2/data" -p "$3" -c listen_addresses=127.0.0.1 -c unix_socket_directories= \\
    -c max_connections=200 -c fsync=off -c full_page_writes=off -c wal_level=minimal -c max_wal_senders=0 \\
    -c max_wal_size=256MB -c autovacuum=off -c log_min_messages=log -c log_checkpoints=off 3<&- &
  server=$!
  { read -r _ <&3; while kill -QUIT $server; do sleep 0.1; done; } 2>/dev/null &
  wait $server
}
status=$?
kill $! 2>/dev/null
rm -rf "$2" || { sleep 1; rm -rf "$2"; } # a process of a crashed server may still be writing
exit $status
`;

async function startServer(
  programs: string,
  parent: string,
): Promise<{ url: string; stop(): Promise<void> } | { complaint: string }> {
  const port = await findFreePort();
  const owner = findUnprivilegedUser();
  const folder = mkdtempSync(join(parent, 'svc-postgres-'));
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const child = spawn('/bin/sh', ['-c', keeper, 'postgres-keeper', programs, folder, String(port)], {
    ...owner,
    cwd: folder,
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    detached: true, // a Ctrl-C reaches the tests first; the server outlives them by a moment
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  child.stdin.on('error', () => {});
  const complaint = await readUntil(child.stderr.setEncoding('utf8'), 'ready to accept connections');
  if (complaint !== undefined) {
    await ended;
    rmSync(folder, { recursive: true, force: true });
    return { complaint };
  }
  // From here on, neither the process nor its pipes keep a finished test run alive.
  const handles = [child, child.stdin as Socket, child.stderr as Socket];
  for (const handle of handles) handle.unref();
  return {
    url: `postgres://svc@127.0.0.1:${port}/postgres`,
    async stop() {
      for (const handle of handles) handle.ref();
      child.stdin.end();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves to nothing once the words have come, or to everything that came instead of them. */
export function readUntil(stream: NodeJS.ReadableStream, words: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    stream.on('data', (chunk) => {
      if (text.includes(words)) return; // what follows is read so that the pipe never fills, and dropped
      text += chunk;
      if (text.includes(words)) resolve(undefined);
    });
    stream.on('end', () => resolve(text));
  });
}

export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

/**
 * Finds a free port for a server that is stopped and started again on it: the system gives none below 16,384 to outgoing
 * connections, which would keep the server from it meanwhile.
 */
export async function findLastingPort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 16_384);
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

/** PostgreSQL refuses to run as root: whom to run it as instead. */
export function findUnprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const name = spawnSync('id', ['postgres']).status === 0 ? 'postgres' : 'nobody';
  const ask = (what: string) => Number(execFileSync('id', [what, name], { encoding: 'utf8' }));
  return { uid: ask('-u'), gid: ask('-g') };
}

async function runWithPostgres(command: string, args: readonly string[]): Promise<number> {
  const server = await startPostgres(findMemoryFolder());
  if ('skipped' in server) console.error(server.skipped);
  const env = 'url' in server ? { ...process.env, SVC_TEST_POSTGRES_URL: server.url } : process.env;
  const child = spawn(command, args, { env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // A terminal sends its Ctrl-C to the child as well.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  try {
    const [code, signal] = await once(child, 'exit');
    return code ?? 128 + constants.signals[signal as NodeJS.Signals];
  } catch (error) {
    console.error(`${command} could not be run: ${(error as Error).message}`);
    return 127;
  } finally {
    if ('stop' in server) await server.stop();
  }
}

if (import.meta.main) {
  const [command, ...args] = process.argv.slice(process.argv[2] === '--' ? 3 : 2);
  if (!command) {
    console.error('Usage: node tools/test/postgres.ts [--] <command> [arguments]');
    process.exit(2);
  }
  process.exitCode = await runWithPostgres(command, args);
}
