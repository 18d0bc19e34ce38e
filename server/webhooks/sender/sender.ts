import { setImmediate as turnEventLoop, setTimeout as wait } from 'node:timers/promises';
import { ByteCache } from '../../storage/cache.ts';
import type { Clock } from '../../storage/clock.ts';
import { type Database, runTransaction, type Transaction } from '../../storage/database.ts';
import type { FaultLog } from '../../storage/fault-log.ts';
import type { SecretBox } from '../../storage/secrets.ts';
import { type OpenedSigner, openSigner, webhookHeaders } from '../endpoints/signing.ts';
import { type Endpoint, type EndpointKey, findEndpoint } from '../endpoints/store.ts';
import type { DeliveryOutcome, Receivers } from '../transport/receivers.ts';
import { type Attempt, type ClaimedDelivery, type EndedAttempt, endAttempt, failUnsigned } from './attempt.ts';
import { lockBucket, storeBucket } from './rate.ts';
import {
  claimDeliveries,
  endUndeliverable,
  listClaimed,
  listWaitingEndpoints,
  releaseDeliveries,
  type SentEvents,
  startLease,
  writeAttempts,
} from './store.ts';

export interface SenderOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly box: SecretBox;
  readonly receivers: Receivers;
  readonly faults: FaultLog;
  /** From 0 up to 1; spreads retries. */
  readonly random?: () => number;
}

/**
 * Sends what waits to the endpoints: at least once, several at a time, from a queue for each endpoint. One transaction (`tick`)
 * writes the attempts that ended and claims the next ones, so that under load one sync serves many. A claim is a lease: what a
 * server that crashed had claimed can be claimed again when it has expired.
 */
export class WebhookSender {
  readonly #options: Required<SenderOptions>;
  readonly #queues = new Map<string, EndpointQueue>();
  /** The attempts under way, by delivery. */
  readonly #inFlight = new Map<string, { readonly delivery: ClaimedDelivery; readonly running: Promise<void> }>();
  #ended: EndedAttempt[] = [];
  #woken = Promise.withResolvers<void>();
  #ticking: Promise<void> = Promise.resolve();
  /** Attempts since the start, and how many of them were answered over a new or a kept connection. */
  readonly counts = { delivered: 0, failed: 0, opened: 0, reused: 0 };
  #isStopping = false;
  #sent: SentEvents = new ByteCache(sentBytes);
  /** By endpoint: to open a key costs as much as to sign with it. */
  readonly #signers = new ByteCache<OpenedSigner>(signerBytes);
  /** The deliveries that the next query looks up, and its result. */
  #asked: { readonly deliveries: ClaimedDelivery[]; readonly claimed: Promise<ReadonlySet<string>> } | null = null;

