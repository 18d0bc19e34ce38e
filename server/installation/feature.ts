import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { RateLimiter } from '../http/rate-limit.ts';
import type { Route } from '../http/route.ts';
import type { FaultLog } from '../storage/fault-log.ts';
import type { ReadReplica } from '../storage/read-replica.ts';
import type { Repeated } from '../storage/repeat.ts';
import type { Installation } from './installation.ts';

/** The installation with what all features of a running server share. */
export interface Services extends Installation {
  readonly log: Logger;
  readonly limiter: RateLimiter;
  readonly faults: FaultLog;
  /** The standby that answers reads; null without `DATABASE_READ_URL`. */
  readonly replica: ReadReplica | null;
}

/** Adds numbers of what a task did, by name, to the log line of the housekeeping. */
export type CountWork = (counts: Readonly<Record<string, number>>) => void;

/**
 * A step of housekeeping. A failed run is logged, and repeated after the interval. It writes in a transaction: unlike a
 * statement by itself, a transaction waits for the lock of another process.
 */
export interface Task {
  /** Milliseconds between two runs. */
  readonly every: number;
  /**
   * @param count called after a commit, because a transaction can be repeated.
   * @returns true if there is more to do immediately.
   */
  run(now: string, count: CountWork): Promise<unknown>;
}

/** A part of the server: what it adds to the API, the pages and the housekeeping. `cli/server/app.ts` lists them all. */
export interface Feature {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly tasks?: readonly Task[];
  /** Public pages, tried in order after the routes. */
  readonly pages?: readonly Middleware[];
  /** Runs before the server listens. */
  start?(): Promise<void>;
  /** Starts work beside the requests: it runs from when the server listens until its last request is answered. */
  background?(): Repeated;
  /** Interrupts tasks that wait for other servers. */
  interrupt?(): void;
  /** Ends what runs, and writes what waits in memory. */
  drain?(): Promise<void>;
}
