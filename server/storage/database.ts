import { EventEmitter } from 'node:events';
import type { CompiledQuery, Kysely, Transaction as KyselyTransaction, Selectable } from 'kysely';
import { type Clock, systemClock } from './clock.ts';
import { openPostgres } from './postgres.ts';
import { locksRows } from './queries.ts';
import { prepareQuery, sendStatements } from './rows.ts';
import { bindSeal, type RowSeal, requireHeld } from './secrets.ts';
import { openSqlite, openSqliteToRead } from './sqlite.ts';
import type { Tables } from './tables.ts';
import { DatabaseUnavailable } from './unavailable.ts';

export const dayMilliseconds = 24 * 60 * 60 * 1000;

/** The time a number of milliseconds after another, or before it if negative (RFC 3339, UTC, milliseconds). */
export function addTime(time: string, milliseconds: number): string {
  return new Date(Date.parse(time) + milliseconds).toISOString();
}

/**
 * True if two times are less than a number of milliseconds apart. A time in the future was written with a wrong clock:
 * it is as far away as one in the past, so that a task that depends on its age is not delayed until then.
 */
export function areWithin(milliseconds: number, one: string, other: string): boolean {
  return Math.abs(Date.parse(one) - Date.parse(other)) < milliseconds;
}

export type Dialect = 'sqlite' | 'postgres';

/** Signals within the process, sent when a change is durable. They only make a worker check sooner. */
export type Signals = EventEmitter<{
  /** These endpoints have due deliveries. */
  deliveries: [endpoints: readonly { readonly tenant_id: string; readonly id: string }[]];
  /** Values of a person were erased: copies of them, in memory or in a log, must go. */
  erased: [];
  /** An erasure is to be kept outside the database: its line in the log. */
  erasureNoted: [line: string];
  /** An entry with a time before that of the newest one is about to be appended: the clock was set back. */
  clockFell: [fall: { readonly ledger: string; readonly now: string; readonly newest: string }];
  /** So many entries were appended to ledgers of a kind. */
  appended: [ledger: string, entries: number];
  /** So many changes were written together. */
  batchWritten: [changes: number];
}>;

