import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';

/** A data folder that another process uses in a way that excludes this one. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
}

/**
 * Takes the lock of a data folder: servers and other processes that append to its log share it; a process that replaces
 * what is in the folder has it alone. It is a lock of SQLite on an empty file, so that the system releases it with the
 * process, however that ends.
 * @throws {FolderInUse} at once where another process has it in a way that excludes this.
 */
export function lockFolder(folder: string, use: 'shared' | 'alone'): Disposable {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = new SQLite(join(folder, 'svc.lock'), { timeout: 0 });
  try {
    if (use === 'alone') file.exec('begin exclusive');
    // A transaction that only reads keeps a shared lock from its first look at the file.
    else file.exec('begin; select 1 from sqlite_schema');
  } catch (error) {
    file.close();
    if (!(error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY'))) throw error;
    throw new FolderInUse(
      use === 'alone'
        ? `A server or another command uses ${folder}. Stop it first.`
        : `svc restore works in ${folder} at the moment. Try again when it is done.`,
    );
  }
  return { [Symbol.dispose]: () => file.close() };
}
