import { type Migration, Migrator } from 'kysely/migration';
import type { Database, Dialect } from './database.ts';
import { spine } from './migrations/001-spine.ts';
import { consent } from './migrations/002-consent.ts';

/** Every migration in order. A released one never changes; the next change is a new file. */
const migrations: Readonly<Record<string, (dialect: Dialect) => Migration>> = {
  '001-spine': spine,
  '002-consent': consent,
};

/**
 * Brings the schema up to date; servers that start at once wait for each other.
 * @returns the names of the migrations that ran now.
 */
export async function migrate(database: Database): Promise<readonly string[]> {
  const { error, results = [] } = await createMigrator(database).migrateToLatest();
  if (error !== undefined) throw error;
  return results.map((result) => result.migrationName);
}

/** Whether every migration has run; only reads. */
export async function isMigrated(database: Database): Promise<boolean> {
  const known = await createMigrator(database).getMigrations();
  return known.every(({ executedAt }) => executedAt !== undefined);
}

function createMigrator(database: Database): Migrator {
  const provided = Object.fromEntries(Object.entries(migrations).map(([name, make]) => [name, make(database.dialect)]));
  return new Migrator({ db: database.kysely, provider: { getMigrations: async () => provided } });
}
