import { deleteExpiredTokens } from '../access/access-token-store.ts';
import { deleteEndedSessions } from '../access/session-store.ts';
import type { App } from '../app.ts';
import { forgetExpiredKeys, mostForgotten } from '../http/idempotency.ts';
import { deleteExpiredSignIns } from '../identity/sign-in.ts';
import type { Installation } from '../installation/installation.ts';
import type { CheckpointKeeper } from '../proofs/checkpoint-keeper.ts';
import { inTransaction, type Queries } from '../storage/database.ts';
import type { FaultLog } from '../storage/fault-log.ts';
import { type Repeated, repeat } from '../storage/repeat.ts';
import { forgetOldEvents } from '../webhooks/deliveries/store.ts';

/**
 * Every minute deletes what has expired and signs the checkpoints that are due; every ten seconds writes when credentials
 * were used; on PostgreSQL, shares the counts of the rate limits every half second.
 */
export function startHousekeeping(
  { database, clock, hasher, settings }: Installation,
  { limiter, lastUses, keeper }: Pick<App, 'limiter' | 'lastUses'> & { readonly keeper: CheckpointKeeper },
  faults: FaultLog,
): Repeated {
  const every = (milliseconds: number, step: () => Promise<unknown>) =>
    repeat({ every: milliseconds, task: 'housekeeping', faults }, async () => (await step()) === true);
  // In a transaction, which waits for the lock of another process, as a statement by itself does not.
  const change = <Result>(step: (queries: Queries) => Promise<Result>) => inTransaction(database, step);
  const tasks = [
    every(60_000, async () => (await change((queries) => forgetExpiredKeys(queries, clock()))) === mostForgotten),
    every(60_000, () =>
      change(async (queries) => {
        await deleteExpiredTokens(queries, clock());
        await deleteEndedSessions(queries, clock(), settings.sessionLifetime);
        await deleteExpiredSignIns(queries, clock());
      }),
    ),
    every(60_000, () => change((queries) => forgetOldEvents(queries, clock()))),
    every(60_000, () => keeper.step(clock())),
    every(10_000, () => lastUses.write(database)),
  ];
  if (database.dialect === 'postgres') tasks.push(every(500, () => limiter.exchange(database.kysely, hasher)));
  return {
    stop: async () => {
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}