/** Connections to PostgreSQL, and the queries that wait for one. */
export interface PoolUse {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** An open database. Close it with `await database.close()` or `await using`. */
export interface Database extends AsyncDisposable {
  readonly dialect: Dialect;
  readonly kysely: Kysely<Tables>;
  readonly signals: Signals;
  /** Null for SQLite. */
  readonly pool: PoolUse | null;
  /** Stops waiting for a database that does not respond: running and later queries fail. */
  abandon(): void;
  /** The clock of the installation. */
  readonly clock: Clock;
  /** Derived from the secret, so that only this installation has it; null if the database was opened without the secret. */
  readonly seal: RowSeal | null;
  /** Closes the connections; running queries have a moment to finish. */
  close(): Promise<void>;
}

export interface DatabaseLocation {
  /** A PostgreSQL address; null for SQLite. */
  readonly url: string | null;
  /** The SQLite file, or `:memory:`. */
  readonly file: string;
  /** Only reads: opens a SQLite file that way, which works on read-only storage, and accepts a standby of PostgreSQL. */
  readonly reads?: boolean;
  /** Lets connections to PostgreSQL prevent `svc move` from moving its data (default true). */
  readonly holds?: boolean;
  /** The most connections to PostgreSQL at once (default 10). */
  readonly pool?: number;
}

/**
 * Opens the database. It does not migrate the schema; see `migrate`.
 * @param statementSeconds the time limit of PostgreSQL statements; null for no limit, for work that no request waits for:
 *   migrations, verification, exports.
 */
export function openDatabase(location: DatabaseLocation, statementSeconds: number | null = null): Database {
  const { kysely, pool, abandon, close } =
    location.url === null
      ? openFile(location, statementSeconds)
      : openPostgres(location.url, statementSeconds, location);
  return {
    dialect: location.url === null ? 'sqlite' : 'postgres',
    kysely,
    signals: new EventEmitter(),
    pool,
    clock: systemClock,
    seal: null,
    abandon,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Gives a database the key of its installation, with which rows are sealed. */
export function attachSeal(database: Database, seal: RowSeal): Database {
  bindSeal(database.kysely, seal);
  return { ...database, seal };
}

function openFile({ file, reads = false }: DatabaseLocation, statementSeconds: number | null) {
  // A wait inside SQLite would block all requests; `inTransaction` waits outside it instead.
  const kysely = reads ? openSqliteToRead(file) : openSqlite(file, statementSeconds === null ? 10_000 : 0);
  return { kysely, pool: null, abandon: () => undefined, close: () => kysely.destroy() };
}

/**
 * One change with everything that belongs to it (audit events, idempotent response) in one transaction. Inside, only the
 * database may be accessed; actions that require a successful commit are registered with `afterCommit`.
 */
export interface Transaction {
  readonly queries: KyselyTransaction<Tables>;
  /** The time of every row of the change: RFC 3339, UTC, milliseconds. */
  readonly now: string;
  /** Returns the current time, which is later than `now` if the change had to wait. */
  readonly clock: Clock;
  afterCommit(step: () => void): void;
  /** Sends statements whose results nobody needs, without waiting for them; the transaction fails if one does. */
  send(statements: readonly CompiledQuery[]): Promise<void>;
  /** Reads the account of a user and locks it until the transaction ends. @throws {AccountGone} @throws {BrokenSeal} */
  lockAccount(id: string): Promise<Selectable<Tables['users']>>;
  /**
   * Locks tenants until the transaction ends. Every change of a tenant appends an audit event, so the head of the audit
   * log is the lock: changes that must not run concurrently wait here, before they read.
   */
  lockTenant(...ids: readonly string[]): Promise<void>;
  /** Notes a lock that the next query takes; false if it is held. @throws {Error} if it is out of order (`lockOrder`). */
  noteLock(kind: LockKind, id: string): boolean;
  readonly signals: Signals;
  /** The `traceparent` of the one request that the change is for. */
  readonly traceParent?: string | null;
  /** Null if the database was opened without the secret: then nothing can be appended to a chain. */
  readonly seal: RowSeal | null;
}

/**
 * The order in which a transaction takes its locks, which prevents deadlocks. Locks of one kind are taken in the order of
 * their ids. Those of the other rows fit in like this:
 *
 * 1. idempotency keys, by tenant and key;
 * 2. `account`: the row of a user;
 * 3. notices, by tenant and id;
 * 4. `consent`: the head of a consent ledger. A consent record takes it;
 * 5. `tenant`: the head of an audit log. An audit event takes it;
 * 6. rows that change only under the lock of their account or tenant.
 */
const lockOrder = ['account', 'consent', 'tenant'] as const;
export type LockKind = (typeof lockOrder)[number];

/** The outcome of one of several changes in a transaction: its result, or the error that affects only it. */
export type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

/** Runs `step` as one transaction and returns its result once it is durable. */
export async function runTransaction<Result>(
  database: Database,
  now: string,
  step: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  let followUps: (() => void)[] = [];
  const { clock, signals, seal } = database;
  const result = await inTransaction(database, async (transaction) => {
    followUps = [];
    const afterCommit = (followUp: () => void) => followUps.push(followUp);
    const sent: Promise<unknown>[] = [];
    let failure: unknown;
    const send = async (statements: readonly CompiledQuery[]) => {
      for (const answer of await sendStatements(transaction, statements))
        sent.push(answer.catch((error: unknown) => (failure ??= error)));
    };
    const tx = { queries: transaction, now, clock, afterCommit, send, ...createLocks(transaction), signals, seal };
    const [outcome] = await Promise.allSettled([step(tx)]);
    await Promise.all(sent);
    // Later statements only report that the transaction cannot go on.
    if (failure !== undefined) throw failure;
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
  for (const followUp of followUps) followUp();
  return result;
}

/** The account of a user was erased after a request had found it. */
export class AccountGone extends Error {
  override readonly name = 'AccountGone';
}

function createLocks(
  transaction: KyselyTransaction<Tables>,
): Pick<Transaction, 'lockAccount' | 'lockTenant' | 'noteLock'> {
  const held = new Set<string>();
  let latest = '';
  const noteLock = (kind: LockKind, id: string): boolean => {
    const lock = `${lockOrder.indexOf(kind)} ${kind} ${id}`;
    if (held.has(lock)) return false;
    if (lock < latest) throw new Error(`the lock "${lock}" must be taken before "${latest}"`);
    held.add(lock);
    latest = lock;
    return true;
  };
  return {
    noteLock,
    async lockAccount(id) {
      noteLock('account', id);
      const query = transaction.selectFrom('users').selectAll().where('id', '=', id);
      // The key does not change, so inserts of rows that reference it do not wait.
      const locked = locksRows(transaction) ? query.forNoKeyUpdate() : query;
      const account = await locked.executeTakeFirstOrThrow(() => new AccountGone());
      requireHeld(transaction, 'users', account);
      return account;
    },
    async lockTenant(...ids) {
      for (const id of ids.toSorted()) if (noteLock('tenant', id)) await lockAuditHead(transaction, { id });
    },
  };
}

const lockAuditHead = prepareQuery<{ id: string }, unknown>((queries, parameter) => {
  const query = queries
    .selectFrom('chain_heads')
    .select('sequence')
    .where('tenant_id', '=', parameter('id'))
    .where('ledger', '=', 'audit');
  return locksRows(queries) ? query.forUpdate() : query;
});

/**
 * Runs `step` in one transaction, which commits completely or not at all. After a deadlock or serialization failure it
 * runs again, so `step` may do nothing but query the database. While another process writes to the SQLite file, it is
 * retried for some seconds without blocking other work.
 * @throws {DatabaseUnavailable} if the database cannot be used at the moment.
 */
export async function inTransaction<Result>(
  database: Database,
  step: (transaction: KyselyTransaction<Tables>) => Promise<Result>,
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

/** True if one of the written rows can be the cause of a failed write: a constraint, or a value of the wrong type. */
export function blamesRow(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/.test(code) || /^2[23]\w{3}$/.test(code);
}
