import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ByteCache } from '../../storage/cache.ts';
import { type Clock, type Database, runUnitOfWork, type UnitOfWork } from '../../storage/database.ts';
import type { SecretBox } from '../../storage/secrets.ts';
import { type OpenedSigner, openSigner, webhookHeaders } from '../endpoints/signing.ts';
import { type Endpoint, type EndpointKey, findEndpoint } from '../endpoints/store.ts';
import type { Receivers } from '../transport/receivers.ts';
import { type Attempt, type EndedAttempt, endAttempt, failUnsigned } from './attempt.ts';
import { claimForEndpoint, writeAttempts } from './changes.ts';
import { Lane } from './lane.ts';
import { lockBucket, storeBucket } from './rate.ts';
import {
  type ClaimedDelivery,
  endStranded,
  listClaimed,
  listWaitingEndpoints,
  releaseDeliveries,
  type SentEvents,
  startLease,
} from './store.ts';

export interface SenderOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly box: SecretBox;
  readonly receivers: Receivers;
  readonly log: Logger;
  /** From 0 up to 1; spreads retries. */
  readonly random?: () => number;
}

/**
 * Sends what waits to the endpoints: at least once, several at a time, each endpoint in its own lane. One
 * transaction writes the attempts that ended and claims the next ones, so that under load one sync serves many.
 */
export class WebhookSender {
  readonly #options: Required<SenderOptions>;
  readonly #lanes = new Map<string, Lane>();
  readonly #underWay = new Map<string, { readonly delivery: ClaimedDelivery; readonly running: Promise<void> }>();
  #ended: EndedAttempt[] = [];
  #woken = Promise.withResolvers<void>();
  #turning: Promise<void> = Promise.resolve();
  /** Attempts since the start, and how many of them were answered over a new or a kept connection. */
  readonly counts = { delivered: 0, failed: 0, opened: 0, reused: 0 };
  #isStopping = false;
  #sent: SentEvents = new ByteCache(sentBytes);
  /** The deliveries that the next query looks up, and its result. */
  #asked: { readonly deliveries: ClaimedDelivery[]; readonly claimed: Promise<ReadonlySet<string>> } | null = null;

  constructor(options: SenderOptions) {
    this.#options = { random: Math.random, ...options };
  }

  get inFlight(): number {
    return this.#underWay.size;
  }

  /** Forgets the bodies of events: some may have been erased. */
  forgetSent(): void {
    this.#sent = new ByteCache(sentBytes);
  }

  /** These endpoints may have something that is due. */
  notice(endpoints: readonly EndpointKey[]): void {
    for (const endpoint of endpoints) {
      const name = nameLane(endpoint);
      const lane = this.#lanes.get(name) ?? new Lane(endpoint);
      lane.hasDue = true;
      this.#lanes.set(name, lane);
    }
    this.#woken.resolve();
  }

  /**
   * Finds the endpoints with waiting deliveries, and ends a batch of the deliveries of each endpoint that is disabled
   * or deleted.
   * @returns true if there may be more to end.
   */
  async look(): Promise<boolean> {
    const { database, clock } = this.#options;
    const waiting = await listWaitingEndpoints(database.kysely);
    const due = waiting.filter(({ status, dueAt }) => status === 'enabled' && dueAt !== null && dueAt <= clock());
    this.notice(due);
    const stranded = waiting.filter(({ status, dueAt }) => ['disabled', 'deleted'].includes(status) && dueAt !== null);
    for (const endpoint of stranded)
      await runUnitOfWork(database, clock(), ({ transaction, now }) => endStranded(transaction, now, endpoint));
    return stranded.length > 0;
  }

