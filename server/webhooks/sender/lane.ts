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
  /** Null where the endpoint takes as many as it keeps up with. */
  #bucket: TokenBucket | null = null;

  constructor({ tenant_id, id }: EndpointKey) {
    this.endpoint = { tenant_id, id };
  }

  /** How many more attempts may begin now. */
  capacity(now: number): number {
    const free = this.#free(now);
    return this.#bucket === null || free === 0 ? free : Math.min(free, this.#bucket.count(now));
  }

  /** When one that only waits for its rate may go on, in milliseconds since 1970; null for all others. */
  nextTokenAt(now: number): number | null {
    if (this.#bucket === null || !this.hasDue || this.#free(now) === 0) return null;
    return this.#bucket.count(now) > 0 ? null : this.#bucket.nextAt(now);
  }

  /** Keeps to a rate of attempts a second; null for none. */
  keepRate(perSecond: number | null, now: number): void {
    if (perSecond === null) this.#bucket = null;
    else if (this.#bucket === null) this.#bucket = new TokenBucket(perSecond, now);
    else this.#bucket.setRate(perSecond, now);
  }

  begin(attempts: number, now: number): void {
    this.inFlight += attempts;
    this.#bucket?.take(attempts, now);
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
   * The receiver asked for a pause, which is stored with the endpoint. Here it only holds for a moment: it may have been ended
   * meanwhile, so the endpoint is read again.
   */
  pause(now: number, until: number): void {
    this.#pausedUntil = Math.min(until, now + longestMemory);
  }

  /** True if the lane has no due deliveries, attempts or pause, so that it can be dropped. */
  isIdle(now: number): boolean {
    if (this.hasDue || this.inFlight > 0 || now < this.#pausedUntil) return false;
    return this.#bucket === null || this.#bucket.count(now) > 0;
  }

  #free(now: number): number {
    return now < this.#pausedUntil ? 0 : Math.max(0, Math.floor(this.#limit) - this.inFlight);
  }
}

const quick = 1000;
const slow = 5000;
const firstLimit = 8;
const mostAtOnce = 64;
const longestMemory = 2000;

/**
 * How many attempts may begin: so many a second, evenly, and one at the start. What was not used adds up for a tenth of a
 * second only (one attempt at least), so that hardly more than the limit falls into any second.
 */
export class TokenBucket {
  #perSecond: number;
  /** Milliseconds since 1970: what has added up since then may begin. */
  #emptyAt: number;

  /** @param perSecond may be less than one. */
  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond;
    this.#emptyAt = now - 1000 / perSecond;
  }

  /** Goes on at another rate: what has added up stays, as far as it fits. */
  setRate(perSecond: number, now: number): void {
    const tokens = this.#tokens(now);
    this.#perSecond = perSecond;
    this.#emptyAt = now - (tokens / perSecond) * 1000;
  }

  /** How many attempts may begin now. */
  count(now: number): number {
    return Math.floor(this.#tokens(now) + rounding);
  }

  take(attempts: number, now: number): void {
    this.#emptyAt = now - ((this.#tokens(now) - attempts) / this.#perSecond) * 1000;
  }

  /** When the next attempt may begin, in milliseconds since 1970. */
  nextAt(now: number): number {
    return now + Math.max(0, Math.ceil(((1 - rounding - this.#tokens(now)) / this.#perSecond) * 1000));
  }

  #tokens(now: number): number {
    // On a clock that was set back, it adds up from there.
    this.#emptyAt = Math.min(this.#emptyAt, now);
    return Math.min(Math.max(1, this.#perSecond * longestSaving), ((now - this.#emptyAt) / 1000) * this.#perSecond);
  }
}

/** In seconds. */
const longestSaving = 0.1;
/** Sums of fractions come out a little below whole numbers. */
const rounding = 1e-6;
