import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { ExplainedError } from './explained-error.ts';
import { makeFolder } from './make-folder.ts';

/** Another process uses the data folder in a way that excludes this one. */
export class FolderInUse extends ExplainedError {
  override readonly name = 'FolderInUse';

  override get exitCode() {
    return 2 as const;
  }
}

/**
 * Locks a data folder: servers and other processes that append to its log share the lock; a process that replaces the
 * contents of the folder holds it exclusively. It is a SQLite lock on an empty file, which the operating system releases
 * when the process exits for any reason.
 * @throws {FolderInUse} immediately if another process holds a conflicting lock.
 */
export function lockFolder(folder: string, use: 'shared' | 'exclusive'): Disposable {
  makeFolder(folder);
  const file = new SQLite(join(folder, 'svc.lock'), { timeout: 0 });
  try {
    if (use === 'exclusive') file.exec('begin exclusive');
    // A transaction that only reads keeps a shared lock from its first read on.
    else file.exec('begin; select 1 from sqlite_schema');
  } catch (error) {
    file.close();
    if (!(error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY'))) throw error;
    throw new FolderInUse(
      use === 'exclusive'
        ? `A server or another command uses ${folder}. Stop it first.`
        : `svc restore, svc move or svc secret rotate is running in ${folder}. Try again when it is done.`,
    );
  }
  return { [Symbol.dispose]: () => file.close() };
}
