import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { findMemoryFolder } from '../../tools/test/memory-folder.ts';
import { type DatabaseLocation, openDatabase } from '../storage/database.ts';
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
      await client.query(`drop database if exists ${name} with (force)`);
      await client.query(`create database ${name}`);
      await migrateAt({ url: addressOf(clusterUrl, name), file: '' });
      await client.query(`alter database ${name} with allow_connections false`);
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
  for (const file of ['migrate.ts', ...files.map((name) => join('migrations', name))])
    hash.update(file).update(readFileSync(join(storage, file)));
  return hash.digest('hex').slice(0, 16);
}
