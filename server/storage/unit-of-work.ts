import type { Transaction } from 'kysely';
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
  afterCommit(step: () => void): void;
  readonly signals: Signals;
}

/** Runs `step` as one unit of work and returns its result once it is durable. */
export async function runUnitOfWork<Result>(
  database: Database,
  now: string,
  step: (work: UnitOfWork) => Promise<Result>,
): Promise<Result> {
  let followUps: (() => void)[] = [];
  const result = await inTransaction(database, (transaction) => {
    followUps = [];
    return step({ transaction, now, afterCommit: (followUp) => followUps.push(followUp), signals: database.signals });
  });
  for (const followUp of followUps) followUp();
  return result;
}
