import { join } from 'node:path';
import SQLite from 'better-sqlite3';

/** The database of an installation as a plain program opens it, with the same settings as the storage layer's. */
export function openPlain(dataDir: string): SQLite.Database & Disposable {
  const database = new SQLite(join(dataDir, 'svc.sqlite'));
  for (const setting of ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON', 'cache_size = -32000'])
    database.pragma(setting);
  return Object.assign(database, { [Symbol.dispose]: () => void database.close() });
}
