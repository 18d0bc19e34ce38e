import { forgetExpiredKeys, mostForgotten } from '../../http/idempotency.ts';
import type { Task } from '../../installation/feature.ts';
import type { Installation } from '../../installation/installation.ts';
import { inTransaction } from '../../storage/database.ts';
import { type Repeated, repeat } from '../../storage/repeat.ts';
import type { App } from './app.ts';

/** Starts the tasks of all features, and those of the pipeline: stored responses that expired, and shared rate limits. */
export function startHousekeeping({ database, clock, hasher }: Installation, app: App): Repeated {
  const { features, faults, limiter } = app;
  const start = (feature: string, { every, run }: Task) =>
    repeat({ every, task: `housekeeping (${feature})`, faults }, async () => (await run(clock())) === true);
  const running = features.flatMap(({ name, tasks = [] }) => tasks.map((task) => start(name, task)));
  const forgetKeys = (now: string) =>
    inTransaction(database, async (queries) => (await forgetExpiredKeys(queries, now)) === mostForgotten);
  running.push(start('http', { every: 60_000, run: forgetKeys }));
  if (database.dialect === 'postgres')
    running.push(start('http', { every: 500, run: () => limiter.exchange(database.kysely, hasher) }));
  return {
    stop: async () => {
      for (const feature of features) feature.interrupt?.();
      await Promise.all(running.map((task) => task.stop()));
    },
  };
}
