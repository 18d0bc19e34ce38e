import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../settings.ts';
import { UsageError } from './command.ts';

/** The SQLite file of a data folder. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, 'svc.sqlite');
}

/**
 * Looking must not make a database where there is none.
 * @throws {UsageError}
 */
export function requireDatabase({ databaseUrl, dataDir }: Settings): void {
  if (databaseUrl !== null || existsSync(databaseFile(dataDir))) return;
  throw new UsageError(`There is no database in ${dataDir}. Name one with SVC_DATA_DIR or DATABASE_URL.`);
}
