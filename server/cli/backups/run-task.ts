import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Settings } from '../../settings.ts';
import type { Clock } from '../../storage/clock.ts';
import { type Database, inTransaction } from '../../storage/database.ts';
import type { WorkerInput, WorkerOutcome } from './backup-worker.ts';
import { removeDraft } from './draft-folder.ts';
import { type BackupTask, claimTask, completeTask, failTask, recordHeartbeat, releaseTask } from './task-store.ts';

/** The parts of an installation that a task uses. */
export interface TaskPlace {
  readonly database: Database;
  readonly settings: Settings;
  readonly clock: Clock;
}

/** How often a running task is recorded, in milliseconds. */
const heartbeatEvery = 10_000;

/**
 * Runs a task in a thread, unless it is not due or another process works on it.
 * @param interval in milliseconds after which it is due; null to run it in any case.
 * @param signal ends it.
 * @returns the outcome, which is recorded in the database; null if it did not run or was ended.
 */
export async function runTask(
  { database, settings, clock }: TaskPlace,
  task: BackupTask,
  interval: number | null,
  signal?: AbortSignal,
): Promise<WorkerOutcome | null> {
  const isStopped = () => signal?.aborted === true;
  if (isStopped()) return null;
  const now = clock();
  const claim = await inTransaction(database, (queries) => claimTask(queries, task, now, interval));
  if (claim === null) return null;
  let isLost = false;
  const outcome = await runWorker({ settings, task, now }, signal, (stop) => {
    recordHeartbeat(database.kysely, task, claim, clock()).then(
      (isOurs) => {
        isLost = !isOurs;
        if (isLost) stop();
      },
      // The outcome cannot be recorded either, if it stays like this.
      () => undefined,
    );
  });
  // A thread that is terminated disposes of nothing, and its draft has the database and the secret.
  if (!isLost) removeDraft(settings.dataDir, task);
  if (isStopped()) {
    await inTransaction(database, (queries) => releaseTask(queries, task, claim));
    return null;
  }
  const end = clock();
  await inTransaction(database, (queries) =>
    'failure' in outcome
      ? failTask(queries, task, claim, end, outcome.failure)
      : completeTask(queries, task, claim, end, { name: outcome.name, bytes: outcome.bytes }),
  );
  return outcome;
}

async function runWorker(
  workerData: WorkerInput,
  signal: AbortSignal | undefined,
  onHeartbeat: (stop: () => void) => void,
): Promise<WorkerOutcome> {
  const worker = new Worker(workerFile, { workerData });
  const stop = () => void worker.terminate();
  signal?.addEventListener('abort', stop);
  const heartbeats = setInterval(() => onHeartbeat(stop), heartbeatEvery);
  try {
    return await new Promise<WorkerOutcome>((resolve) => {
      worker.on('message', resolve);
      worker.on('error', (error) => resolve({ failure: error.message }));
      worker.on('exit', () => resolve({ failure: 'The process was stopped.' }));
    });
  } finally {
    clearInterval(heartbeats);
    signal?.removeEventListener('abort', stop);
    await worker.terminate();
  }
}

// The build has the same folders, with another extension.
const workerFile = join(import.meta.dirname, `backup-worker${extname(import.meta.filename)}`);