  /** Resolves when a turn may have something to do, also because the first pause of a lane ends. */
  async waitForWork(): Promise<void> {
    const now = Date.parse(this.#options.clock());
    const times = [...this.#lanes.values()].map((lane) => lane.resumesAt(now)).filter((time) => time !== null);
    const pause = Math.max(1, Math.min(...times) - now);
    const timer = times.length === 0 ? undefined : setTimeout(() => this.#woken.resolve(), pause).unref();
    await this.#woken.promise;
    clearTimeout(timer);
    this.#woken = Promise.withResolvers();
  }

  /**
   * Resolves when what ends at about this moment has ended, to be written in one turn: at once where little is under way,
   * within some milliseconds where much is.
   */
  async gather(): Promise<void> {
    if (this.#underWay.size < busy) return new Promise((resolve) => setImmediate(resolve));
    for (let pause = 0, before = -1; pause < mostPauses && before < this.#ended.length; pause += 1) {
      before = this.#ended.length;
      await wait(1);
    }
  }

  get hasWork(): boolean {
    return this.#ended.length > 0 || this.#readyLanes().length > 0;
  }

  /** Writes what ended since the last turn, claims what may begin, and begins it. Call it again when it has ended. */
  turn(): Promise<void> {
    // A turn beside the last write of `stop` would write what that has just freed.
    if (!this.#isStopping) this.#turning = this.#turn();
    return this.#turning;
  }

  async #turn(): Promise<void> {
    const { database, clock } = this.#options;
    const ended = this.#ended;
    this.#ended = [];
    const lanes = this.#readyLanes();
    // A delivery that is committed from here on is noticed again.
    for (const lane of lanes) lane.hasDue = false;
    const claimed = await runUnitOfWork(database, clock(), async (work) => {
      await writeAttempts(work, ended);
      return lanes.length === 0 ? [] : this.#claim(work, lanes);
    }).catch((error: unknown) => {
      // The commit may have succeeded: the attempts are written again, and the leases on what it claimed expire.
      this.#ended.unshift(...ended);
      for (const lane of lanes) lane.hasDue = true;
      throw error;
    });
    const startedAt = clock();
    for (const claim of claimed) this.#begin(claim, startedAt);
    const now = Date.parse(startedAt);
    for (const [name, lane] of this.#lanes) if (lane.isIdle(now)) this.#lanes.delete(name);
  }

  /** Resolves when no attempt is under way any more. */
  async settle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all([...this.#underWay.values()].map(({ running }) => running));
  }

  /**
   * Begins nothing more, waits for what is under way, and writes how it ended.
   * @param milliseconds attempts that take longer are aborted, and made again later.
   */
  async stop(milliseconds: number): Promise<void> {
    this.#isStopping = true;
    this.#woken.resolve();
    // A turn under way must not write claims after they are freed below.
    await this.#turning.catch(() => undefined);
    const { database, clock, receivers } = this.#options;
    const inTime = new AbortController();
    const late = wait(milliseconds, undefined, { signal: inTime.signal, ref: false }).catch(() => undefined);
    await Promise.race([this.settle(), late]);
    inTime.abort();
    const cutOff = [...this.#underWay.values()].map(({ delivery }) => delivery);
    receivers.close();
    await this.settle();
    await runUnitOfWork(database, clock(), async (work) => {
      await writeAttempts(work, this.#ended);
      await releaseDeliveries(work.transaction, cutOff);
    });
    this.#ended = [];
  }

  #readyLanes(): readonly Lane[] {
    if (this.#isStopping) return [];
    const now = Date.parse(this.#options.clock());
    const isFull = this.#underWay.size >= mostAtOnce;
    const ofTenants = this.#countOfTenants();
    // Where the tenant has all places that it may have, a lane waits until one of them is free.
    const mayHaveMore = ({ endpoint }: Lane) => !isFull && (ofTenants.get(endpoint.tenant_id) ?? 0) < mostOfTenant;
    return [...this.#lanes.values()].filter(
      (lane) => lane.hasDue && lane.capacity(now) > 0 && (lane.inFlight === 0 || mayHaveMore(lane)),
    );
  }

  /** How many attempts of each tenant are under way. */
  #countOfTenants(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { endpoint, inFlight } of this.#lanes.values())
      counts.set(endpoint.tenant_id, (counts.get(endpoint.tenant_id) ?? 0) + inFlight);
    return counts;
  }

  /**
   * Claims for each lane as much as it has capacity for. A tenant may have a part of all places; a lane in which nothing is
   * under way gets one in any case, so that no number of slow receivers keeps another waiting.
   */
  async #claim(work: UnitOfWork, lanes: readonly Lane[]): Promise<readonly Claim[]> {
    const claims: Claim[] = [];
    const ofTenants = this.#countOfTenants();
    let places = mostAtOnce - this.#underWay.size;
    const now = Date.parse(work.now);
    const until = await startLease(work.transaction);
    for (const lane of lanes) {
      const endpoint = await findEndpoint(work.transaction, lane.endpoint.tenant_id, lane.endpoint.id);
      if (endpoint?.status !== 'enabled') continue;
      const { tenant_id: tenantId, rate_limit: rateLimit, paused_until: pausedUntil } = endpoint;
      if (pausedUntil !== null && pausedUntil > work.now) {
        lane.pause(now, Date.parse(pausedUntil));
        continue;
      }
      const bucket = rateLimit === null ? null : await lockBucket(work.transaction, endpoint, rateLimit, now);
      const allowed = rateLimit === null ? Number.POSITIVE_INFINITY : (bucket?.count(now) ?? 0);
      const ofTenant = ofTenants.get(tenantId) ?? 0;
      const free = Math.max(Math.min(places, mostOfTenant - ofTenant), lane.inFlight === 0 ? 1 : 0);
      const limit = Math.min(free, allowed, lane.capacity(now));
      const claimed =
        limit === 0
          ? { deliveries: [], orphaned: [], hasMore: true }
          : await claimForEndpoint(work, endpoint, until, limit, this.#sent);
      if (rateLimit !== null) {
        bucket?.take(claimed.deliveries.length, now);
        if (bucket !== null && claimed.deliveries.length > 0) await storeBucket(work.transaction, endpoint, bucket);
        lane.pause(now, bucket?.nextAt(now) ?? now + bucketPause);
      }
      claims.push({ endpoint, lane, ...claimed });
      places -= claimed.deliveries.length;
      ofTenants.set(tenantId, ofTenant + claimed.deliveries.length);
    }
    return claims;
  }

  #begin(claim: Claim, startedAt: string): void {
    const { endpoint, lane, deliveries, orphaned, hasMore } = claim;
    if (orphaned.length > 0)
      this.#options.log.error({ webhookId: endpoint.id, orphaned }, 'deleted deliveries whose event is missing');
    if (hasMore) lane.hasDue = true;
    // The others have their turn first, the next time.
    this.#lanes.delete(nameLane(endpoint));
    this.#lanes.set(nameLane(endpoint), lane);
    lane.signer = openSigner(this.#options.box, endpoint, startedAt, lane.signer);
    const { signer } = lane.signer;
    const now = Date.parse(startedAt);
    lane.inFlight += deliveries.length;
    for (const delivery of deliveries) {
      const running = this.#attempt(lane, { endpoint, delivery, startedAt }, signer, Math.floor(now / 1000))
        .catch((error: unknown) => {
          // The delivery is attempted again when its lease has expired.
          this.#options.log.error({ err: error }, 'an attempt broke off');
        })
        .then(() => {
          lane.inFlight -= 1;
          this.#underWay.delete(delivery.id);
        });
      this.#underWay.set(delivery.id, { delivery, running });
    }
  }

  async #attempt(lane: Lane, attempt: Attempt, signer: OpenedSigner['signer'], timestamp: number): Promise<void> {
    const { clock, random, receivers } = this.#options;
    const { endpoint, delivery } = attempt;
    let lost: { readonly error: unknown } | null = null;
    const isWanted = () =>
      this.#isClaimed(delivery).catch((error: unknown) => {
        lost = { error };
        return false;
      });
    const outcome =
      typeof signer === 'string'
        ? failUnsigned(signer)
        : await receivers.post({
            url: endpoint.url,
            headers: webhookHeaders(delivery, signer, timestamp),
            body: delivery.event.body,
            isWanted,
          });
    if (lost !== null) throw (lost as { readonly error: unknown }).error;
    // This process stops, or the delivery was canceled: it stays as it is.
    if (outcome.outcome === 'failed' && outcome.reason === 'aborted') return;
    const ended = endAttempt(attempt, outcome, clock, random());
    if (ended.state.status === 'delivered') {
      this.counts.delivered += 1;
      lane.speedUp(outcome.milliseconds);
    } else {
      this.counts.failed += 1;
      lane.slowDown();
    }
    if (outcome.outcome === 'answered') this.counts[outcome.reused ? 'reused' : 'opened'] += 1;
    if (ended.pausedUntil !== null) lane.pause(Date.parse(clock()), Date.parse(ended.pausedUntil));
    this.#ended.push(ended);
    this.#woken.resolve();
  }

  /** True if a delivery was not canceled since it was claimed. Calls at about the same moment share a query. */
  #isClaimed(delivery: ClaimedDelivery): Promise<boolean> {
    if (this.#asked === null) {
      const deliveries: ClaimedDelivery[] = [];
      const claimed = new Promise((resolve) => setImmediate(resolve)).then(() => {
        this.#asked = null;
        return listClaimed(this.#options.database.kysely, deliveries);
      });
      this.#asked = { deliveries, claimed };
    }
    const { deliveries, claimed } = this.#asked;
    deliveries.push(delivery);
    return claimed.then((found) => found.has(delivery.id));
  }
}

const nameLane = ({ tenant_id, id }: EndpointKey) => `${tenant_id} ${id}`;

type Claim = Awaited<ReturnType<typeof claimForEndpoint>> & { readonly endpoint: Endpoint; readonly lane: Lane };

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
