import SQLite from 'better-sqlite3';
import { Kysely, SqliteAdapter, type SqliteDatabase, SqliteDialect } from 'kysely';
import type { Tables } from './tables.ts';

/** Opens (and creates) a SQLite file for one server process; command-line tools may use it at the same time. */
export function openSqlite(file: string): Kysely<Tables> {
  const database = new SQLite(file);
  try {
    prepare(database);
  } catch (error) {
    database.close();
    throw error;
  }
  return new Kysely<Tables>({ dialect: new Dialect({ database: rememberStatements(database) }) });
}

function prepare(database: SQLite.Database): void {
  database.pragma('journal_mode = WAL');
  // A commit returns only when the disk has it: an acknowledged record survives a power cut.
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  // Without it, `insert or replace` removes rows past the triggers that refuse to.
  database.pragma('recursive_triggers = ON');
  // Waiting blocks every request, and another process writes for milliseconds alone.
  database.pragma('busy_timeout = 2000');
  // 32 MB of log before it is folded into the file: a page that many commits touch is written there once.
  database.pragma('wal_autocheckpoint = 8000');
  // What a statement needs to undo itself stays in memory; by default it is a file of its own, each time.
  database.pragma('temp_store = MEMORY');
  // Pages are read where the system keeps them; the number bounds addresses, not memory.
  database.pragma(`mmap_size = ${4 * 1024 ** 3}`);
}

/**
 * Migrations run in a transaction, which Kysely does not do for SQLite by itself: one that is cut off leaves nothing
 * behind, and processes that start at once wait for each other.
 */
class Dialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new Adapter();
  }
}

class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Kysely prepares a statement per query; SQLite is several times faster when the same text is prepared once. */
function rememberStatements(database: SQLite.Database): SqliteDatabase {
  const statements = new Map<string, SQLite.Statement<unknown[]>>();
  return {
    prepare(sql) {
      let statement = statements.get(sql);
      if (statement === undefined) {
        // Every transaction of ours writes: taking the lock at once avoids a failure halfway when another process writes too.
        statement = database.prepare<unknown[]>(sql === 'begin' ? 'begin immediate' : sql);
        if (statements.size >= maximumStatements) statements.clear();
        statements.set(sql, statement);
      }
      return statement;
    },
    close: () => database.close(),
  };
}

/** Texts differ only by filters and batch sizes, so the limit is a guard, not a working size. */
const maximumStatements = 1000;
