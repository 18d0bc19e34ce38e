import type { ServerResponse } from 'node:http';
import type { Queries } from '../storage/queries.ts';
import { inBatches } from '../storage/rows.ts';
import type { PrivateHasher } from '../storage/secrets.ts';
import { Problem } from './problem.ts';

/** One limit that a request counts against. */
export interface LimitRule {
  /** The name in the RateLimit headers. */
  readonly policy: string;
  /** The client, tenant or object that is counted. */
  readonly bucket: string;
  /** Requests a minute. */
  readonly limit: number;
  /** True if each server counts by itself: the limit protects its processor. */
  readonly isLocal?: boolean;
  /** The network of the client, for a limit that strangers share: a part is reserved for networks that used little of it. */
  readonly network?: string;
}

/** The reserved part of a limit, and the part that a network may use before the reserve is closed to it. */
const reservedPart = 1 / 4;
const littlePart = 1 / 100;

/** How many requests a bucket has had in the running minute, here and (when servers share a database) elsewhere. */
interface Count {
  here: number;
  /** How many of them the other servers know of. */
  reported: number;
  elsewhere: number;
  readonly isLocal: boolean;
  /** The requests here by network; null where no rule names one. */
  readonly networks: Map<string, number> | null;
}

const windowSeconds = 60;

/** Clients with many addresses must not fill the log. */
const mostReported = 20;

/**
 * Counts requests per minute of the clock. Windows begin with the minute for all buckets, so that a passed window is
 * dropped whole and servers that share a database can add their counts up.
 */
export class RateLimiter {
  readonly #milliseconds: () => number;
  #minute = -1;
  /** The minute before which stored counts were deleted. */
  #cleared = -1;
  #counts = new Map<string, Count>();
  /** The buckets of each policy that `onReached` was called for in the running minute. */
  #reported = new Map<string, Set<string>>();
  /** Called when a bucket reaches its limit: once a minute, and for at most 20 buckets of a policy. */
  onReached: (rule: LimitRule) => void = () => undefined;

  constructor(milliseconds: () => number = Date.now) {
    this.#milliseconds = milliseconds;
  }

