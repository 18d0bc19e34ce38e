import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Database, Dialect } from './database.ts';
import { spine } from './migrations/001-spine.ts';
import { consent } from './migrations/002-consent.ts';
import { identity } from './migrations/003-identity.ts';
import { controls } from './migrations/004-controls.ts';
import { trust } from './migrations/005-trust.ts';
import { privacy } from './migrations/006-privacy.ts';
import { proofs } from './migrations/007-proofs.ts';
import { webhooks } from './migrations/008-webhooks.ts';

/** Every migration in order. A released one never changes; the next change is a new file. */
const migrations: Readonly<Record<string, (dialect: Dialect) => Migration>> = {
  '001-spine': spine,
  '002-consent': consent,
  '003-identity': identity,
  '004-controls': controls,
  '005-trust': trust,
  '006-privacy': privacy,
  '007-proofs': proofs,
  '008-webhooks': webhooks,
};

/**
 * Brings the schema up to date. Servers that start at the same time wait for each other.
 * @returns the names of the migrations that ran.
 */
export async function migrate(database: Database): Promise<readonly string[]> {
  const provided = Object.fromEntries(Object.entries(migrations).map(([name, make]) => [name, make(database.dialect)]));
  const migrator = new Migrator({ db: database.kysely, provider: { getMigrations: async () => provided } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  return results.map((result) => result.migrationName);
}

/** Whether every migration has run; only reads. */
export async function isMigrated({ kysely }: Database): Promise<boolean> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(kysely);
    const names = Object.keys(migrations);
    // More have run if a later version used the database; `migrate` reports that.
    return names.length === rows.length && names.every((name) => rows.some((row) => row.name === name));
  } catch (error) {
    if (error instanceof Error && 'code' in error && noSuchTable.has(error.code)) return false;
    throw error;
  }
}

/** The codes of SQLite and PostgreSQL for a missing table. */
const noSuchTable: ReadonlySet<unknown> = new Set(['SQLITE_ERROR', '42P01']);
