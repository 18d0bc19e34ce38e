import { setTimeout as wait } from 'node:timers/promises';

export interface Awaited {
  /** Name of the counted objects, for the error message. */
  readonly what: string;
  /** How long the number may stay the same, in milliseconds: while it falls, there is progress. */
  readonly limit: number;
}

const pause = 10;

/** Waits until the number is zero. @throws if it has not fallen for too long. */
export async function waitForNone({ what, limit }: Awaited, count: () => number | Promise<number>): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  let fellAt = performance.now();
  for (;;) {
    const left = await count();
    if (left <= 0) return;
    const now = performance.now();
    if (left < least) {
      least = left;
      fellAt = now;
    } else if (now - fellAt > limit) throw new Error(`for ${limit} ms there are still ${left} ${what}`);
    await wait(pause);
  }
}
