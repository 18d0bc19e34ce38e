import { forgetExpiredKeys, mostForgotten } from '../../http/idempotency.ts';
import type { CountWork, Task } from '../../installation/feature.ts';
import type { Installation } from '../../installation/installation.ts';
import { inTransaction } from '../../storage/database.ts';
import { type Repeated, repeat } from '../../storage/repeat.ts';
import type { App } from './app.ts';

/** Starts the tasks of all features, and those of the pipeline: stored responses that expired, and shared rate limits. */
export function startHousekeeping({ database, clock, hasher }: Installation, app: App): Repeated {
  const { features, faults, limiter, replica } = app;
  const counts = new Map<string, number>();
  const count: CountWork = (more) => {
    for (const [name, number] of Object.entries(more))
      if (number > 0) counts.set(name, (counts.get(name) ?? 0) + number);
  };
  const logCounts = () => {
    if (counts.size > 0) faults.log.info(Object.fromEntries(counts), 'housekeeping');
    counts.clear();
  };
  const start = (feature: string, { every, run }: Task) =>
    repeat({ every, task: `housekeeping (${feature})`, faults }, async () => (await run(clock(), count)) === true);
  const running = features.flatMap(({ name, tasks = [] }) => tasks.map((task) => start(name, task)));
  const forgetKeys = async (now: string) => {
    const idempotencyKeys = await inTransaction(database, (queries) => forgetExpiredKeys(queries, now));
    count({ idempotencyKeys });
    return idempotencyKeys === mostForgotten;
  };
  running.push(start('http', { every: 60_000, run: forgetKeys }));
  if (database.dialect === 'postgres')
    running.push(start('http', { every: 500, run: () => limiter.exchange(database.kysely, hasher) }));
  if (replica !== null) running.push(start('http', { every: 1000, run: () => replica.step() }));
  // One line for the many steps of a minute.
  running.push(start('log', { every: 60_000, run: async () => logCounts() }));
  return {
    stop: async () => {
      for (const feature of features) feature.interrupt?.();
      await Promise.all(running.map((task) => task.stop()));
      logCounts();
    },
  };
}
