import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AnchorLog, anchorFile } from '../ledger/anchor-log.ts';
import type { Settings } from '../settings.ts';
import { type Clock, type Database, openDatabase, systemClock } from '../storage/database.ts';
import { isMigrated, migrate } from '../storage/migrate.ts';
import { openSecrets, type Secrets } from './secrets.ts';

/** The data of one installation: a database whose schema is current, and the secret that belongs to it. */
export interface Installation extends Secrets, AsyncDisposable {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly database: Database;
  /** The signed checkpoints outside of the database. */
  readonly anchors: AnchorLog;
}

/** The SQLite file of a data folder. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, 'svc.sqlite');
}

/**
 * Opens the installation that the settings name, creating it when there is none.
 * @param statementSeconds how long a statement may take; null where no request waits for it.
 */
export async function openInstallation(
  settings: Settings,
  clock: Clock = systemClock,
  statementSeconds: number | null = settings.databaseSeconds,
): Promise<Installation> {
  if (settings.databaseUrl === null) mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });
  const location = { url: settings.databaseUrl, file: databaseFile(settings.dataDir) };
  const opened = openDatabase(location, statementSeconds);
  try {
    if (!(await isMigrated(opened))) {
      // A migration may take longer than a statement of a request, and waits for servers that start at the same time.
      await using patient = openDatabase(location);
      await migrate(patient);
    }
    const secrets = await openSecrets(settings, opened, clock());
    const database = { ...opened, clock, seal: secrets.seal };
    const anchors = new AnchorLog(join(settings.dataDir, anchorFile), secrets.signer.verifier);
    return { settings, clock, database, anchors, ...secrets, [Symbol.asyncDispose]: () => database.close() };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
