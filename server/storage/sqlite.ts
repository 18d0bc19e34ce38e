import SQLite from 'better-sqlite3';
import {
  Kysely,
  type Driver as KyselyDriver,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely';
import type { Tables } from './tables.ts';
import { explainFailure } from './unavailable.ts';

/**
 * Opens (and creates) a SQLite file for one server process; command-line tools may use it at the same time.
 * @param lockMilliseconds how long a statement waits for the lock of another process; the whole process waits with it.
 */
export function openSqlite(file: string, lockMilliseconds: number): Kysely<Tables> {
  return explainErrors(() => {
    const database = new SQLite(file);
    try {
      prepare(database, lockMilliseconds);
    } catch (error) {
      database.close();
      throw error;
    }
    return new Kysely<Tables>({ dialect: new Dialect(database) });
  });
}

function prepare(database: SQLite.Database, lockMilliseconds: number): void {
  database.pragma('journal_mode = WAL');
  // A commit returns only when the disk has it: an acknowledged record survives a power cut.
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  // Without it, `insert or replace` removes rows past the triggers that refuse to.
  database.pragma('recursive_triggers = ON');
  database.pragma(`busy_timeout = ${lockMilliseconds}`);
  // 32 MB of log before it is folded into the file: a page that many commits touch is written there once.
  database.pragma('wal_autocheckpoint = 8000');
  // What a statement needs to undo itself stays in memory; by default it is a file of its own, each time.
  database.pragma('temp_store = MEMORY');
  // Pages are read where the system keeps them; the number bounds addresses, not memory.
  database.pragma(`mmap_size = ${4 * 1024 ** 3}`);
}

class Dialect extends SqliteDialect {
  readonly #createDriver: () => KyselyDriver;

  constructor(database: SQLite.Database) {
    const config = { database: rememberStatements(database) };
    super(config);
    this.#createDriver = () => new Driver(config, database);
  }

  override createDriver(): KyselyDriver {
    return this.#createDriver();
  }

  override createAdapter(): SqliteAdapter {
    return new Adapter();
  }
}

class Driver extends SqliteDriver {
  readonly #database: SQLite.Database;

  constructor(config: SqliteDialectConfig, database: SQLite.Database) {
    super(config);
    this.#database = database;
  }

  override async rollbackTransaction(...options: Parameters<SqliteDriver['rollbackTransaction']>): Promise<void> {
    // A COMMIT that fails (disk full) has rolled back by itself; "no transaction is active" would replace its error.
    if (this.#database.inTransaction) await super.rollbackTransaction(...options);
  }
}

/**
 * Migrations run in a transaction, which Kysely does not do for SQLite by itself: one that is cut off leaves nothing
 * behind, and processes that start at once wait for each other.
 */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Kysely prepares a statement per query; SQLite is several times faster when the same text is prepared once. */
function rememberStatements(database: SQLite.Database): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    prepare(sql) {
      let statement = statements.get(sql);
      if (statement === undefined) {
        // Every transaction of ours writes: taking the lock at once avoids a failure halfway when another process writes too.
        const text = sql === 'begin' ? 'begin immediate' : sql;
        statement = explainStatement(explainErrors(() => database.prepare<unknown[]>(text)));
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

/** A statement whose errors say when the database is unavailable. */
function explainStatement(statement: SQLite.Statement<unknown[]>): SqliteStatement {
  const run = <Result>(method: (parameters: readonly unknown[]) => Result) => {
    const bound = method.bind(statement);
    return (parameters: readonly unknown[]): Result => {
      try {
        return bound(parameters);
      } catch (error) {
        throw explainFailure(error);
      }
    };
  };
  return {
    reader: statement.reader,
    all: run(statement.all as (parameters: readonly unknown[]) => unknown[]),
    run: run(statement.run as (parameters: readonly unknown[]) => SQLite.RunResult),
    iterate: run(statement.iterate as (parameters: readonly unknown[]) => IterableIterator<unknown>),
  };
}

function explainErrors<Result>(step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    throw explainFailure(error);
  }
}
