import type { PrivateHasher } from '../installation/private-hash.ts';
import type { Queries } from '../storage/database.ts';
import type { RateLimiter } from './rate-limit.ts';

const batchSize = 500;

/**
 * Adds what this server counted to the counts in the database and brings back what the other servers counted. Limits
 * that servers share are exact up to the time between two exchanges.
 */
export class SharedCounts {
  readonly #queries: Queries;
  readonly #limiter: RateLimiter;
  readonly #hasher: PrivateHasher;
  /** What the other servers know of this one, in the current minute. */
  #reported = { minute: -1, requests: new Map<string, number>() };

  constructor(queries: Queries, limiter: RateLimiter, hasher: PrivateHasher) {
    this.#queries = queries;
    this.#limiter = limiter;
    this.#hasher = hasher;
  }

  /** Exchanges the counts once. */
  async exchange(): Promise<void> {
    const { minute, buckets } = this.#limiter.counted;
    if (this.#reported.minute !== minute) {
      this.#reported = { minute, requests: new Map() };
      await this.#queries.deleteFrom('rate_limits').where('minute', '<', minute).execute();
    }
    const { requests: sent } = this.#reported;
    // In one order on every server: two that lock the same rows then wait for each other in turn, not in a circle.
    const changed = [...buckets]
      .filter(([bucket, { here }]) => here > (sent.get(bucket) ?? 0))
      .sort(([one], [other]) => (one < other ? -1 : 1));
    for (let start = 0; start < changed.length; start += batchSize) {
      const counts = changed.slice(start, start + batchSize).map(([bucket, { here }]) => ({
        bucket,
        here,
        // A bucket may name a client's address, which must not be stored.
        stored: this.#hasher.hash('rate limits', bucket) as string,
        more: here - (sent.get(bucket) ?? 0),
      }));
      const totals = await this.#queries
        .insertInto('rate_limits')
        .values(counts.map(({ stored, more }) => ({ bucket: stored, minute, requests: more })))
        .onConflict((conflict) =>
          conflict.columns(['minute', 'bucket']).doUpdateSet((row) => ({
            requests: row('rate_limits.requests', '+', row.ref('excluded.requests')),
          })),
        )
        .returning(['bucket', 'requests'])
        .execute();
      const byBucket = new Map(totals.map(({ bucket, requests }) => [bucket, requests]));
      for (const { bucket, stored, here } of counts) {
        sent.set(bucket, here);
        this.#limiter.share(minute, bucket, (byBucket.get(stored) ?? here) - here);
      }
    }
  }
}
