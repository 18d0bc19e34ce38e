import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { SecretBox } from '../access/secret-box.ts';
import type { Clock } from '../clock.ts';
import { newId } from '../ids.ts';
import type { Database } from '../storage/database.ts';
import { runUnitOfWork, type UnitOfWork } from '../storage/unit-of-work.ts';
import { type EndedAttempt, endAttempt, expireDelivery } from './attempt.ts';
import type { DisabledReason } from './endpoint.ts';
import { disableEndpoint } from './endpoint-changes.ts';
import { findEndpointForSending, type SendingEndpoint } from './endpoint-store.ts';
import { writeBody } from './event.ts';
import { Lane } from './lane.ts';
import type { Receivers } from './post-delivery.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  type DeliveryState,
  type EndpointHealth,
  endStranded,
  findHealth,
  finishAttempts,
  listWaitingEndpoints,
  releaseDeliveries,
  saveHealth,
} from './queue-store.ts';
import { isWithinWindow } from './schedule.ts';
import { beat, freeOrphans, removeSenders } from './sender-store.ts';
import type { SigningKey } from './sign.ts';
import { openKeys, webhookHeaders } from './webhook-headers.ts';

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
 * Sends what waits to the endpoints: at least once, several at a time, each endpoint in a lane of its own. One
 * transaction writes the attempts that ended and claims the next ones, so that under load one sync serves many.
 */
export class WebhookSender {
  readonly id = newId();
  readonly #options: SenderOptions;
  readonly #random: () => number;
  readonly #lanes = new Map<string, Lane>();
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #giveUp = new AbortController();
  /** Deliveries whose attempt broke off when this process stopped. */
  readonly #givenUp: string[] = [];
  #ended: EndedAttempt[] = [];
  #woken = Promise.withResolvers<void>();
  #turning: Promise<void> = Promise.resolve();
  #delivered = 0;
  #isStopping = false;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    // Each attempt under way listens.
    setMaxListeners(0, this.#giveUp.signal);
  }

  /** How many deliveries have arrived since the start. */
  get delivered(): number {
    return this.#delivered;
  }

  /** How many attempts are being made at this moment. */
  get inFlight(): number {
    return this.#underWay.size;
  }

  /** These endpoints may have something that is due. */
  notice(endpointIds: readonly string[]): void {
    for (const id of endpointIds) this.#lane(id).isHungry = true;
    this.#woken.resolve();
  }

