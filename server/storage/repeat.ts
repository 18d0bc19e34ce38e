import type { FaultLog } from './fault-log.ts';

/** A task that runs repeatedly until it is stopped. */
export interface Repeated {
  /** Resolves when the step in progress has finished. */
  stop(): Promise<void>;
}

export interface RepeatOptions {
  /** The wait before each step, in milliseconds. */
  readonly every: number;
  /** The wait before the next step if there is more to do immediately, so that requests can run. */
  readonly pause?: number;
  /** The log message for a failed step. */
  readonly task: string;
  readonly faults: FaultLog;
}

/** Runs a step repeatedly, each time after a wait. @param step returns true if there is more to do immediately. */
export function repeat({ every, pause = 50, task, faults }: RepeatOptions, step: () => Promise<boolean>): Repeated {
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  let timer: NodeJS.Timeout;
  const wait = (time: number) => {
    timer = setTimeout(() => {
      running = run();
    }, time).unref();
  };
  const run = async () => {
    const more = await step().catch((error: unknown) => {
      faults.logTask(error, `${task} failed`);
      return false;
    });
    if (!stopped) wait(more ? pause : every);
  };
  wait(every);
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
