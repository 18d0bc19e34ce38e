import { sql } from 'kysely';
import type { Logger } from 'pino';
import { type Database, inTransaction } from './database.ts';
import { DatabaseUnavailable } from './unavailable.ts';

/** An outage in progress. */
interface Outage {
  readonly since: number;
  lastFailure: number;
  refusedRequests: number;
}

/**
 * Logs failures. An outage of the database is logged in two lines, at its start and at its end, instead of one for each
 * failed request and task.
 */
export class FaultLog {
  readonly log: Logger;
  readonly #database: Database;
  #outage: Outage | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(database: Database, log: Logger) {
    this.log = log;
    this.#database = database;
  }

  /** Logs that a task of the server failed. */
  logTask(error: unknown, message: string): void {
    if (error instanceof DatabaseUnavailable) this.#note(error);
    else this.log.error({ err: error }, message);
  }

  /** Logs that a request failed. @returns true for an outage of the database. */
  logRequest(error: unknown, requestId: string): boolean {
    const isOutage = error instanceof DatabaseUnavailable;
    if (isOutage) this.#note(error).refusedRequests += 1;
    else this.log.error({ requestId, err: error }, 'request failed');
    return isOutage;
  }

  /** Stops checking whether the outage is over. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #note({ code, message }: DatabaseUnavailable): Outage {
    const now = performance.now();
    if (this.#outage === null) {
      this.#outage = { since: now, lastFailure: now, refusedRequests: 0 };
      this.log.error({ reason: { ...(code !== undefined && { code }), message } }, 'database unavailable');
      this.#look();
    }
    this.#outage.lastFailure = now;
    return this.#outage;
  }

  #look(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#endIfOver(), quietMilliseconds).unref();
  }

  /** The outage is over when nothing has failed for a moment and a write succeeds: a full disk still allows reads. */
  async #endIfOver(): Promise<void> {
    const outage = this.#outage as Outage;
    const isQuiet = performance.now() - outage.lastFailure >= quietMilliseconds;
    if (!isQuiet || !(await this.#canWrite(outage))) return this.#look();
    this.#outage = null;
    const { since, lastFailure, refusedRequests } = outage;
    this.log.warn({ milliseconds: Math.round(lastFailure - since), refusedRequests }, 'database available again');
  }

  async #canWrite(outage: Outage): Promise<boolean> {
    try {
      await inTransaction(this.#database, (transaction) =>
        sql`update installation set created_at = created_at`.execute(transaction),
      );
      return true;
    } catch {
      outage.lastFailure = performance.now();
      return false;
    }
  }
}

const quietMilliseconds = 1000;
