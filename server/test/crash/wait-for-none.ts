import { setTimeout as wait } from 'node:timers/promises';

export interface Awaited {
  /** What there is still some of, for the complaint. */
  readonly what: string;
  /** How long the number may stay as it is, in milliseconds: as long as it falls, there is progress. */
  readonly limit: number;
}

const pause = 10;

/** Waits until there is none left. @throws when the number has not fallen for too long. */
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
