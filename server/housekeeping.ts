import type { Logger } from 'pino';
import { forgetExpiredTokens } from './access/access-token-store.ts';
import { forgetEndedSessions } from './access/session-store.ts';
import type { App } from './app.ts';
import { forgetExpiredKeys, mostForgotten } from './http/idempotency.ts';
import { shareCounts } from './http/rate-limit-store.ts';
import { forgetSignIns } from './identity/sign-in-store.ts';
import type { Installation } from './installation.ts';
import { CheckpointKeeper } from './proofs/checkpoint-keeper.ts';
import { forgetOldEvents } from './webhooks/outbox.ts';

/** What runs beside the requests. */
export interface Housekeeping {
  stop(): Promise<void>;
}

/**
 * Every minute forgets what has expired and signs the checkpoints that are due; every ten seconds writes when credentials
 * were used; on PostgreSQL, shares the counts of the rate limits every half second.
 * @param tidies whether the work of every minute is done.
 */
export function startHousekeeping(
  { database, clock, hasher, signer, settings }: Installation,
  { limiter, lastUses }: Pick<App, 'limiter' | 'lastUses'>,
  log: Logger,
  tidies = true,
): Housekeeping {
  const forgetKeys = async () => (await forgetExpiredKeys(database.kysely, clock())) === mostForgotten;
  const forgetRest = async () => {
    await forgetExpiredTokens(database.kysely, clock());
    await forgetEndedSessions(database.kysely, clock(), settings.sessionLifetime);
    await forgetSignIns(database.kysely, clock());
    await forgetOldEvents(database.kysely, clock());
    return false;
  };
  const writeUses = async () => {
    await lastUses.write(database.kysely);
    return false;
  };
  const keeper = new CheckpointKeeper({ database, signer, interval: settings.checkpointInterval });
  const tidy = [forgetKeys, forgetRest, () => keeper.step(clock())];
  const tasks = [...(tidies ? tidy.map((step) => repeat(60_000, step, log)) : []), repeat(10_000, writeUses, log)];
  if (database.dialect === 'postgres') {
    const share = async () => {
      await shareCounts(database.kysely, limiter, hasher);
      return false;
    };
    tasks.push(repeat(500, share, log));
  }
  return {
    stop: async () => {
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}

/** Between two steps of work that is not done yet, requests have their turn. */
const pauseMilliseconds = 50;

/** Runs a step again and again, each time after a wait. @param step tells whether there is more to do at once. */
function repeat(milliseconds: number, step: () => Promise<boolean>, log: Logger): Housekeeping {
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  let timer: NodeJS.Timeout;
  const wait = (time: number) => {
    timer = setTimeout(() => {
      running = run();
    }, time).unref();
  };
  const run = async () => {
    const more = await step().catch((error: unknown) => {
      log.error({ err: error }, 'housekeeping failed');
      return false;
    });
    if (!stopped) wait(more ? pauseMilliseconds : milliseconds);
  };
  wait(milliseconds);
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
