import { forgetExpiredKeys, mostForgotten } from '../../http/idempotency.ts';
import type { Task } from '../../installation/feature.ts';
import type { Installation } from '../../installation/installation.ts';
import { inTransaction } from '../../storage/database.ts';
import { type Repeated, repeat } from '../../storage/repeat.ts';
import type { App } from './app.ts';

/** Starts the tasks of all features, and those of the pipeline: stored responses that expired, and shared rate limits. */
export function startHousekeeping({ database, clock, hasher }: Installation, app: App): Repeated {
  const { features, faults, limiter } = app;
  const tasks: Task[] = features.flatMap((feature) => feature.tasks ?? []);
  tasks.push({
    every: 60_000,
    run: (now) => inTransaction(database, async (queries) => (await forgetExpiredKeys(queries, now)) === mostForgotten),
  });
  if (database.dialect === 'postgres') tasks.push({ every: 500, run: () => limiter.exchange(database.kysely, hasher) });
  const running = tasks.map(({ every, run }) =>
    repeat({ every, task: 'housekeeping', faults }, async () => (await run(clock())) === true),
  );
  return {
    stop: async () => {
      for (const feature of features) feature.interrupt?.();
      await Promise.all(running.map((task) => task.stop()));
    },
  };
}
