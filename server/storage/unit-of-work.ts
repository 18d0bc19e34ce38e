import type { Transaction } from 'kysely';
import type { Clock } from './clock.ts';
import { type Database, inTransaction } from './database.ts';
import type { Signals } from './signals.ts';
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
  readonly signals: Signals;
  /** Null if the database was opened without the secret: then nothing can be appended to a chain. */
  readonly seal: RowSeal | null;
}

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
    return step({ transaction, now, clock, afterCommit: (followUp) => followUps.push(followUp), signals, seal });
  });
  for (const followUp of followUps) followUp();
  return result;
}
