import type { Transaction } from 'kysely';
import type { Clock } from './clock.ts';
import { type Database, inTransaction } from './database.ts';
import type { Signals } from './signals.ts';
import type { Tables } from './tables.ts';

/**
 * One change and all that belongs to it (its audit events, its idempotent answer), in one transaction.
 * Nothing but the database may be touched inside; what must follow a successful commit is left with `afterCommit`.
 */
export interface UnitOfWork {
  readonly transaction: Transaction<Tables>;
  /** The one time that every row of the change carries: RFC 3339, UTC, milliseconds. */
  readonly now: string;
  /** Returns the time in the middle of the change, which may have waited since `now`. */
  readonly clock: Clock;
  afterCommit(step: () => void): void;
  readonly signals: Signals;
  /** Null where the database was opened without the secret: nothing can be appended to a chain then. */
  readonly seal: RowSeal | null;
}

/** What became of one of several changes in a unit of work: its result, or the error that concerns only it. */
export type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

/** Keyed hashes of rows that only a server of this installation may write. */
export interface RowSeal {
  /** Names the key, so that a row says which secret it was sealed under. */
  readonly keyId: string;
  seal(text: string): string;
  /** What is stored of a token and looked up: a row with it was written by a server of this installation. */
  hashToken(token: string): string;
}

/** What seals rows. @throws {Error} where the database was opened without the secret. */
export function requireSeal({ seal }: { readonly seal: RowSeal | null }): RowSeal {
  if (seal === null) throw new Error('the database was opened without the secret: what it seals cannot be written');
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
