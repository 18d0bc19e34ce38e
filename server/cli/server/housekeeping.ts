import { deleteExpiredTokens } from '../../accounts/keys/access-token-store.ts';
import { deleteEndedSessions } from '../../accounts/sign-in/session-store.ts';
import { deleteExpiredSignIns } from '../../accounts/sign-in/sign-in.ts';
import { deleteAbandonedFile } from '../../controls/file-store.ts';
import { forgetExpiredKeys, mostForgotten } from '../../http/idempotency.ts';
import type { Installation } from '../../installation/installation.ts';
import { completeErasures } from '../../ledger/erasure-store.ts';
import { continueErasure } from '../../privacy/erasure/erase.ts';
import { eraseExpired } from '../../privacy/erasure/retention.ts';
import { emptyErasedLog, forgetErased } from '../../privacy/erasure/store.ts';
import { continueUserErasure } from '../../privacy/erasure/user-store.ts';
import { deleteUnconfirmed, forgetFormUses } from '../../privacy/form-store.ts';
import type { CheckpointKeeper } from '../../proofs/checkpoint-keeper.ts';
import type { LogKeeper } from '../../proofs/log-keeper.ts';
import { forgetRuns } from '../../proofs/verification-store.ts';
import { inTransaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { type Repeated, repeat } from '../../storage/repeat.ts';
import { forgetOldEvents } from '../../webhooks/deliveries/retention-store.ts';
import type { App } from './app.ts';

/**
 * Every minute deletes what has expired, signs the checkpoints that are due and starts the verification that is; every ten
 * seconds writes when credentials were used, every five where banners were seen; every second continues erasures; on
 * PostgreSQL, every half second shares the counts of the rate limits.
 */
export function startHousekeeping(
  { database, clock, hasher, box, settings, erasures }: Installation,
  {
    limiter,
    lastUses,
    sightings,
    verifier,
    faults,
  }: Pick<App, 'limiter' | 'lastUses' | 'sightings' | 'verifier' | 'faults'>,
  keeper: CheckpointKeeper,
  logKeeper: LogKeeper,
): Repeated {
  const every = (milliseconds: number, step: () => Promise<unknown>) =>
    repeat({ every: milliseconds, task: 'housekeeping', faults }, async () => (await step()) === true);
  // In a transaction, which waits for the lock of another process, as a statement by itself does not.
  const change = <Result>(step: (queries: Queries) => Promise<Result>) => inTransaction(database, step);
  // At the start too: the process before this one may have ended in between.
  const erased = { isInLog: true, isInFile: false };
  database.signals.on('erased', () => {
    erased.isInLog = erased.isInFile = true;
  });
  /** Tries again, also after a failure, until there is nothing left. */
  const remove = async (place: keyof typeof erased, step: () => Promise<boolean>) => {
    if (!erased[place]) return;
    erased[place] = false;
    let isGone = false;
    try {
      isGone = await step();
    } finally {
      erased[place] ||= !isGone;
    }
  };
  const tasks = [
    every(1000, () => continueErasure(database, clock())),
    every(1000, () => continueUserErasure(database, box, clock())),
    every(1000, () => remove('isInLog', () => emptyErasedLog(database))),
    // Writing the file again holds everything up for a moment: once for all erasures of a minute.
    every(60_000, () => remove('isInFile', () => forgetErased(database, { hasErased: true }))),
    every(60_000, async () => (await change((queries) => forgetExpiredKeys(queries, clock()))) === mostForgotten),
    every(60_000, () =>
      change(async (queries) => {
        await deleteExpiredTokens(queries, clock());
        await deleteEndedSessions(queries, clock(), settings.sessionLifetime);
        await deleteExpiredSignIns(queries, clock());
      }),
    ),
    every(60_000, () => forgetOldEvents(database, clock())),
    every(60_000, () => change((queries) => deleteAbandonedFile(queries, clock()))),
    every(60_000, () => change((queries) => forgetFormUses(queries, clock()))),
    every(60_000, () => deleteUnconfirmed(database, clock())),
    every(60_000, () => eraseExpired(database, clock())),
    every(60_000, () => change((queries) => forgetRuns(queries, clock()))),
    every(60_000, () => keeper.step(clock())),
    every(60_000, () => logKeeper.step(clock())),
    every(60_000, () => completeErasures(database.kysely, erasures)),
    every(60_000, () => verifier.step(clock())),
    every(10_000, () => lastUses.write(database)),
    every(5_000, () => sightings.write(database)),
  ];
  if (database.dialect === 'postgres') tasks.push(every(500, () => limiter.exchange(database.kysely, hasher)));
  return {
    stop: async () => {
      logKeeper.stop();
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}
