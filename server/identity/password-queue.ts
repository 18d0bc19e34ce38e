import { Problem } from '../http/problem.ts';
import type { PasswordHasher } from '../installation/password-hash.ts';

/** A request that needs a hash. */
export interface HashCaller {
  /** What its share of the queue is counted by. */
  readonly bucket: string;
  /** Whether a session, an invitation or a known device vouches for it: such callers have a queue of their own. */
  readonly isKnown: boolean;
}

export interface QueueBounds {
  /** Hashes that are computed at once: each takes 19 MiB and a thread. */
  readonly atOnce: number;
  /** Callers that wait, in each of the two queues: about two seconds of work. */
  readonly waiting: number;
  /** Callers of one bucket that wait. */
  readonly waitingEach: number;
}

const defaultBounds: QueueBounds = { atOnce: 2, waiting: 32, waitingEach: 8 };

/** A caller in a lane. */
interface Waiter {
  start(): void;
  drop(problem: Problem): void;
}

/**
 * The one way in which a request computes a password hash. The queue is bounded: a request that finds it full gets a 503
 * at once. A bucket with nothing waiting still gets a place as long as another bucket has several: that bucket's newest
 * waiter gets the 503 instead, so that a few networks cannot fill the queue. Buckets take turns, and so do known and
 * unknown callers, so that sign-ins with made-up passwords do not keep out people who are signed in or use a device on
 * which they signed in before.
 */
export class PasswordQueue {
  readonly #hasher: PasswordHasher;
  readonly #bounds: QueueBounds;
  readonly #lanes: { readonly known: Lane; readonly unknown: Lane };
  #servesKnown = true;
  #running = 0;

  constructor(hasher: PasswordHasher, bounds: QueueBounds = defaultBounds) {
    this.#hasher = hasher;
    this.#bounds = bounds;
    this.#lanes = { known: new Lane(bounds), unknown: new Lane(bounds) };
  }

  /** A new hash of a password. @throws {Problem} `unavailable`, `rate_limited`. */
  hash(caller: HashCaller, password: string): Promise<string> {
    return this.#inTurn(caller, () => this.#hasher.hash(password));
  }

  /** Compares a password with a hash; null takes as long and is false. @throws {Problem} `unavailable`, `rate_limited`. */
  verify(caller: HashCaller, password: string, hash: string | null): Promise<boolean> {
    return this.#inTurn(caller, () => this.#hasher.verify(password, hash));
  }

  /** Hashes texts with a salt that is kept elsewhere, in one turn. @throws {Problem} `unavailable`, `rate_limited`. */
  hashWith(caller: HashCaller, texts: readonly string[], salt: string): Promise<readonly string[]> {
    return this.#inTurn(caller, async () => {
      const hashes: string[] = [];
      for (const text of texts) hashes.push(await this.#hasher.hashWith(text, salt));
      return hashes;
    });
  }

  /** Whether a hash was made at a lower cost than passwords are hashed with now. */
  isOutdated(hash: string): boolean {
    return this.#hasher.isOutdated(hash);
  }

  async #inTurn<Result>({ bucket, isKnown }: HashCaller, compute: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#bounds.atOnce) this.#running += 1;
    else await this.#lanes[isKnown ? 'known' : 'unknown'].wait(bucket);
    try {
      return await compute();
    } finally {
      // A finished hash hands its place to the next waiter.
      const next = this.#takeNext();
      if (next === undefined) this.#running -= 1;
      else next.start();
    }
  }

  #takeNext(): Waiter | undefined {
    const { known, unknown } = this.#lanes;
    const [first, second] = this.#servesKnown ? [known, unknown] : [unknown, known];
    this.#servesKnown = !this.#servesKnown;
    return first.take() ?? second.take();
  }
}

/** A bounded queue in which buckets take turns. */
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
      throw new Problem('rate_limited', 'Too many of your requests wait for a password check; try again in 1 s.', {
        headers: { 'Retry-After': '1' },
      });
    if (this.#size >= this.#bounds.waiting) {
      const newest = own.length === 0 ? this.#removeFromFullest() : undefined;
      if (newest === undefined) throw full();
      newest.drop(full());
    }
    this.#size += 1;
    this.#buckets.set(bucket, own);
    await new Promise<void>((resolve, reject) => own.push({ start: resolve, drop: reject }));
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

  /** Takes the newest waiter out of the bucket with the most; undefined where each has one. */
  #removeFromFullest(): Waiter | undefined {
    const [fullest] = [...this.#buckets.values()].sort((one, other) => other.length - one.length);
    if (fullest === undefined || fullest.length < 2) return undefined;
    this.#size -= 1;
    return fullest.pop();
  }
}

function full(): Problem {
  return new Problem('unavailable', 'Too many password checks are waiting; try again in 2 s.', {
    headers: { 'Retry-After': '2' },
  });
}
