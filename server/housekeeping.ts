import type { Logger } from 'pino';
import { forgetExpiredTokens } from './access/access-token-store.ts';
import { forgetEndedSessions } from './access/session-store.ts';
import type { App } from './app.ts';
import { forgetExpiredKeys, mostForgotten } from './http/idempotency.ts';
import { shareCounts } from './http/rate-limit-store.ts';
import { forgetSignIns } from './identity/sign-in-store.ts';
import type { Installation } from './installation.ts';
import { CheckpointKeeper } from './proofs/checkpoint-keeper.ts';
import { type Repeated, repeat } from './repeat.ts';
import { inTransaction } from './storage/database.ts';
import { forgetOldEvents } from './webhooks/retention.ts';

/**
 * Every minute forgets what has expired and signs the checkpoints that are due; every ten seconds writes when credentials
 * were used; on PostgreSQL, shares the counts of the rate limits every half second.
 */
export function startHousekeeping(
  { database, clock, hasher, signer, settings }: Installation,
  { limiter, lastUses }: Pick<App, 'limiter' | 'lastUses'>,
  log: Logger,
): Repeated {
  const forgetKeys = async () => (await forgetExpiredKeys(database.kysely, clock())) === mostForgotten;
  const forgetRest = async () => {
    await forgetExpiredTokens(database.kysely, clock());
    await forgetEndedSessions(database.kysely, clock(), settings.sessionLifetime);
    await forgetSignIns(database.kysely, clock());
    return false;
  };
  const forgetEvents = () => inTransaction(database, (transaction) => forgetOldEvents(transaction, clock()));
  const writeUses = async () => {
    await lastUses.write(database.kysely);
    return false;
  };
  const keeper = new CheckpointKeeper({ database, signer, interval: settings.checkpointInterval });
  const tidy = [forgetKeys, forgetRest, forgetEvents, () => keeper.step(clock())];
  const every = (milliseconds: number, step: () => Promise<boolean>) =>
    repeat({ every: milliseconds, task: 'housekeeping', log }, step);
  const tasks = [...tidy.map((step) => every(60_000, step)), every(10_000, writeUses)];
  if (database.dialect === 'postgres') {
    const share = async () => {
      await shareCounts(database.kysely, limiter, hasher);
      return false;
    };
    tasks.push(every(500, share));
  }
  return {
    stop: async () => {
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}
