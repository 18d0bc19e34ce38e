import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openSecrets, type Secrets } from './access/secret.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Settings } from './settings.ts';
import { type Database, openDatabase } from './storage/database.ts';
import { migrate } from './storage/migrate.ts';

/** The data of one installation: a database whose schema is current, and the secret that belongs to it. */
export interface Installation extends Secrets, AsyncDisposable {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly database: Database;
}

/** Opens the installation that the settings name, creating it when there is none. */
export async function openInstallation(settings: Settings, clock: Clock = systemClock): Promise<Installation> {
  if (settings.databaseUrl === null) mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });
  const database = openDatabase({ url: settings.databaseUrl, file: join(settings.dataDir, 'svc.sqlite') });
  try {
    await migrate(database);
    const secrets = await openSecrets(settings, database, clock());
    return { settings, clock, database, ...secrets, [Symbol.asyncDispose]: () => database.close() };
  } catch (error) {
    await database.close();
    throw error;
  }
}
