import { ExplainedError } from './explained-error.ts';

/**
 * The database cannot be used at the moment: it is unreachable, does not respond, is full, locked or read-only. The query
 * is not at fault, so the same request may succeed later.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  /** The code of the driver, if any: an SQLSTATE, a code of SQLite or of the network. */
  declare readonly code?: string;

  /** True if only a row was locked for too long; everything else can be used. */
  get isRowLock(): boolean {
    return this.code === '55P03';
  }

  constructor(cause: unknown) {
    const { message, code } = describe(cause);
    super(message, { cause });
    if (code !== undefined) this.code = code;
  }
}

/** A database that cannot be used as it is; the message says why, and what to do. */
export class UnusableDatabase extends ExplainedError {
  override readonly name = 'UnusableDatabase';

  override get exitCode() {
    return 2 as const;
  }
}

/** Converts errors that mean that the database is unavailable to `DatabaseUnavailable`. */
export function explainFailure(error: unknown): unknown {
  return error instanceof Error && !(error instanceof DatabaseUnavailable) && isUnavailability(error)
    ? new DatabaseUnavailable(error)
    : error;
}

function isUnavailability(error: Error): boolean {
  const { code, message } = describe(error);
  return code === undefined ? clientComplaints.test(message) : codes.test(code);
}

function describe(error: unknown): { readonly message: string; readonly code: string | undefined } {
  if (!(error instanceof Error)) return { message: String(error), code: undefined };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  // If several addresses of a host refuse the connection, the group error has no message.
  return { message: error.message || (code ?? error.name), code };
}

/**
 * SQLite: busy, locked, full, read-only, I/O errors. PostgreSQL: connection, authorization, resources, operator
 * intervention (statement timeouts included), system error; read-only, no such database, the timeouts of transactions and
 * locks. And every failure of the network.
 */
const codes =
  /^(?:SQLITE_(?:BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|PROTOCOL)\w*|(?:08|28|53|57|58)\w{3}|25006|25P03|25P04|3D000|55P03|E[A-Z]{4,})$/;

/** Messages of the PostgreSQL client that have no code. */
const clientComplaints =
  /^(?:Query read timeout|timeout exceeded|timeout expired|Connection terminated|Client (?:has encountered a connection error|was closed)|Postgres connection has been discarded)/;
