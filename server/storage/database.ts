import { EventEmitter } from 'node:events';
import type { Kysely, Transaction } from 'kysely';
import { type Clock, systemClock } from './clock.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite, openSqliteToRead } from './sqlite.ts';
import type { Tables } from './tables.ts';
import { DatabaseUnavailable } from './unavailable.ts';
import type { RowSeal } from './unit-of-work.ts';

export type Dialect = 'sqlite' | 'postgres';

/** Signals within the process, sent when a change is durable. They only make a worker check sooner. */
export type Signals = EventEmitter<{
  /** These endpoints have due deliveries. */
  deliveries: [endpointIds: readonly string[]];
  /** An entry with a time before that of the newest one is about to be appended: the clock was set back. */
  clockFell: [fall: { readonly ledger: string; readonly now: string; readonly newest: string }];
}>;

/** An open database. Close it with `await database.close()` or `await using`. */
export interface Database extends AsyncDisposable {
  readonly dialect: Dialect;
  readonly kysely: Kysely<Tables>;
  readonly signals: Signals;
  /** Stops waiting for a database that does not respond: running and later queries fail. */
  abandon(): void;
  /** The clock of the installation. */
  readonly clock: Clock;
  /** Derived from the secret, so that only this installation has it; null if the database was opened without the secret. */
  readonly seal: RowSeal | null;
  /** Closes the connections; running queries have a moment to finish. */
  close(): Promise<void>;
}

/** Where a query may run: outside of a transaction or inside one. */
export type Queries = Kysely<Tables> | Transaction<Tables>;

/** Whether rows can be locked for update: SQLite has one writer at a time and needs no row locks. */
export function locksRows(queries: Queries): boolean {
  return queries.getExecutor().adapter.supportsMultipleConnections !== false;
}

/** Below the parameter limit of SQLite. */
const batchSize = 1000;

/** Runs a statement for many values, at most 1,000 at a time. @returns the rows of all statements. */
export async function inBatches<Value, Row>(
  values: readonly Value[],
  run: (batch: readonly Value[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < values.length; start += batchSize)
    rows.push(...(await run(values.slice(start, start + batchSize))));
  return rows;
}

export interface DatabaseLocation {
  /** A PostgreSQL address; null for SQLite. */
  readonly url: string | null;
  /** The SQLite file, or `:memory:`. */
  readonly file: string;
  /** Whether a SQLite file is opened read-only, which also works on read-only storage. */
  readonly reads?: boolean;
}

/**
 * Opens the database. It does not migrate the schema; see `migrate`.
 * @param statementSeconds the time limit of PostgreSQL statements; null for no limit, for work that no request waits for:
 *   migrations, verification, exports.
 */
export function openDatabase(location: DatabaseLocation, statementSeconds: number | null = null): Database {
  const { kysely, abandon, close } =
    location.url === null ? openFile(location, statementSeconds) : openPostgres(location.url, statementSeconds);
  return {
    dialect: location.url === null ? 'sqlite' : 'postgres',
    kysely,
    signals: new EventEmitter(),
    clock: systemClock,
    seal: null,
    abandon,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function openFile({ file, reads = false }: DatabaseLocation, statementSeconds: number | null) {
  // A wait inside SQLite would block all requests; `inTransaction` waits outside it instead.
  const kysely = reads ? openSqliteToRead(file) : openSqlite(file, statementSeconds === null ? 10_000 : 0);
  return { kysely, abandon: () => undefined, close: () => kysely.destroy() };
}

/**
 * Runs `step` in one transaction, which commits completely or not at all. After a deadlock or serialization failure it
 * runs again, so `step` may do nothing but query the database. While another process writes to the SQLite file, it is
 * retried for some seconds without blocking other work.
 * @throws {DatabaseUnavailable} if the database cannot be used at the moment.
 */
export async function inTransaction<Result>(
  database: Database,
  step: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1, waited = 0; ; attempt += 1) {
    try {
      return await database.kysely.transaction().execute(step);
    } catch (error) {
      if (isLocked(error)) {
        if (waited >= lockMilliseconds) throw error;
        const pause = Math.min(5 * attempt, longestPause);
        waited += pause;
        await new Promise((resolve) => setTimeout(resolve, pause));
      } else if (!gaveWay(error)) throw error;
      else if (attempt >= maximumAttempts) throw new DatabaseUnavailable(error);
    }
  }
}

const maximumAttempts = 5;
/** How long to wait for the lock of another process, and the longest time between two attempts. */
const lockMilliseconds = 5000;
const longestPause = 50;

/** SQLite: another process writes. */
function isLocked(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && error.code?.startsWith('SQLITE_BUSY') === true;
}

/** PostgreSQL's serialization_failure and deadlock_detected. */
function gaveWay(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '40001' || error.code === '40P01');
}

/** Whether one of the written rows can be the cause of a failed write: a constraint, or a value of the wrong type. */
export function blamesRow(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/.test(code) || /^2[23]\w{3}$/.test(code);
}
