import type { Logger } from 'pino';
import { forgetExpiredKeys } from './http/idempotency.ts';
import type { RateLimiter } from './http/rate-limit.ts';
import { shareCounts } from './http/rate-limit-store.ts';
import type { Installation } from './installation.ts';

/** What runs beside the requests. */
export interface Housekeeping {
  stop(): Promise<void>;
}

/** Forgets old idempotency keys every minute; on PostgreSQL, shares the counts of the rate limits every half second. */
export function startHousekeeping(
  { database, clock, hasher }: Installation,
  limiter: RateLimiter,
  log: Logger,
): Housekeeping {
  const tasks = [repeat(60_000, () => forgetExpiredKeys(database.kysely, clock()), log)];
  if (database.dialect === 'postgres')
    tasks.push(repeat(500, () => shareCounts(database.kysely, limiter, hasher), log));
  return {
    stop: async () => {
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}

function repeat(milliseconds: number, step: () => Promise<unknown>, log: Logger): Housekeeping {
  let running: Promise<void> = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    running = step()
      .then(() => undefined)
      .catch((error: unknown) => log.error({ err: error }, 'housekeeping failed'))
      .finally(() => {
        busy = false;
      });
  }, milliseconds);
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
      return running;
    },
  };
}
