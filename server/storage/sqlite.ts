import { chmodSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import SQLite from 'better-sqlite3';
import {
  type DatabaseConnection,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
  sql,
} from 'kysely';
import { ExplainedError } from './explained-error.ts';
import { flushToDisk } from './log-file.ts';
import type { Tables } from './tables.ts';
import { explainFailure, UnusableDatabase } from './unavailable.ts';
import { FreeSpaceWiper } from './wipe-free-space.ts';

// Loaded on demand: only read-only storage needs it.
const require = createRequire(import.meta.url);

/** Statement journals stay in memory; by default each is a temporary file. */
const temporaryFiles = 'temp_store = MEMORY';
/** Pages are read from the system's cache; the number limits address space, not memory. */
const mappedPages = `mmap_size = ${4 * 1024 ** 3}`;

/**
 * Opens (and creates) a SQLite file for one server process; command-line tools may use it at the same time.
 * @param lockMilliseconds how long a statement waits for the lock of another process, which blocks the whole process.
 */
export function openSqlite(file: string, lockMilliseconds: number): Kysely<Tables> {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new UnusableDatabase(`${file} is a folder. Move it away, or name another folder with SVC_DATA_DIR.`);
  const settings = [
    'journal_mode = WAL',
    // A commit returns only when it is on disk: an acknowledged record survives a power failure.
    'synchronous = FULL',
    'foreign_keys = ON',
    // Without it, `insert or replace` deletes rows without firing the triggers that refuse deletion.
    'recursive_triggers = ON',
    `busy_timeout = ${lockMilliseconds}`,
    // Erased values are overwritten in the file. If it were enabled later, values of earlier changes would remain.
    'secure_delete = ON',
    // A 32 MB log before a checkpoint: pages that many commits change are written to the file only once.
    'wal_autocheckpoint = 8000',
  ];
  const database = explain(() => openWith(file, {}, settings))([]);
  const mode = database.pragma('journal_mode', { simple: true });
  if (mode !== 'wal' && mode !== 'memory') {
    database.close();
    throw new UnusableDatabase(
      `The file system of ${file} cannot hold the write-ahead log of SQLite. Put SVC_DATA_DIR on a local disk.`,
    );
  }
  const dialect = new SqliteDialect({ database });
  const driver = new Driver(database);
  dialect.createDriver = () => driver;
  dialect.createAdapter = () => new Adapter();
  const kysely = new Kysely<Tables>({ dialect });
  wipers.set(kysely, new FreeSpaceWiper(database, (step) => driver.runInTurn(step)));
  return kysely;
}

/**
 * Copies the write-ahead log to the file and empties it, so that what was erased is in neither.
 * @returns true if it is empty; false while another process reads data that the log replaces.
 */
export async function emptyLog(kysely: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(kysely);
  return rows[0]?.busy === 0;
}

const wipers = new WeakMap<Kysely<Tables>, FreeSpaceWiper>();

/** Finds what overwrites the bytes of a file that no row uses, between the transactions of other callers. */
export function findWiper(kysely: Kysely<Tables>): FreeSpaceWiper {
  const wiper = wipers.get(kysely);
  if (wiper === undefined) throw new Error('This database was not opened with openSqlite.');
  return wiper;
}

function openWith(file: string, options: SQLite.Options, settings: readonly string[]): SQLite.Database {
  const database = new SQLite(file, options);
  try {
    for (const setting of [...settings, temporaryFiles, mappedPages]) database.pragma(setting);
    return database;
  } catch (error) {
    database.close();
    if (options.fileMustExist !== true && error instanceof SQLite.SqliteError && error.code === 'SQLITE_NOTADB')
      throw new UnusableDatabase(
        `${file} is not a SQLite database. Restore it from a backup, or name another folder with SVC_DATA_DIR.`,
      );
    throw error;
  }
}

/**
 * All callers share one connection. A statement runs synchronously, so statements of different callers cannot interleave;
 * callers wait, in order, only while another caller's transaction is open. Kysely's own lock wakes every waiting caller
 * after each statement.
 */
class Driver extends SqliteDriver {
  readonly #database: SQLite.Database;
  /** The caller whose transaction is open. */
  #owner: DatabaseConnection | null = null;
  readonly #waiting: (() => void)[] = [];
  readonly #unused: DatabaseConnection[] = [];

  constructor(database: SQLite.Database) {
    super({ database: rememberStatements(database) });
    this.#database = database;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return this.#unused.pop() ?? this.#addCaller(await super.acquireConnection());
  }

  override beginTransaction(caller: DatabaseConnection): Promise<void> {
    return this.#takeTurn(caller, () => {
      this.#owner = caller;
      return super.beginTransaction(caller);
    });
  }

  override async rollbackTransaction(caller: DatabaseConnection): Promise<void> {
    // A failed COMMIT (disk full) has already rolled back; "no transaction is active" would replace its error.
    if (this.#database.inTransaction) await super.rollbackTransaction(caller);
  }

  // Kysely passes the caller; the base class declares no parameter.
  override async releaseConnection(caller?: DatabaseConnection): Promise<void> {
    if (caller !== undefined) this.#unused.push(caller);
    if (this.#owner !== caller) return;
    this.#owner = null;
    while (this.#owner === null && this.#waiting.length > 0) this.#waiting.shift()?.();
  }

  #addCaller(connection: DatabaseConnection): DatabaseConnection {
    const caller: DatabaseConnection = {
      executeQuery: (query) => this.#takeTurn(caller, () => connection.executeQuery(query)),
      streamQuery() {
        throw new Error('A stream would block the connection: read pages.');
      },
    };
    return caller;
  }

  /** Runs a synchronous step of the connection as soon as no caller has a transaction open. */
  runInTurn<Result>(step: () => Result): Promise<Result> {
    return this.#takeTurn(null, async () => step());
  }

  /** Runs a step as soon as no other caller has a transaction open. */
  #takeTurn<Result>(caller: DatabaseConnection | null, step: () => Promise<Result>): Promise<Result> {
    if (this.#owner === null || this.#owner === caller) return step();
    return new Promise((resolve) => this.#waiting.push(() => resolve(step())));
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

  /** To Kysely each caller has a connection; see `Driver`. */
  override get supportsMultipleConnections(): boolean {
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
        statement = prepare(database, sql === 'begin' ? 'begin immediate' : planOnce(sql));
        if (statements.size >= maximumStatements) statements.clear();
        statements.set(sql, statement);
      }
      return statement;
    },
    close: () => database.close(),
  };
}

/**
 * Puts a sign before values that are compared. SQLite guesses better when it knows whether `column = ?` and `limit ?` get small
 * numbers, and so plans the statement again whenever they are bound, which costs up to ten times its execution. It does
 * not look behind a sign, which changes no value.
 */
function planOnce(sql: string): string {
  return sql.replace(/(=|\bis|\blimit) \?/g, '$1 +?');
}

/** A guard rather than a working size, because texts differ only by filters and batch sizes. */
const maximumStatements = 1000;

/** A statement whose errors indicate when the database is unavailable. */
function prepare(database: SQLite.Database, text: string): SqliteStatement {
  const statement = explain(() => database.prepare<unknown[]>(text))([]);
  return {
    reader: statement.reader,
    all: explain(statement.all.bind(statement)),
    run: explain(statement.run.bind(statement)),
    iterate: explain(statement.iterate.bind(statement)),
  };
}

function explain<Result>(method: (parameters: readonly unknown[]) => Result) {
  return (parameters: readonly unknown[]): Result => {
    try {
      return method(parameters);
    } catch (error) {
      throw explainFailure(error);
    }
  };
}

/** A database could not be read, regardless of its contents. The message says what to do. */
export class UnreadableDatabase extends Error {
  override readonly name = 'UnreadableDatabase';
}

/**
 * Opens a SQLite file read-only, beside a running server or on read-only storage.
 * @throws {UnreadableDatabase}
 */
export function openSqliteToRead(file: string): Kysely<Tables> {
  try {
    // Reads the file for the first time with schema_version: on read-only storage that fails in WAL mode.
    const settings = ['query_only = ON', 'busy_timeout = 10000', 'schema_version'];
    const database = openWith(file, { fileMustExist: true }, settings);
    return new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
  } catch (error) {
    if (!failsToWrite(error)) throw error;
    const { size = 0 } = statSync(`${file}-wal`, { throwIfNoEntry: false }) ?? {};
    if (size > 0)
      throw new UnreadableDatabase(
        `${file}-wal holds changes that are not in ${file} yet, and on read-only storage they cannot be read. Copy both files to a folder that can be written, with secret.key and checkpoints.log, and name it with SVC_DATA_DIR.`,
      );
    return new Kysely<Tables>({ dialect: new SqliteDialect({ database: openImmutable(file) }) });
  }
}

/** True if SQLite could not write the file, or the files that it needs beside it. */
export function failsToWrite(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(READONLY|CANTOPEN|PERM)/.test(String(error.code));
}

/**
 * Opens a file that cannot change, without locks and files beside it. better-sqlite3 is built without URIs, which SQLite
 * requires for this option.
 */
function openImmutable(file: string): SqliteDatabase {
  const { DatabaseSync }: typeof import('node:sqlite') = require('node:sqlite');
  try {
    const url = pathToFileURL(file);
    url.search = '?immutable=1';
    const database = new DatabaseSync(url, { readOnly: true });
    database.prepare('pragma schema_version').get();
    return {
      close: () => database.close(),
      prepare(text) {
        const statement = database.prepare(text);
        return {
          reader: statement.columns().length > 0,
          all: (parameters) => statement.all(...(parameters as never[])),
          iterate: (parameters) => statement.iterate(...(parameters as never[])),
          run: (parameters) => statement.run(...(parameters as never[])),
        };
      },
    };
  } catch (error) {
    throw new UnreadableDatabase(`${file} cannot be read: ${(error as Error).message}.`);
  }
}

/** A copy is unusable; the message gives the reason. */
export class DamagedDatabase extends ExplainedError {
  override readonly name = 'DamagedDatabase';
}

/**
 * Copies a consistent snapshot of a SQLite database, even while servers write to it, and checks the copy.
 * @param to a file that does not exist yet; when this returns, it is on disk and readable only by its owner.
 * @returns its size in bytes.
 * @throws {DamagedDatabase} also if pages, indexes or rows of the copy are inconsistent.
 */
export function copySqlite(from: string, to: string): { readonly bytes: number } {
  try {
    using source = closing(new SQLite(from, { readonly: true, fileMustExist: true }));
    source.pragma('busy_timeout = 10000');
    source.prepare('vacuum into ?').run(to);
    using copy = closing(new SQLite(to, { readonly: true }));
    const found = copy.pragma('integrity_check(1)', { simple: true });
    if (found !== 'ok') throw new DamagedDatabase(`The database is damaged: ${found}.`);
  } catch (error) {
    if (!(error instanceof SQLite.SqliteError)) throw error;
    if (error.code === 'SQLITE_FULL')
      throw new DamagedDatabase(`${to} cannot be written: the disk is full. Free some space, or name another place.`);
    throw new DamagedDatabase(`${from} cannot be copied: ${error.message}.`);
  }
  chmodSync(to, 0o600);
  flushToDisk(to);
  flushToDisk(dirname(to));
  return { bytes: statSync(to).size };
}

function closing(database: SQLite.Database): SQLite.Database & Disposable {
  return Object.assign(database, { [Symbol.dispose]: () => void database.close() });
}
