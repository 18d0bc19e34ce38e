import { locksRows, type Queries } from '../../storage/queries.ts';
import type { EndpointKey } from '../endpoints/store.ts';

/**
 * Finds the token bucket of an endpoint, which the servers share, and locks it until the transaction ends.
 * @returns null while another server claims for the endpoint.
 */
export async function lockBucket(
  queries: Queries,
  { tenant_id, id: endpoint_id }: EndpointKey,
  perSecond: number,
  now: number,
): Promise<TokenBucket | null> {
  const query = queries
    .selectFrom('webhook_rates')
    .select('empty_at')
    .where('tenant_id', '=', tenant_id)
    .where('endpoint_id', '=', endpoint_id);
  const found = await (locksRows(queries) ? query.forUpdate().skipLocked() : query).executeTakeFirst();
  if (found !== undefined) return new TokenBucket(perSecond, now, Number(found.empty_at) / 1000);
  const bucket = new TokenBucket(perSecond, now);
  const inserted = await queries
    .insertInto('webhook_rates')
    .values({ tenant_id, endpoint_id, empty_at: Math.floor(bucket.emptyAt * 1000) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('empty_at')
    .executeTakeFirst();
  return inserted === undefined ? null : bucket;
}

/** Stores a bucket from which tokens were taken, or that starts again. */
export async function storeBucket(
  queries: Queries,
  { tenant_id, id }: EndpointKey,
  { emptyAt }: TokenBucket,
): Promise<void> {
  await queries
    .updateTable('webhook_rates')
    .set({ empty_at: Math.floor(emptyAt * 1000) })
    .where('tenant_id', '=', tenant_id)
    .where('endpoint_id', '=', id)
    .execute();
}

/**
 * How many attempts may begin: so many a second, evenly, and one at the start. What was not used adds up for a tenth of a
 * second only (one attempt at least), so that hardly more than the limit falls into any second.
 */
export class TokenBucket {
  readonly #perSecond: number;
  /** True if its time was one that no right clock has: it starts again, and must be stored to add up. */
  readonly isReset: boolean;
  /** Milliseconds since 1970: what has added up since then may begin. */
  #emptyAt: number;

  constructor(perSecond: number, now: number, emptyAt = now - 1000 / perSecond) {
    this.#perSecond = perSecond;
    // After a clock that was ahead, it adds up from now; the clocks of servers differ by less.
    this.isReset = emptyAt > now + longestSkew;
    this.#emptyAt = this.isReset ? now : emptyAt;
  }

  get emptyAt(): number {
    return this.#emptyAt;
  }

  /** How many attempts may begin now. */
  count(now: number): number {
    return Math.max(0, Math.floor(this.#tokens(now) + rounding));
  }

  take(attempts: number, now: number): void {
    this.#emptyAt = now - ((this.#tokens(now) - attempts) / this.#perSecond) * 1000;
  }

  /** When the next attempt may begin, in milliseconds since 1970. */
  nextAt(now: number): number {
    return now + Math.max(0, Math.ceil(((1 - rounding - this.#tokens(now)) / this.#perSecond) * 1000));
  }

  #tokens(now: number): number {
    return Math.min(Math.max(1, this.#perSecond * longestSaving), ((now - this.#emptyAt) / 1000) * this.#perSecond);
  }
}

/** In seconds. */
const longestSaving = 0.1;
const longestSkew = 10_000;
/** Sums of fractions come out a little below whole numbers. */
const rounding = 1e-6;
