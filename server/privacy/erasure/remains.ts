import type { Services, Task } from '../../installation/feature.ts';
import { emptyErasedLog, stepRemoval } from '../../storage/erased-remains.ts';

/** The shortest time between the starts of two passes: one for all erasures meanwhile, because it reads the whole file. */
const every = 60_000;

/** The tasks that remove copies of erased values from the files of the database, beside requests. */
export function remainsTasks({ database, log }: Pick<Services, 'database' | 'log'>): readonly Task[] {
  // At the start too: the process before this one may have ended in between.
  let isInLog = true;
  // The file of SQLite says so itself.
  let isInFile = database.dialect === 'sqlite';
  database.signals.on('erased', () => {
    isInLog = isInFile = true;
  });
  let isRemoving = false;
  let began = 0;
  let nextPass = 0;

  /** Tries again until the log is empty. A pass over the file reads the log, and empties it itself. */
  async function emptyLog(): Promise<void> {
    if (isInLog && !isRemoving) isInLog = !(await emptyErasedLog(database));
  }

  /** @returns true if there is more to remove. */
  async function removeRemains(): Promise<boolean> {
    if (!isRemoving) {
      if (!isInFile || performance.now() < nextPass) return false;
      began = performance.now();
      nextPass = began + every;
      isInFile = database.dialect === 'sqlite';
    }
    // The log is left to the pass also while the disk writes.
    isRemoving = true;
    const result = await stepRemoval(database).catch((error: unknown) => {
      // Another pass follows, but not immediately.
      isRemoving = false;
      isInFile = true;
      throw error;
    });
    isRemoving = result === 'more' || result === 'busy';
    if (result === 'done' || result === 'again') {
      const milliseconds = Math.round(performance.now() - began);
      // However many erasures there are, a pass does not follow upon another.
      nextPass = Math.max(nextPass, performance.now() + milliseconds);
      if (result === 'done') log.info({ milliseconds }, 'removed what was left of erased values');
    }
    return result === 'more';
  }

  return [
    { every: 1000, run: emptyLog },
    { every: 1000, run: removeRemains },
  ];
}
