/** The thread that makes backups beside the server: copying, compressing and encrypting would block requests. */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { explainSystemFailure } from '../../installation/system-failure.ts';
import type { Settings } from '../../settings.ts';
import { DamagedDatabase } from '../../storage/sqlite.ts';
import { UsageError } from '../command.ts';
import { copyErasures, makeBackup, type Written } from './make-backup.ts';
import { rehearseRestore } from './rehearse.ts';
import { BackupFailed } from './target.ts';
import type { BackupTask } from './task-store.ts';

/** The input of the thread. */
export interface WorkerInput {
  readonly settings: Settings;
  readonly task: BackupTask;
  readonly now: string;
}

/** Its only message: what was written or restored, or one sentence on why not. */
export type WorkerOutcome = (Pick<Written, 'name' | 'bytes'> & Partial<Written>) | { readonly failure: string };

const steps = { backup: makeBackup, erasures: copyErasures, rehearsal: rehearseRestore } as const;

async function run({ settings, task, now }: WorkerInput): Promise<WorkerOutcome> {
  try {
    return await steps[task](settings, now);
  } catch (error) {
    const isExplained = [BackupFailed, UsageError, DamagedDatabase].some((kind) => error instanceof kind);
    const reason = isExplained ? undefined : explainSystemFailure(error);
    return { failure: reason ?? (error as Error).message };
  }
}

// Requests come first; only Linux has priorities of threads.
if (process.platform === 'linux') setPriority(0, 5);
parentPort?.postMessage(await run(workerData as WorkerInput));
