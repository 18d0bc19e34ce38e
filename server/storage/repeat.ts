import type { FaultLog } from './fault-log.ts';

/** Something that runs again and again until it is stopped. */
export interface Repeated {
  /** Resolves when the step that is under way has ended. */
  stop(): Promise<void>;
}

export interface RepeatOptions {
  /** The wait before each step, in milliseconds. */
  readonly every: number;
  /** The wait before the next step when there is more to do at once; in it, requests have their turn. */
  readonly pause?: number;
  /** What the log says when a step failed. */
  readonly task: string;
  readonly faults: FaultLog;
}

/** Runs a step again and again, each time after a wait. @param step returns whether there is more to do at once. */
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