  /** Looks which endpoints have something waiting. @returns when the next of it is due, RFC 3339; null when nothing waits. */
  async look(): Promise<string | null> {
    const now = this.#options.clock();
    let next: string | null = null;
    for (const { id, due_at } of await listWaitingEndpoints(this.#options.database.kysely, {})) {
      if (due_at === null) continue;
      if (due_at <= now) this.notice([id]);
      else if (next === null || due_at < next) next = due_at;
    }
    return next;
  }

  /** Resolves when a turn may have something to do. */
  async waitForWork(): Promise<void> {
    await this.#woken.promise;
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

  /** Whether a turn would do anything. */
  get hasWork(): boolean {
    return this.#ended.length > 0 || this.#readyLanes().length > 0;
  }

  /** Writes what ended since the last turn, claims what may begin, and begins it. Call it again when it has ended. */
  turn(): Promise<void> {
    this.#turning = this.#turn();
    return this.#turning;
  }

  async #turn(): Promise<void> {
    const { database, clock } = this.#options;
    const ended = this.#ended;
    this.#ended = [];
    const lanes = this.#readyLanes();
    // What is committed from here on is noticed anew.
    for (const lane of lanes) lane.isHungry = false;
    const [givenUp, claimed] = await runUnitOfWork(
      database,
      clock(),
      async (work) => [await this.#write(work, ended), await this.#claim(work, lanes)] as const,
    ).catch((error: unknown) => {
      // Nothing of it was written: a later turn does it again.
      this.#ended.unshift(...ended);
      for (const lane of lanes) lane.isHungry = true;
      throw error;
    });
    for (const claim of claimed) this.#begin(claim);
    const now = Date.parse(clock());
    for (const [id, lane] of this.#lanes) if (lane.isIdle(now)) this.#lanes.delete(id);
    for (const { endpoint, reason } of givenUp)
      await runUnitOfWork(database, clock(), (work) => disableEndpoint(work, endpoint, reason));
  }

  /** Resolves when no attempt is under way any more. */
  async settle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
  }

  /** Ends what waits for endpoints that take nothing any more. @returns whether there may be more. */
  endStranded(): Promise<boolean> {
    const { database, clock } = this.#options;
    return runUnitOfWork(database, clock(), ({ transaction, now }) => endStranded(transaction, now));
  }

  /** Says that this process is alive. @returns the beats of every process that sends. */
  beat(): Promise<ReadonlyMap<string, number>> {
    const { database, clock } = this.#options;
    return runUnitOfWork(database, clock(), ({ transaction }) => beat(transaction, this.id));
  }

  /** Takes processes that have ended off the list, and frees what they, or any that are not on it, had claimed. */
  async bury(ended: readonly string[]): Promise<void> {
    const { database, clock, log } = this.#options;
    const freed = await runUnitOfWork(database, clock(), async ({ transaction }) => {
      await removeSenders(transaction, ended);
      return freeOrphans(transaction);
    });
    if (freed > 0) log.warn({ deliveries: freed }, 'freed deliveries of a process that ended');
  }

  /**
   * Begins nothing more, waits for what is under way, and writes how it ended.
   * @param milliseconds what takes longer is given up, and sent again later.
   */
  async stop(milliseconds: number): Promise<void> {
    this.#isStopping = true;
    this.#woken.resolve();
    // What a turn writes at this moment must not be freed beside it.
    await this.#turning.catch(() => undefined);
    const { database, clock, receivers } = this.#options;
    const inTime = new AbortController();
    const late = wait(milliseconds, undefined, { signal: inTime.signal, ref: false }).catch(() => undefined);
    await Promise.race([this.settle(), late]);
    inTime.abort();
    this.#giveUp.abort();
    await this.settle();
    await receivers.close();
    await runUnitOfWork(database, clock(), async (work) => {
      await this.#write(work, this.#ended);
      await releaseDeliveries(work.transaction, this.id, this.#givenUp);
      await removeSenders(work.transaction, [this.id]);
    });
    this.#ended = [];
  }

  #lane(endpointId: string): Lane {
    const lane = this.#lanes.get(endpointId) ?? new Lane(endpointId);
    this.#lanes.set(endpointId, lane);
    return lane;
  }

  #readyLanes(): readonly Lane[] {
    if (this.#isStopping || this.#underWay.size >= mostAtOnce) return [];
    const now = Date.parse(this.#options.clock());
    return [...this.#lanes.values()].filter((lane) => lane.isHungry && lane.capacity(now) > 0);
  }

  async #write(work: UnitOfWork, ended: readonly EndedAttempt[]): Promise<readonly GivenUp[]> {
    if (ended.length === 0) return [];
    const rows = ended.map(({ row }) => row);
    const states = ended.map(({ state }) => state);
    await finishAttempts(work.transaction, this.id, rows, states);
    const givenUp: GivenUp[] = [];
    for (const ofEndpoint of Map.groupBy(ended, ({ endpoint }) => endpoint.id).values()) {
      const [{ endpoint }] = ofEndpoint as [EndedAttempt];
      const { failingSince } = await this.#noteHealth(work, endpoint.id, ofEndpoint);
      const failedFor = failingSince === null ? 0 : Date.parse(work.now) - Date.parse(failingSince);
      if (ofEndpoint.some(({ failure }) => failure?.isGone)) givenUp.push({ endpoint, reason: 'gone' });
      else if (failedFor >= longestFailure) givenUp.push({ endpoint, reason: 'failing' });
    }
    return givenUp;
  }

  /** Notes how an endpoint fares after attempts, and answers with it. */
  async #noteHealth(work: UnitOfWork, endpointId: string, ended: readonly EndedAttempt[]): Promise<EndpointHealth> {
    const before = await findHealth(work.transaction, endpointId);
    let { failingSince, lastError } = before;
    for (const { failure, row } of ended) {
      failingSince = failure === null ? null : (failingSince ?? row.at);
      lastError = failure === null ? null : failure.message;
    }
    if (failingSince !== before.failingSince || lastError !== before.lastError)
      await saveHealth(work.transaction, endpointId, { failingSince, lastError });
    return { failingSince, lastError };
  }

  async #claim(work: UnitOfWork, lanes: readonly Lane[]): Promise<readonly Claim[]> {
    const claims: Claim[] = [];
    const expired: DeliveryState[] = [];
    let places = mostAtOnce - this.#underWay.size;
    for (const lane of lanes) {
      const { endpointId } = lane;
      const endpoint = await findEndpointForSending(work.transaction, endpointId);
      if (endpoint?.status !== 'enabled') continue;
      const limit = Math.min(places, lane.capacity(Date.parse(work.now)));
      const claim = { endpointId, sender: this.id, now: work.now, limit };
      const claimed = limit === 0 ? [] : await claimDeliveries(work.transaction, claim);
      const deliveries = claimed.filter(({ firstAttemptAt }) => isWithinWindow(firstAttemptAt, work.now));
      for (const delivery of claimed)
        if (!deliveries.includes(delivery)) expired.push(expireDelivery(delivery, work.now));
      claims.push({ endpoint, lane, deliveries, hasMore: claimed.length === limit });
      places -= deliveries.length;
    }
    await finishAttempts(work.transaction, this.id, [], expired);
    return claims;
  }

  #begin({ endpoint, lane, deliveries, hasMore }: Claim): void {
    if (hasMore) lane.isHungry = true;
    const startedAt = this.#options.clock();
    const keys = openKeys(this.#options.box, endpoint, startedAt);
    for (const delivery of deliveries) {
      lane.inFlight += 1;
      const running = this.#attempt({ endpoint, lane, delivery, keys, startedAt })
        .catch((error: unknown) => this.#giveBack(delivery, error))
        .finally(() => {
          lane.inFlight -= 1;
          this.#underWay.delete(delivery.id);
        });
      this.#underWay.set(delivery.id, running);
    }
  }

  /** An attempt that broke off in this process: the delivery is as it was before. */
  async #giveBack({ id }: ClaimedDelivery, error: unknown): Promise<void> {
    const { database, log } = this.#options;
    log.error({ err: error }, 'an attempt broke off');
    await releaseDeliveries(database.kysely, this.id, [id]).catch(() => undefined);
  }

  async #attempt({ endpoint, lane, delivery, keys, startedAt }: Attempt): Promise<void> {
    const { clock, receivers } = this.#options;
    const body = Buffer.from(writeBody(delivery.event));
    const outcome =
      keys === null
        ? ({ outcome: 'unsealable' } as const)
        : await receivers.post({
            url: endpoint.url,
            headers: webhookHeaders(delivery, keys, body, startedAt),
            body,
            signal: this.#giveUp.signal,
          });
    // This process gives up, not the receiver: the delivery is as it was before.
    if (outcome.outcome === 'failed' && outcome.reason === 'aborted') {
      this.#givenUp.push(delivery.id);
      return;
    }
    const now = clock();
    const ended = endAttempt({ endpoint, delivery, startedAt, outcome, now, random: this.#random() });
    if (ended.failure === null) {
      this.#delivered += 1;
      lane.speedUp();
    } else lane.slowDown();
    if (ended.failure?.pause) lane.pause(Date.parse(now), ended.failure.pause);
    this.#ended.push(ended);
    this.#woken.resolve();
  }
}

/** What is sent to an endpoint now. */
interface Claim {
  readonly endpoint: SendingEndpoint;
  readonly lane: Lane;
  readonly deliveries: readonly ClaimedDelivery[];
  /** Whether more may be due. */
  readonly hasMore: boolean;
}

interface Attempt {
  readonly endpoint: SendingEndpoint;
  readonly lane: Lane;
  readonly delivery: ClaimedDelivery;
  /** Null when the secret of the endpoint cannot be opened. */
  readonly keys: readonly SigningKey[] | null;
  readonly startedAt: string;
}

/** An endpoint that is to be disabled. */
interface GivenUp {
  readonly endpoint: SendingEndpoint;
  readonly reason: DisabledReason;
}

/** With so many attempts under way, a moment's wait makes groups larger. */
const busy = 8;
const mostPauses = 8;
/** Over all endpoints. */
const mostAtOnce = 1024;
/** An endpoint at which nothing has arrived for so long is disabled. */
const longestFailure = 5 * 24 * 60 * 60 * 1000;
