import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { findMemoryFolder } from '../../tools/test/memory-folder.ts';
import { type DatabaseLocation, openDatabase } from '../storage/database.ts';
import { distribute } from '../storage/distribution.ts';
import { migrate } from '../storage/migrate.ts';

const storage = join(import.meta.dirname, '../storage');
/** The lock under which concurrently starting processes create the template one after the other. */
const templateLock = 7_368_995;

let sqliteFile: Promise<Buffer> | undefined;
let postgresTemplate: Promise<string> | undefined;

/** Writes a SQLite database with the current schema: a copy of one that this process migrates once. */
export async function writeMigratedFile(file: string): Promise<void> {
  sqliteFile ??= migrateFile();
  writeFileSync(file, await sqliteFile);
}

/**
 * The name of a PostgreSQL database with the current schema, for `create database … template`. It is created once per cluster
 * and schema, and stays: its name identifies its migrations.
 */
export function findPostgresTemplate(clusterUrl: string): Promise<string> {
  postgresTemplate ??= makePostgresTemplate(clusterUrl);
  return postgresTemplate;
}

/** The workers of a Citus whose coordinator SVC_TEST_POSTGRES_URL names: then the tables of every test are distributed. */
const workers = (process.env.SVC_TEST_CITUS_WORKERS ?? '').split(',').filter(Boolean);

/** Runs a statement on the cluster, and on the workers if there are any. */
export async function runOnNodes(clusterUrl: string, statement: string): Promise<void> {
  for (const url of [clusterUrl, ...workers]) await runAt(url, statement);
}

async function runAt(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function distributeTemplate(clusterUrl: string, name: string): Promise<void> {
  const coordinator = addressOf(clusterUrl, name);
  const place = (url: string) => `'${new URL(url).hostname}', ${new URL(url).port}`;
  for (const url of [clusterUrl, ...workers])
    await runAt(addressOf(url, name), 'create extension citus; drop extension if exists citus_columnar');
  await runAt(coordinator, `select citus_set_coordinator_host(${place(clusterUrl)})`);
  for (const url of workers) await runAt(coordinator, `select citus_add_node(${place(url)})`);
  await runAt(clusterUrl, `alter database ${name} set citus.shard_count = 4`);
  await distribute(coordinator);
}

/** The address of another database of the same cluster. */
export function addressOf(clusterUrl: string, name: string): string {
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function migrateFile(): Promise<Buffer> {
  const folder = mkdtempSync(join(findMemoryFolder(), 'svc-template-'));
  try {
    const file = join(folder, 'svc.sqlite');
    await migrateAt({ url: null, file });
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function makePostgresTemplate(clusterUrl: string): Promise<string> {
  const name = `svc_template_${hashMigrations()}`;
  const client = new pg.Client({ connectionString: clusterUrl });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [templateLock]);
    // It accepts no connections once it is complete: one that does was left by a process that was killed.
    const whole = 'select from pg_database where datname = $1 and not datallowconn';
    if ((await client.query(whole, [name])).rows.length === 0) {
      await runOnNodes(clusterUrl, `drop database if exists ${name} with (force)`);
      await runOnNodes(clusterUrl, `create database ${name}`);
      await migrateAt({ url: addressOf(clusterUrl, name), file: '' });
      if (workers.length > 0) await distributeTemplate(clusterUrl, name);
      await runOnNodes(clusterUrl, `alter database ${name} with allow_connections false`);
      await runOnNodes(clusterUrl, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    }
    return name;
  } finally {
    await client.end();
  }
}

async function migrateAt(location: DatabaseLocation): Promise<void> {
  await using database = openDatabase(location);
  await migrate(database);
}

function hashMigrations(): string {
  const files = readdirSync(join(storage, 'migrations')).sort();
  const hash = createHash('sha256');
  for (const file of ['migrate.ts', 'guards.ts', 'distribution.ts', ...files.map((name) => join('migrations', name))])
    hash.update(file).update(readFileSync(join(storage, file)));
  return hash.digest('hex').slice(0, 16);
}
