import type { Runtime } from '@svc/node-sdk';

interface Timer {
  readonly run: () => void;
  readonly delay: number;
  readonly at: number;
}

/** Time that stands still until a test moves it. */
export class TestRuntime implements Runtime {
  #now = 1000;
  readonly #pending = new Set<Timer>();
  readonly #all: Timer[] = [];
  readonly #waiting: (() => void)[] = [];
  /** The result of `random`. */
  chance = 0.5;
  /** Where the wall clock stands when this one stands at 0. */
  epoch = Date.parse('2026-11-21T12:00:00Z');

  now(): number {
    return this.#now;
  }

  wallClock(): number {
    return this.epoch + this.#now;
  }

  random(): number {
    return this.chance;
  }

  setTimer(run: () => void, delay: number): Timer {
    const timer = { run, delay, at: this.#now + delay };
    this.#pending.add(timer);
    this.#all.push(timer);
    for (const check of this.#waiting) check();
    return timer;
  }

  clearTimer(timer: unknown): void {
    this.#pending.delete(timer as Timer);
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#pending.size;
  }

  /** The delay of every timer that was set, in order. */
  get delays(): readonly number[] {
    return this.#all.map(({ delay }) => delay);
  }

  /** Waits until so many timers were set. @returns the delay of the last of them. */
  async timer(count: number): Promise<number> {
    if (this.#all.length < count) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(() => {
          if (this.#all.length >= count) resolve();
        });
      });
    }
    return (this.#all[count - 1] as Timer).delay;
  }

  /** Moves time on and runs what is due. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
    for (const timer of [...this.#pending].filter(({ at }) => at <= this.#now)) {
      this.#pending.delete(timer);
      timer.run();
    }
  }
}