  constructor(options: SenderOptions) {
    this.#options = { random: Math.random, ...options };
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Forgets the bodies of events: some may have been erased. */
  forgetSent(): void {
    this.#sent = new ByteCache(sentBytes);
  }

  /** These endpoints may have something that is due. */
  wake(endpoints: readonly EndpointKey[]): void {
    for (const endpoint of endpoints) {
      const name = nameQueue(endpoint);
      const queue = this.#queues.get(name) ?? new EndpointQueue(endpoint);
      queue.hasDue = true;
      this.#queues.set(name, queue);
    }
    this.#woken.resolve();
  }

  /**
   * Finds the endpoints with waiting deliveries, and ends a batch of the deliveries of each endpoint that is disabled
   * or deleted.
   * @returns true if there may be more to end.
   */
  async poll(): Promise<boolean> {
    const { database, clock } = this.#options;
    const waiting = await listWaitingEndpoints(database.kysely);
    const due = waiting.filter(({ status, dueAt }) => status === 'enabled' && dueAt !== null && dueAt <= clock());
    this.wake(due);
    const undeliverable = waiting.filter(
      ({ status, dueAt }) => ['disabled', 'deleted'].includes(status) && dueAt !== null,
    );
    for (const endpoint of undeliverable)
      await runTransaction(database, clock(), ({ queries, now }) => endUndeliverable(queries, now, endpoint));
    return undeliverable.length > 0;
  }

  /** Resolves when a tick may have something to do, also because the first pause of a queue ends. */
  async waitForWork(): Promise<void> {
    const now = Date.parse(this.#options.clock());
    let first = Number.POSITIVE_INFINITY;
    for (const queue of this.#queues.values()) first = Math.min(first, queue.resumesAt(now));
    const pause = Math.max(1, first - now);
    const timer = Number.isFinite(pause) ? setTimeout(() => this.#woken.resolve(), pause).unref() : undefined;
    await this.#woken.promise;
    clearTimeout(timer);
    this.#woken = Promise.withResolvers();
  }

  /**
   * Resolves when what ends at about this moment has ended, to be written in one tick: at once where little is under way,
   * within some milliseconds where much is.
   */
  async gather(): Promise<void> {
    if (this.#inFlight.size < busy) return turnEventLoop();
    for (let pause = 0, before = -1; pause < mostPauses && before < this.#ended.length; pause += 1) {
      before = this.#ended.length;
      await wait(1);
    }
  }

  get hasWork(): boolean {
    return this.#ended.length > 0 || this.#readyQueues().length > 0;
  }

  /** Writes what ended since the last tick, claims what may begin, and begins it. Call it again when it has ended. */
  tick(): Promise<void> {
    // A tick beside the last write of `stop` would write what that has just released.
    if (!this.#isStopping) this.#ticking = this.#tick();
    return this.#ticking;
  }

  async #tick(): Promise<void> {
    const { database, clock } = this.#options;
    const ended = this.#ended;
    this.#ended = [];
    const queues = this.#readyQueues();
    // A delivery that is committed from here on is noticed again.
    for (const queue of queues) queue.hasDue = false;
    const claimed = await runTransaction(database, clock(), async (tx) => {
      await writeAttempts(tx, ended);
      return queues.length === 0 ? [] : this.#claim(tx, queues);
    }).catch((error: unknown) => {
      // The commit may have succeeded: the attempts are written again, and the leases on what it claimed expire.
      this.#ended.unshift(...ended);
      for (const queue of queues) queue.hasDue = true;
      throw error;
    });
    const startedAt = clock();
    for (const claim of claimed) this.#begin(claim, startedAt);
    const now = Date.parse(startedAt);
    for (const [name, queue] of this.#queues) if (queue.isIdle(now)) this.#queues.delete(name);
  }

  /** Resolves when no attempt is under way any more. */
  async drain(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all([...this.#inFlight.values()].map(({ running }) => running));
  }

  /**
   * Begins nothing more, waits for what is under way, and writes how it ended.
   * @param milliseconds attempts that take longer are aborted, and made again later.
   */
  async stop(milliseconds: number): Promise<void> {
    this.#isStopping = true;
    this.#woken.resolve();
    // A tick under way must not write claims after they are released below.
    await this.#ticking.catch(() => undefined);
    const { database, clock, receivers } = this.#options;
    const inTime = new AbortController();
    const late = wait(milliseconds, undefined, { signal: inTime.signal, ref: false }).catch(() => undefined);
    await Promise.race([this.drain(), late]);
    inTime.abort();
    const cutOff = [...this.#inFlight.values()].map(({ delivery }) => delivery);
    receivers.close();
    await this.drain();
    await runTransaction(database, clock(), async (tx) => {
      await writeAttempts(tx, this.#ended);
      await releaseDeliveries(tx.queries, cutOff);
    });
    this.#ended = [];
  }

  #readyQueues(): readonly EndpointQueue[] {
    const ready: EndpointQueue[] = [];
    if (this.#isStopping) return ready;
    const now = Date.parse(this.#options.clock());
    const isFull = this.#inFlight.size >= mostAtOnce;
    const ofTenants = this.#countOfTenants();
    for (const queue of this.#queues.values()) {
      // Where the tenant has all places that it may have, a queue waits until one of them is free.
      const mayHaveMore = !isFull && (ofTenants.get(queue.endpoint.tenant_id) ?? 0) < mostOfTenant;
      if (queue.hasDue && queue.capacity(now) > 0 && (queue.inFlight === 0 || mayHaveMore)) ready.push(queue);
    }
    return ready;
  }

  /** How many attempts of each tenant are under way. */
  #countOfTenants(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { endpoint, inFlight } of this.#queues.values())
      counts.set(endpoint.tenant_id, (counts.get(endpoint.tenant_id) ?? 0) + inFlight);
    return counts;
  }

  /**
   * Claims for each queue as much as it has capacity for. A tenant may have a part of all places; a queue of which nothing is
   * under way gets one in any case, so that no number of slow receivers keeps another waiting.
   */
  async #claim(tx: Transaction, queues: readonly EndpointQueue[]): Promise<readonly Claim[]> {
    const claims: Claim[] = [];
    const ofTenants = this.#countOfTenants();
    let places = mostAtOnce - this.#inFlight.size;
    const now = Date.parse(tx.now);
    const until = await startLease(tx.queries);
    for (const queue of queues) {
      const endpoint = await findEndpoint(tx.queries, queue.endpoint.tenant_id, queue.endpoint.id);
      if (endpoint?.status !== 'enabled') continue;
      const { tenant_id: tenantId, rate_limit: rateLimit, paused_until: pausedUntil } = endpoint;
      if (pausedUntil !== null && pausedUntil > tx.now) {
        queue.pause(now, Date.parse(pausedUntil));
        continue;
      }
      const ofTenant = ofTenants.get(tenantId) ?? 0;
      const free = Math.max(Math.min(places, mostOfTenant - ofTenant), queue.inFlight === 0 ? 1 : 0);
      const bucket = rateLimit === null ? null : await lockBucket(tx.queries, endpoint, rateLimit, now);
      const allowed = rateLimit === null ? free : (bucket?.count(now) ?? 0);
      const limit = Math.min(free, allowed, queue.capacity(now));
      const claimed =
        limit === 0
          ? { deliveries: [], orphaned: [], hasMore: true }
          : await claimDeliveries(tx, { endpoint, until, limit }, this.#sent);
      const { length } = claimed.deliveries;
      if (rateLimit !== null) {
        bucket?.take(length, now);
        if (bucket !== null && (length > 0 || bucket.isReset)) await storeBucket(tx.queries, endpoint, bucket);
        queue.pause(now, bucket?.nextAt(now) ?? now + bucketPause);
      }
      claims.push({ endpoint, queue, ...claimed });
      places -= length;
      ofTenants.set(tenantId, ofTenant + length);
    }
    return claims;
  }

  #begin(claim: Claim, startedAt: string): void {
    const { endpoint, queue, deliveries, orphaned, hasMore } = claim;
    if (orphaned.length > 0)
      this.#options.faults.log.error({ webhookId: endpoint.id, orphaned }, 'deleted deliveries whose event is missing');
    if (hasMore) queue.hasDue = true;
    // The others have their turn first, the next time.
    const name = nameQueue(endpoint);
    this.#queues.delete(name);
    this.#queues.set(name, queue);
    const opened = openSigner(this.#options.box, endpoint, startedAt, this.#signers.get(name));
    this.#signers.set(name, opened, opened.sealed.length);
    queue.inFlight += deliveries.length;
    for (const delivery of deliveries) {
      const running = this.#attempt(queue, { endpoint, delivery, startedAt }, opened.signer).finally(() => {
        queue.inFlight -= 1;
        this.#inFlight.delete(delivery.id);
      });
      this.#inFlight.set(delivery.id, { delivery, running });
    }
  }

  /** Never rejects. */
  async #attempt(queue: EndpointQueue, attempt: Attempt, signer: OpenedSigner['signer']): Promise<void> {
    const { clock, random, receivers, faults } = this.#options;
    const { endpoint, delivery, startedAt } = attempt;
    try {
      let outcome: DeliveryOutcome;
      if (typeof signer === 'string') outcome = failUnsigned(signer);
      else {
        const headers = webhookHeaders(delivery, signer, Math.floor(Date.parse(startedAt) / 1000));
        const isWanted = () =>
          this.#isClaimed(delivery).catch((error: unknown) => {
            faults.logTask(error, 'an attempt broke off');
            return false;
          });
        outcome = await receivers.post({ url: endpoint.url, headers, body: delivery.event.body, isWanted });
      }
      // This process stops, or the delivery was canceled: it stays as it is.
      if (outcome.outcome === 'failed' && outcome.reason === 'aborted') return;
      const ended = endAttempt(attempt, outcome, clock, random());
      if (ended.state.status === 'delivered') {
        this.counts.delivered += 1;
        queue.speedUp(outcome.milliseconds);
      } else {
        this.counts.failed += 1;
        queue.slowDown();
      }
      if (outcome.outcome === 'answered') this.counts[outcome.reused ? 'reused' : 'opened'] += 1;
      if (ended.pausedUntil !== null) queue.pause(Date.parse(clock()), Date.parse(ended.pausedUntil));
      this.#ended.push(ended);
      this.#woken.resolve();
    } catch (error) {
      // The delivery is attempted again when its lease has expired.
      faults.logTask(error, 'an attempt broke off');
    }
  }

  /** True if a delivery was not canceled since it was claimed, as far as is known. Calls at about the same moment share a query. */
  async #isClaimed(delivery: ClaimedDelivery): Promise<boolean> {
    if (this.#asked === null) {
      const deliveries: ClaimedDelivery[] = [];
      const claimed = turnEventLoop().then(() => {
        this.#asked = null;
        return listClaimed(this.#options.database.kysely, deliveries);
      });
      this.#asked = { deliveries, claimed };
    }
    const { deliveries, claimed } = this.#asked;
    deliveries.push(delivery);
    return (await claimed).has(delivery.id);
  }
}

const nameQueue = ({ tenant_id, id }: EndpointKey) => `${tenant_id} ${id}`;

type Claim = Awaited<ReturnType<typeof claimDeliveries>> & {
  readonly endpoint: Endpoint;
  readonly queue: EndpointQueue;
};

/** With so many attempts under way, a moment's wait makes groups larger. */
const busy = 8;
const mostPauses = 8;
/** In milliseconds: while another server claims for an endpoint with a rate limit. */
const bucketPause = 10;
/** Over all endpoints. */
const mostAtOnce = 1024;
/** Over the endpoints of one tenant. */
const mostOfTenant = 256;

/** The bodies of events that are kept for further endpoints and attempts. */
const sentBytes = 8 * 1024 * 1024;
const signerBytes = 1024 * 1024;

/** The deliveries to one endpoint: few run at once at first, more while it keeps up, and fewer when it fails. */
class EndpointQueue {
  readonly endpoint: EndpointKey;
  /** True if a delivery may be due that is not claimed yet. */
  hasDue = true;
  inFlight = 0;
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

  /** When one that only waits for the end of its pause may go on, in milliseconds since 1970; `Infinity` for all others. */
  resumesAt(now: number): number {
    const waits = this.hasDue && now < this.#pausedUntil && this.inFlight < Math.floor(this.#limit);
    return waits ? this.#pausedUntil : Number.POSITIVE_INFINITY;
  }

  /**
   * An attempt ended well: one more may run beside the others. One that took long holds its place too long for that, and
   * a receiver that is that slow gets fewer.
   */
  speedUp(milliseconds: number): void {
    if (milliseconds <= quick) this.#limit = Math.min(mostOfEndpoint, this.#limit + 1);
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

  /** True if the queue has no due deliveries, attempts or pause, so that it can be dropped. */
  isIdle(now: number): boolean {
    return !this.hasDue && this.inFlight === 0 && now >= this.#pausedUntil;
  }
}

const quick = 1000;
const slow = 5000;
const firstLimit = 8;
const mostOfEndpoint = 64;
const longestMemory = 2000;
