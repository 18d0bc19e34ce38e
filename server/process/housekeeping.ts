import { deleteExpiredTokens } from '../access/access-token.ts';
import { deleteEndedSessions } from '../access/session-store.ts';
import type { App } from '../app.ts';
import { forgetExpiredKeys, mostForgotten } from '../http/idempotency.ts';
import { SharedCounts } from '../http/rate-limit.ts';
import { deleteExpiredSignIns } from '../identity/sign-in-store.ts';
import type { Installation } from '../installation/installation.ts';
import type { CheckpointKeeper } from '../proofs/checkpoint-keeper.ts';
import { inTransaction, type Queries } from '../storage/database.ts';
import type { FaultLog } from '../storage/fault-log.ts';
import { type Repeated, repeat } from '../storage/repeat.ts';
import { forgetOldEvents } from '../webhooks/deliveries/retention.ts';

/**
 * Every minute forgets what has expired and signs the checkpoints that are due; every ten seconds writes when credentials
 * were used; on PostgreSQL, shares the counts of the rate limits every half second.
 */
export function startHousekeeping(
  { database, clock, hasher, settings }: Installation,
  { limiter, lastUses, keeper }: Pick<App, 'limiter' | 'lastUses'> & { readonly keeper: CheckpointKeeper },
  faults: FaultLog,
): Repeated {
  // Waits for the lock of another process, which a statement by itself does not.
  const change = <Result>(step: (queries: Queries) => Promise<Result>) => inTransaction(database, step);
  const forgetKeys = async () => (await change((queries) => forgetExpiredKeys(queries, clock()))) === mostForgotten;
  const forgetRest = async () => {
    await change(async (queries) => {
      await deleteExpiredTokens(queries, clock());
      await deleteEndedSessions(queries, clock(), settings.sessionLifetime);
      await deleteExpiredSignIns(queries, clock());
    });
    return false;
  };
  const forgetEvents = () => change((queries) => forgetOldEvents(queries, clock()));
  const writeUses = async () => {
    await lastUses.write(database);
    return false;
  };
  const tidy = [forgetKeys, forgetRest, forgetEvents, () => keeper.step(clock())];
  const every = (milliseconds: number, step: () => Promise<boolean>) =>
    repeat({ every: milliseconds, task: 'housekeeping', faults }, step);
  const tasks = [...tidy.map((step) => every(60_000, step)), every(10_000, writeUses)];
  if (database.dialect === 'postgres') {
    const counts = new SharedCounts(database.kysely, limiter, hasher);
    const share = async () => {
      await counts.exchange();
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
