import type { OpenedSigner } from '../endpoints/signing.ts';
import type { EndpointKey } from '../endpoints/store.ts';

/** Attempts that run at once for one endpoint: it starts with few, gets more while it keeps up, and fewer when it fails. */
export class Lane {
  readonly endpoint: EndpointKey;
  /** True if a delivery may be due that is not claimed yet. */
  hasDue = true;
  inFlight = 0;
  /** The signer of its deliveries; null until it is opened. */
  signer: OpenedSigner | null = null;
  /** Milliseconds since 1970: nothing is claimed before. */
  #pausedUntil = 0;
  #limit = firstLimit;

  constructor({ tenant_id, id }: EndpointKey) {
    this.endpoint = { tenant_id, id };
  }

  /** How many more attempts may begin now. */
  capacity(now: number): number {
    return now < this.#pausedUntil ? 0 : Math.max(0, Math.floor(this.#limit) - this.inFlight);
  }

  /** When one that only waits for the end of its pause may go on, in milliseconds since 1970; null for all others. */
  resumesAt(now: number): number | null {
    return this.hasDue && now < this.#pausedUntil && this.inFlight < Math.floor(this.#limit) ? this.#pausedUntil : null;
  }

  /**
   * An attempt ended well: one more may run beside the others. One that took long holds its place too long for that, and
   * a receiver that is that slow gets fewer.
   */
  speedUp(milliseconds: number): void {
    if (milliseconds <= quick) this.#limit = Math.min(mostAtOnce, this.#limit + 1);
    else if (milliseconds >= slow) this.slowDown();
  }

  /** An attempt failed: half as many, so that a receiver in trouble is not pressed, and one that hangs holds few places. */
  slowDown(): void {
    this.#limit = Math.max(1, this.#limit / 2);
  }

  /**
   * Claims nothing for a while: the receiver asked for a pause, or its rate allows no more. Both are stored and may end earlier,
   * so they are read again after a moment.
   */
  pause(now: number, until: number): void {
    this.#pausedUntil = Math.min(until, now + longestMemory);
  }

  /** True if the lane has no due deliveries, attempts or pause, so that it can be dropped. */
  isIdle(now: number): boolean {
    return !this.hasDue && this.inFlight === 0 && now >= this.#pausedUntil;
  }
}

const quick = 1000;
const slow = 5000;
const firstLimit = 8;
const mostAtOnce = 64;
const longestMemory = 2000;