  /**
   * Counts one request against each rule.
   * @param counted rules that the request was counted against before: a refusal names them too.
   * @throws {Problem} `rate_limited` with Retry-After when one of the limits is used up; nothing more is counted then.
   */
  take(rules: readonly LimitRule[], counted: readonly LimitRule[] = []): void {
    this.#openWindow();
    for (const rule of rules) {
      if (this.#count(rule)) continue;
      this.report(rule);
      const reset = this.#reset();
      throw new Problem('rate_limited', `More than ${rule.limit} requests a minute; try again in ${reset} s.`, {
        headers: { ...this.describe([...counted, ...rules]), 'Retry-After': String(reset) },
      });
    }
  }

  /** Calls `onReached` for a bucket that reached its limit; also for a limit that is counted elsewhere. */
  report(rule: LimitRule): void {
    this.#openWindow();
    const reported = this.#reported.get(rule.policy) ?? new Set();
    if (reported.has(rule.bucket) || reported.size >= mostReported) return;
    this.#reported.set(rule.policy, reported.add(rule.bucket));
    this.onReached(rule);
  }

  /** The headers RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers) for some rules. */
  describe(rules: readonly LimitRule[]): Record<string, string> {
    const reset = this.#reset();
    let policies = '';
    let states = '';
    for (const rule of rules) {
      const separator = policies === '' ? '' : ', ';
      policies += `${separator}"${rule.policy}";q=${rule.limit};w=${windowSeconds}`;
      const { here = 0, elsewhere = 0 } = this.#counts.get(rule.bucket) ?? {};
      states += `${separator}"${rule.policy}";r=${Math.max(0, rule.limit - here - elsewhere)};t=${reset}`;
    }
    return { 'RateLimit-Policy': policies, RateLimit: states };
  }

  /**
   * Exchanges counts with the servers that share the database: adds what was counted here to the stored counts, and takes
   * over what the others counted. Shared limits are exact up to the time between two exchanges.
   */
  async exchange(queries: Queries, hasher: PrivateHasher): Promise<void> {
    const minute = this.#minute;
    if (this.#cleared !== minute) {
      this.#cleared = minute;
      await queries.deleteFrom('rate_limits').where('minute', '<', minute).execute();
    }
    // In one order on every server: two that lock the same rows then wait for each other in turn, not in a circle.
    const changed = [...this.#counts]
      .filter(([, { here, reported, isLocal }]) => !isLocal && here > reported)
      .sort(([one], [other]) => (one < other ? -1 : 1));
    await inBatches(changed, async (some) => {
      const sent = some.map(([bucket, count]) => {
        // A bucket may name a client's address, which must not be stored.
        return { count, here: count.here, stored: hasher.hash('rate limits', bucket) as string };
      });
      const totals = await queries
        .insertInto('rate_limits')
        .values(sent.map(({ count, here, stored }) => ({ bucket: stored, minute, requests: here - count.reported })))
        .onConflict((conflict) =>
          conflict.columns(['minute', 'bucket']).doUpdateSet((row) => ({
            requests: row('rate_limits.requests', '+', row.ref('excluded.requests')),
          })),
        )
        .returning(['bucket', 'requests'])
        .execute();
      const byBucket = new Map(totals.map(({ bucket, requests }) => [bucket, requests]));
      for (const { count, here, stored } of sent) {
        count.reported = here;
        count.elsewhere = (byBucket.get(stored) ?? here) - here;
      }
      return [];
    });
  }

  /** Seconds until the next window. */
  #reset(): number {
    return windowSeconds - (Math.floor(this.#milliseconds() / 1000) % windowSeconds);
  }

  #openWindow(): void {
    const minute = Math.floor(this.#milliseconds() / 1000 / windowSeconds);
    if (minute === this.#minute) return;
    this.#minute = minute;
    this.#counts = new Map();
    this.#reported = new Map();
  }

  /** @returns false when the limit is used up. */
  #count(rule: LimitRule): boolean {
    let count = this.#counts.get(rule.bucket);
    if (count === undefined) {
      const networks = rule.network === undefined ? null : new Map<string, number>();
      count = { here: 0, reported: 0, elsewhere: 0, isLocal: rule.isLocal === true, networks };
      this.#counts.set(rule.bucket, count);
    }
    const left = rule.limit - count.here - count.elsewhere;
    if (left <= 0) return false;
    if (rule.network !== undefined && count.networks !== null) {
      const own = count.networks.get(rule.network) ?? 0;
      const isReserved = left <= Math.floor(rule.limit * reservedPart);
      if (isReserved && own >= Math.max(1, rule.limit * littlePart)) return false;
      count.networks.set(rule.network, own + 1);
    }
    count.here += 1;
    return true;
  }
}

/** The limits that one request counts against, each once. */
export class RequestLimits {
  readonly #limiter: RateLimiter;
  readonly #counted: LimitRule[] = [];

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  /** @throws {Problem} `rate_limited`, as the limiter does. */
  take(rules: readonly LimitRule[]): void {
    const more = new Map<string, LimitRule>();
    for (const rule of rules) more.set(rule.bucket, rule);
    for (const { bucket } of this.#counted) more.delete(bucket);
    const rest = [...more.values()];
    this.#limiter.take(rest, this.#counted);
    this.#counted.push(...rest);
  }

  /** The headers of the limits that the request was counted against. */
  describe(): Record<string, string> {
    return this.#counted.length === 0 ? {} : this.#limiter.describe(this.#counted);
  }
}

/** Counts the requests of each bucket that are under way: each holds memory until its client has read the answer. */
export class ConcurrencyLimit {
  readonly #most: number;
  readonly #what: string;
  readonly #open = new Map<string, Set<ServerResponse>>();

  /** @param what the plural name of the counted requests, for the message. */
  constructor(most: number, what: string) {
    this.#most = most;
    this.#what = what;
  }

  /** Takes a place until the answer ends. @throws {Problem} `rate_limited` when the bucket has as many already. */
  take(bucket: string, response: ServerResponse): void {
    const open = this.#open.get(bucket) ?? new Set();
    if (open.size >= this.#most)
      throw new Problem('rate_limited', `At most ${this.#most} ${this.#what} at once; wait until one has ended.`, {
        headers: { 'Retry-After': '5' },
      });
    this.#open.set(bucket, open.add(response));
    const { socket } = response.req;
    // Called twice where the close of the connection closes the answer.
    const free = () => {
      response.off('close', free);
      socket.off('close', free);
      if (open.delete(response) && open.size === 0) this.#open.delete(bucket);
    };
    // An answer that waits behind another on its connection gets no separate close.
    response.once('close', free);
    socket.once('close', free);
    if (socket.destroyed) free();
  }
}
