/**
 * How many attempts may begin: so many a second, evenly, and one at the start. What was not used adds up for a tenth of a
 * second alone (one attempt at least), so that hardly more than the limit falls into any second.
 */
export class TokenBucket {
  #perSecond: number;
  #tokens: number;
  /** Milliseconds since 1970. */
  #at: number;

  /** @param perSecond may be less than one. */
  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond;
    this.#tokens = 1;
    this.#at = now;
  }

  /** Goes on at another rate: what has added up stays, as far as it fits. */
  setRate(perSecond: number, now: number): void {
    this.#fill(now);
    this.#perSecond = perSecond;
    this.#tokens = Math.min(this.#tokens, this.#size);
  }

  /** How many attempts may begin now. */
  count(now: number): number {
    this.#fill(now);
    return Math.max(0, Math.floor(this.#tokens + rounding));
  }

  /** So many attempts begin. */
  take(attempts: number, now: number): void {
    this.#fill(now);
    this.#tokens -= attempts;
  }

  /** When the next attempt may begin, in milliseconds since 1970. */
  nextAt(now: number): number {
    this.#fill(now);
    return now + Math.max(0, Math.ceil(((1 - rounding - this.#tokens) / this.#perSecond) * 1000));
  }

  /** Whether a new one in its place would let no more begin. */
  isRested(now: number): boolean {
    return this.count(now) >= 1;
  }

  get #size(): number {
    return Math.max(1, this.#perSecond * longestSaving);
  }

  #fill(now: number): void {
    // A clock that was set back gives nothing, and takes nothing away.
    const seconds = Math.max(0, now - this.#at) / 1000;
    this.#tokens = Math.min(this.#size, this.#tokens + seconds * this.#perSecond);
    this.#at = now;
  }
}

/** In seconds. */
const longestSaving = 0.1;
/** Sums of fractions come out a little below whole numbers. */
const rounding = 1e-6;
