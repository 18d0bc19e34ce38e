/** Time, timers and random numbers of the environment. Tests pass their own. */
export interface Runtime {
  /** Milliseconds of a clock that only goes forward. */
  now(): number;
  /** Milliseconds since 1970, for the dates that servers name. */
  wallClock(): number;
  /** From 0 up to, but not, 1. */
  random(): number;
  setTimer(run: () => void, milliseconds: number): unknown;
  clearTimer(timer: unknown): void;
}

export const systemRuntime: Runtime = {
  now: () => performance.now(),
  wallClock: () => Date.now(),
  random: () => Math.random(),
  setTimer: (run, milliseconds) => setTimeout(run, milliseconds),
  clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout),
};
