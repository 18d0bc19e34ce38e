// npm run bench:sizes -- [--tenants n] [--postgres] <records>…: what installations of these sizes take, one line for each. It
// fills them through the ledger, and runs the commands as an operator does, each in a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startPostgres } from '../test/postgres.ts';
import { createSite, fillLedger, openSite } from './site.ts';
import { startOnce } from './start.ts';

const root = join(import.meta.dirname, '../..');
const program = join(root, 'server/cli/svc.js');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tenants: { type: 'string', default: '1' }, postgres: { type: 'boolean', default: false } },
});
const tenants = Number(values.tenants);
const sizes = positionals.map(Number);
if (sizes.length === 0 || ![tenants, ...sizes].every((number) => Number.isSafeInteger(number) && number > 0)) {
  console.error('Give one or more numbers of records: npm run bench:sizes -- --tenants 100 300000 1000000');
  process.exit(2);
}

/** Seconds and the most memory of a command. */
interface Run {
  readonly seconds: number;
  readonly megabytes: number;
}

// On the disk: a temporary folder may be in memory.
mkdirSync(join(root, 'data'), { recursive: true });
const parent = mkdtempSync(join(root, 'data', 'sizes-'));
process.once('exit', () => rmSync(parent, { recursive: true, force: true }));
const postgres = values.postgres ? await requirePostgres() : null;

try {
  for (const records of sizes) console.log(JSON.stringify(await measure(records)));
} finally {
  await postgres?.stop();
}

async function measure(records: number) {
  const folder = mkdtempSync(join(parent, `${records}-`));
  const dataDir = join(folder, 'data');
  const url = postgres === null ? '' : await createDatabase(postgres.url, `size_${records}`);
  const { fillSeconds, databaseBytes } = await fill(dataDir, url, records);
  const environment = { PATH: process.env.PATH, SVC_DATA_DIR: dataDir, DATABASE_URL: url };
  const verify = await run(['verify'], environment);
  const { seconds: startSeconds, megabytes: idleMegabytes } = await startOnce(dataDir, { DATABASE_URL: url });
  const found = {
    records,
    tenants,
    fillPerSecond: Math.round(records / fillSeconds),
    bytesPerRecord: databaseBytes / records,
  };
  if (postgres !== null) return round({ ...found, verify, startSeconds, idleMegabytes });
  const backup = await run(['backup', '--to', join(folder, 'backup')], environment);
  const backupBytes = sizeOf(join(folder, 'backup')) / records;
  const restore = await run(['restore', '--from', join(folder, 'backup')], {
    ...environment,
    SVC_DATA_DIR: join(folder, 'restored'),
  });
  rmSync(folder, { recursive: true });
  return round({ ...found, verify, backup, backupBytes, restore, startSeconds, idleMegabytes });
}

async function requirePostgres() {
  const server = await startPostgres();
  if ('skipped' in server) throw new Error(server.skipped);
  return server;
}

async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client(serverUrl);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return new URL(name, serverUrl).href;
}

/** Creates the tenants, and gives each the same number of records. */
async function fill(dataDir: string, url: string, records: number) {
  const begin = performance.now();
  {
    await using installation = await openSite(dataDir, url);
    for (let index = 0; index < tenants; index += 1) {
      const site = await createSite(installation, 1, `size-${index}`);
      await fillLedger(installation.database, site, Math.ceil(records / tenants));
    }
  }
  const fillSeconds = (performance.now() - begin) / 1000;
  return { fillSeconds, databaseBytes: url === '' ? sizeOf(dataDir) : await readBytes(url) };
}

async function readBytes(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  await client.end();
  return Number(rows[0]?.bytes);
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((bytes, { parentPath, name }) => bytes + statSync(join(parentPath, name)).size, 0);
}

/** Runs a command of Svc. @throws {Error} if it fails. */
async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Run> {
  const begin = performance.now();
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  let megabytes = 0;
  const timer = setInterval(() => {
    megabytes = readPeak(child.pid as number) ?? megabytes;
  }, 50);
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  if (code !== 0) throw new Error(`svc ${args.join(' ')} ended with ${code}`);
  return { seconds: (performance.now() - begin) / 1000, megabytes };
}

/** The most memory that a process has used so far, which only Linux tells. */
function readPeak(pid: number): number | null {
  try {
    const kibibytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kibibytes === undefined ? null : (Number(kibibytes) * 1024) / 1e6;
  } catch {
    return null;
  }
}

/** With three digits. */
function round<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_key, part) =>
    typeof part === 'number' ? Number(part.toPrecision(3)) : part,
  );
}
