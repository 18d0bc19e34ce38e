import { Problem } from '../../http/problem.ts';
import type { PasswordHasher } from '../../installation/password-hash.ts';

/** The caller that a hash is computed for. */
export interface HashCaller {
  /** Its share of the queue is counted by this name. */
  readonly bucket: string;
  /** True if the caller has a session, an invitation or a known device: such callers have a separate queue. */
  readonly isKnown: boolean;
}

const defaultBounds = {
  /** The number of concurrent hashes: each takes 19 MiB and a thread. */
  atOnce: 2,
  /** The most waiting callers in each of the two queues: about two seconds of work. */
  waiting: 32,
  /** The most waiting callers of one bucket. */
  waitingEach: 8,
};
type QueueBounds = Readonly<typeof defaultBounds>;

/**
 * Computes the password hashes of requests. The queue is bounded: when it is full, a request gets a 503 at once. A bucket
 * with no waiting callers still gets a place while another bucket has several: the newest waiter of that bucket gets the
 * 503 instead, so that a few networks cannot fill the queue. Buckets take turns, and so do known and unknown callers, so
 * that sign-ins with made-up passwords do not block users with a session or a known device.
 */
export class PasswordQueue {
  readonly #hasher: PasswordHasher;
  readonly #bounds: QueueBounds;
  readonly #known: Lane;
  readonly #unknown: Lane;
  /** Both lanes; the first one is next. */
  readonly #turns: [Lane, Lane];
  #running = 0;

  constructor(hasher: PasswordHasher, bounds: QueueBounds = defaultBounds) {
    this.#hasher = hasher;
    this.#bounds = bounds;
    this.#known = new Lane(bounds);
    this.#unknown = new Lane(bounds);
    this.#turns = [this.#known, this.#unknown];
  }

  /** Hashes a password. @throws {Problem} `unavailable`, `rate_limited`. */
  hash(caller: HashCaller, password: string): Promise<string> {
    return this.#inTurn(caller, () => this.#hasher.hash(password));
  }

  /** Compares a password with a hash; null takes the same time and returns false. @throws {Problem} `unavailable`, `rate_limited`. */
  verify(caller: HashCaller, password: string, hash: string | null): Promise<boolean> {
    return this.#inTurn(caller, () => this.#hasher.verify(password, hash));
  }

  /** Hashes texts with a given salt, in one turn. @throws {Problem} `unavailable`, `rate_limited`. */
  hashWith(caller: HashCaller, texts: readonly string[], salt: string): Promise<readonly string[]> {
    return this.#inTurn(caller, async () => {
      const hashes: string[] = [];
      for (const text of texts) hashes.push(await this.#hasher.hashWith(text, salt));
      return hashes;
    });
  }

  /** True if a hash was computed at a lower cost than new hashes. */
  isOutdated(hash: string): boolean {
    return this.#hasher.isOutdated(hash);
  }

  async #inTurn<Result>({ bucket, isKnown }: HashCaller, compute: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#bounds.atOnce) this.#running += 1;
    else await (isKnown ? this.#known : this.#unknown).wait(bucket);
    try {
      return await compute();
    } finally {
      // Hands the slot to the next waiter.
      const [first, second] = this.#turns;
      this.#turns.reverse();
      const next = first.take() ?? second.take();
      if (next === undefined) this.#running -= 1;
      else next.resolve();
    }
  }
}

type Waiter = PromiseWithResolvers<void>;

/** A bounded queue with a round-robin over buckets. */
class Lane {
  readonly #bounds: QueueBounds;
  /** In the order of their turns. */
  readonly #buckets = new Map<string, Waiter[]>();
  #size = 0;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  async wait(bucket: string): Promise<void> {
    const own = this.#buckets.get(bucket) ?? [];
    if (own.length >= this.#bounds.waitingEach)
      throw refuse('rate_limited', 'Too many of your requests are waiting for a password check', 1);
    if (this.#size >= this.#bounds.waiting) {
      const full = refuse('unavailable', 'Too many password checks are waiting', 2);
      const newest = own.length === 0 ? this.#removeFromFullest() : undefined;
      if (newest === undefined) throw full;
      newest.reject(full);
    }
    this.#size += 1;
    this.#buckets.set(bucket, own);
    const waiter: Waiter = Promise.withResolvers();
    own.push(waiter);
    await waiter.promise;
  }

  take(): Waiter | undefined {
    const [turn] = this.#buckets;
    if (turn === undefined) return undefined;
    const [bucket, own] = turn;
    const first = own.shift();
    this.#size -= 1;
    this.#buckets.delete(bucket);
    if (own.length > 0) this.#buckets.set(bucket, own);
    return first;
  }

  /** Removes the newest waiter of the fullest bucket; undefined when no bucket has two. */
  #removeFromFullest(): Waiter | undefined {
    const [fullest] = [...this.#buckets.values()].sort((one, other) => other.length - one.length);
    if (fullest === undefined || fullest.length < 2) return undefined;
    this.#size -= 1;
    return fullest.pop();
  }
}

function refuse(code: 'rate_limited' | 'unavailable', why: string, seconds: number): Problem {
  const headers = { 'Retry-After': String(seconds) };
  return new Problem(code, `${why}; try again in ${seconds} s.`, { headers });
}
