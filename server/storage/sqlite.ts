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
  database.pragma('busy_timeout = 10000');
  database.pragma('cache_size = -32000');
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
