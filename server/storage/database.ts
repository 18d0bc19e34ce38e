import type { Kysely, Transaction } from 'kysely';
import { openPostgres } from './postgres.ts';
import { createSignals, type Signals, shareSignals } from './signals.ts';
import { openSqlite } from './sqlite.ts';
import type { Tables } from './tables.ts';

export type Dialect = 'sqlite' | 'postgres';

/** An open database. Close it with `await database.close()` or `await using`. */
export interface Database extends AsyncDisposable {
  readonly dialect: Dialect;
  readonly kysely: Kysely<Tables>;
  readonly signals: Signals;
  close(): Promise<void>;
}

/** Where a query may run: outside of a transaction or inside one. */
export type Queries = Kysely<Tables> | Transaction<Tables>;

/** Whether rows can be locked for update: SQLite has one writer at a time and needs no row locks. */
export function locksRows(queries: Queries): boolean {
  return queries.getExecutor().adapter.supportsMultipleConnections !== false;
}

export interface DatabaseLocation {
  /** A PostgreSQL address; null for SQLite. */
  readonly url: string | null;
  /** The SQLite file, or `:memory:`. */
  readonly file: string;
}

/** Opens the database; the schema is brought up to date by `migrate`. */
export function openDatabase(location: DatabaseLocation): Database {
  const [dialect, kysely] =
    location.url === null
      ? (['sqlite', openSqlite(location.file)] as const)
      : (['postgres', openPostgres(location.url)] as const);
  const close = () => kysely.destroy();
  const signals = createSignals();
  shareSignals(kysely, signals);
  return { dialect, kysely, signals, close, [Symbol.asyncDispose]: close };
}

/**
 * Runs `step` in one transaction: all that it writes commits, or none.
 * A transaction that another one forced to give way (deadlock, serialization) is run again, so `step` may do nothing
 * but query the database.
 */
export async function inTransaction<Result>(
  database: Database,
  step: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    let cause: { readonly error: unknown } | undefined;
    const run = (transaction: Transaction<Tables>) =>
      step(transaction).catch((error: unknown) => {
        cause = { error };
        throw error;
      });
    try {
      return await database.kysely.transaction().execute(run);
    } catch (error) {
      // Where the roll-back fails as well (the connection is gone), it is not what went wrong.
      const first = cause === undefined ? error : cause.error;
      if (attempt === maximumAttempts || !gaveWay(first)) throw first;
    }
  }
}

const maximumAttempts = 5;

/** PostgreSQL's serialization_failure and deadlock_detected. */
function gaveWay(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '40001' || error.code === '40P01');
}

/** Whether a failed write can be the fault of one of its rows: a constraint, or a value that does not fit its column. */
export function blamesRow(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/.test(code) || /^2[23]\w{3}$/.test(code);
}
