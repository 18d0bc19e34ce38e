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
 * @param lockMilliseconds how long a statement waits for the lock of another process, which blocks the whole process.
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
  // A commit returns only when it is on disk: an acknowledged record survives a power failure.
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  // Without it, `insert or replace` deletes rows without firing the triggers that refuse deletion.
  database.pragma('recursive_triggers = ON');
  database.pragma(`busy_timeout = ${lockMilliseconds}`);
  // A 32 MB log before a checkpoint: pages that many commits change are written to the file only once.
  database.pragma('wal_autocheckpoint = 8000');
  // Statement journals stay in memory; by default each is a temporary file.
  database.pragma('temp_store = MEMORY');
  // Pages are read from the system's cache; the number limits address space, not memory.
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
    // A failed COMMIT (disk full) has already rolled back; "no transaction is active" would replace its error.
    if (this.#database.inTransaction) await super.rollbackTransaction(...options);
  }
}

/**
 * Runs migrations in a transaction, which Kysely does not do for SQLite: an interrupted migration leaves nothing behind,
 * and processes that start at the same time wait for each other.
 */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Caches prepared statements by their text: Kysely prepares one per query, which is several times slower. */
function rememberStatements(database: SQLite.Database): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    prepare(sql) {
      let statement = statements.get(sql);
      if (statement === undefined) {
        // Every transaction writes: locking at the start avoids a failure halfway if another process also writes.
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

/** A guard rather than a working size, because texts differ only by filters and batch sizes. */
const maximumStatements = 1000;

/** A statement whose errors indicate when the database is unavailable. */
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
