/** Attempts that run at once for one endpoint: it starts with few, gets more while it keeps up, and fewer when it fails. */
export class Lane {
  readonly endpointId: string;
  /** Whether something may be due that is not claimed yet. */
  isHungry = true;
  inFlight = 0;
  /** Milliseconds since 1970: before, nothing is claimed, because the receiver asked for a pause. */
  pausedUntil = 0;
  #limit = firstLimit;

  constructor(endpointId: string) {
    this.endpointId = endpointId;
  }

  /** How many more attempts may begin now. */
  capacity(now: number): number {
    return now < this.pausedUntil ? 0 : Math.max(0, Math.floor(this.#limit) - this.inFlight);
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

  /** The receiver asked for a pause; no longer than an hour, for it holds for every delivery. */
  pause(now: number, milliseconds: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, now + Math.min(milliseconds, longestPause));
  }

  /** Whether it need not be remembered. */
  isIdle(now: number): boolean {
    return !this.isHungry && this.inFlight === 0 && now >= this.pausedUntil;
  }
}

const quick = 1000;
const slow = 5000;
const firstLimit = 8;
const mostAtOnce = 64;
const longestPause = 60 * 60 * 1000;
