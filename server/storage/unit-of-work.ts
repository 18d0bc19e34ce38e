import type { Selectable, Transaction } from 'kysely';
import type { Clock } from './clock.ts';
import { type Database, inTransaction, locksRows, type Signals } from './database.ts';
import { prepareQuery } from './prepared-query.ts';
import type { Tables } from './tables.ts';

/**
 * One change with everything that belongs to it (audit events, idempotent response) in one transaction. Inside, only the
 * database may be accessed; actions that require a successful commit are registered with `afterCommit`.
 */
export interface UnitOfWork {
  readonly transaction: Transaction<Tables>;
  /** The time of every row of the change: RFC 3339, UTC, milliseconds. */
  readonly now: string;
  /** Returns the current time, which is later than `now` if the change had to wait. */
  readonly clock: Clock;
  afterCommit(step: () => void): void;
  /** Reads the account of a user and locks it until the unit of work ends. */
  lockAccount(id: string): Promise<Selectable<Tables['users']>>;
  /**
   * Locks tenants until the unit of work ends. Every change of a tenant appends an audit event, so the head of the audit
   * log is the lock: changes that must not run concurrently wait here, before they read.
   */
  lockTenant(...ids: readonly string[]): Promise<void>;
  /** Notes a lock that the next query takes; false if it is held. @throws {Error} if it is out of order (`lockOrder`). */
  noteLock(kind: LockKind, id: string): boolean;
  readonly signals: Signals;
  /** Null if the database was opened without the secret: then nothing can be appended to a chain. */
  readonly seal: RowSeal | null;
}

/**
 * The order in which a unit of work takes its locks, which prevents deadlocks. Locks of one kind are taken in the order of
 * their ids. Those of the other rows fit in like this:
 *
 * 1. idempotency keys, by tenant and key;
 * 2. `account`: the row of a user;
 * 3. notices, by id;
 * 4. `consent`: the head of a consent ledger. A consent record takes it;
 * 5. `tenant`: the head of an audit log. An audit event takes it;
 * 6. rows that change only under the lock of their account or tenant.
 */
const lockOrder = ['account', 'consent', 'tenant'] as const;
export type LockKind = (typeof lockOrder)[number];

/** The outcome of one of several changes in a unit of work: its result, or the error that affects only it. */
export type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

/** Keyed hashes of rows that only a server of this installation may write. */
export interface RowSeal {
  /** The id of the key, which identifies the secret that sealed a row. */
  readonly keyId: string;
  seal(text: string): string;
  /** The stored hash of a token: only a server of this installation can write a row with it. */
  hashToken(token: string): string;
}

/** The key that seals rows. @throws {Error} if the database was opened without the secret. */
export function requireSeal({ seal }: { readonly seal: RowSeal | null }): RowSeal {
  if (seal === null) throw new Error('the database was opened without the secret: sealed rows cannot be written');
  return seal;
}

/** Runs `step` as one unit of work and returns its result once it is durable. */
export async function runUnitOfWork<Result>(
  database: Database,
  now: string,
  step: (work: UnitOfWork) => Promise<Result>,
): Promise<Result> {
  let followUps: (() => void)[] = [];
  const { clock, signals, seal } = database;
  const result = await inTransaction(database, (transaction) => {
    followUps = [];
    const afterCommit = (followUp: () => void) => followUps.push(followUp);
    return step({ transaction, now, clock, afterCommit, ...createLocks(transaction), signals, seal });
  });
  for (const followUp of followUps) followUp();
  return result;
}

function createLocks(transaction: Transaction<Tables>): Pick<UnitOfWork, 'lockAccount' | 'lockTenant' | 'noteLock'> {
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
      return (locksRows(transaction) ? query.forNoKeyUpdate() : query).executeTakeFirstOrThrow();
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
