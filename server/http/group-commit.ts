import { setImmediate as turnEventLoop, setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../storage/clock.ts';
import { blamesRow, type Database, type Outcome, runTransaction, type Transaction } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import { isDistributed } from '../storage/rows.ts';
import type { SecretBox } from '../storage/secrets.ts';
import { DatabaseUnavailable } from '../storage/unavailable.ts';
import type { ReadyAnswer } from './answer.ts';
import { type IdempotencyClaim, IdempotencyKeys, nameKey } from './idempotency.ts';
import { Problem } from './problem.ts';
import type { AnyCall, Route } from './route.ts';

interface ChangeOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Seals the stored answers that contain a secret. */
  readonly box: SecretBox;
  /** Turns the result of a route into its answer. */
  present(route: Route, result: unknown): ReadyAnswer;
}

interface Waiting {
  /** The input of `writeMany`: the call, or the result of `prepare` for it. */
  readonly item: unknown;
  readonly claim: IdempotencyClaim | null;
}

/** Runs the handlers and changes of routes, changes one in a transaction or a batch of them, with their claims. */
export class Changes {
  readonly #options: ChangeOptions;
  readonly #keys: IdempotencyKeys;
  /** By route, and by tenant if the tenants are on several nodes. */
  readonly #batches = new Map<Route, Map<string, GroupCommit<Waiting, ReadyAnswer>>>();

  constructor(options: ChangeOptions) {
    this.#options = options;
    this.#keys = new IdempotencyKeys(options.box);
  }

  /**
   * Runs a call. Resolves when a change is durable, with its answer or with that of an earlier request with the same key.
   * @throws {Problem} `idempotency_in_progress` while another request with the key is running; what the route throws.
   */
  run(route: Route, call: AnyCall, claim: IdempotencyClaim | null): Promise<ReadyAnswer> {
    if (claim === null) return this.#dispatch(route, call, null);
    return this.#keys.hold(claim, () => this.#dispatch(route, call, claim));
  }

  /** Resolves when every change taken so far is written. */
  async drain(): Promise<void> {
    const batches = [...this.#batches.values()].flatMap((ofRoute) => [...ofRoute.values()]);
    await Promise.all(batches.map((batch) => batch.drain()));
  }

  async #dispatch(route: Route, call: AnyCall, claim: IdempotencyClaim | null) {
    const { write, writeMany } = route;
    if (route.handle !== undefined) return this.#options.present(route, await route.handle(call));
    if (writeMany !== undefined) return this.#submit(route, call, claim, writeMany);
    const apply = async (_: readonly unknown[], tx: Transaction) => [
      { result: await write?.(call, { ...tx, traceParent: call.traceParent }) },
    ];
    const [outcome] = await this.#write(route, [{ item: call, claim }], call.now, apply);
    if (outcome === undefined || 'error' in outcome) throw outcome?.error;
    return outcome.result;
  }

  async #submit(
    route: Route,
    call: AnyCall,
    claim: IdempotencyClaim | null,
    writeMany: NonNullable<Route['writeMany']>,
  ): Promise<ReadyAnswer> {
    const { database, clock } = this.#options;
    let item: unknown = call;
    try {
      if (route.prepare !== undefined) item = await route.prepare(call);
    } catch (error) {
      if (!(error instanceof Problem) || claim === null) throw error;
      // A retry gets its answer even if the request would be rejected now.
      const earlier = await this.#keys.find(database.kysely, claim, call.now);
      if (earlier === null) throw error;
      return earlier;
    }
    // A transaction of tenants on several nodes would need each of them, and two-phase commit.
    const tenant = isDistributed(database.kysely) ? (route.tenantOf?.(item) ?? call.principal?.tenantId ?? '') : '';
    let ofRoute = this.#batches.get(route);
    if (ofRoute === undefined) {
      ofRoute = new Map();
      this.#batches.set(route, ofRoute);
    }
    let batch = ofRoute.get(tenant);
    if (batch === undefined) {
      batch = new GroupCommit(async (waiting) => {
        const outcomes = await this.#write(route, waiting, clock(), writeMany);
        database.signals.emit('batchWritten', waiting.length);
        return outcomes;
      });
      ofRoute.set(tenant, batch);
    }
    return batch.submit({ item, claim });
  }

  /** Writes changes in one transaction: each with its claim, or none of it. */
  #write(route: Route, waiting: readonly Waiting[], now: string, apply: NonNullable<Route['writeMany']>) {
    return runTransaction(this.#options.database, now, async (tx) => {
      const outcomes = await this.#takeKeys(tx.queries, waiting, now);
      const left = outcomes.size === 0 ? waiting : waiting.filter((one) => !outcomes.has(one));
      const items = left.map(({ item }) => item);
      const results = items.length === 0 ? [] : await apply(items, tx);
      for (const [index, one] of left.entries()) {
        const result = results[index] as Outcome<unknown>;
        const outcome = 'error' in result ? result : { result: this.#options.present(route, result.result) };
        if (one.claim !== null)
          await ('error' in outcome
            ? this.#keys.release(tx.queries, one.claim)
            : this.#keys.store(tx.queries, one.claim, outcome.result));
        outcomes.set(one, outcome);
      }
      return waiting.map((one) => outcomes.get(one) as Outcome<ReadyAnswer>);
    });
  }

  /** @returns the outcomes of requests that were answered before, and of those with a key that another request used. */
  async #takeKeys(queries: Queries, waiting: readonly Waiting[], now: string) {
    const outcomes = new Map<Waiting, Outcome<ReadyAnswer>>();
    const claims = waiting.flatMap((one) => (one.claim === null ? [] : [{ one, claim: one.claim }]));
    // In the order of the keys: two servers that claim the same ones cannot deadlock.
    for (const { one, claim } of claims.sort((a, b) => (nameKey(a.claim) < nameKey(b.claim) ? -1 : 1))) {
      try {
        const earlier = await this.#keys.take(queries, claim, now);
        if (earlier !== null) outcomes.set(one, { result: earlier });
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        outcomes.set(one, { error });
      }
    }
    return outcomes;
  }
}

interface Submitted<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes what arrives while one batch is on its way to the disk together as the next batch: one transaction and one
 * sync for all of them. Each item gets its own result or error, after the commit.
 */
export class GroupCommit<Item, Result> {
  readonly #write: (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>;
  #waiting: Submitted<Item, Result>[] = [];
  #running: Promise<void> | null = null;

  /** @param write writes a batch in one transaction and answers with an outcome for each item, in order. */
  constructor(write: (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>) {
    this.#write = write;
  }

  /** Resolves when the item is durable; rejects with the error of the item, or of the whole write. */
  submit(item: Item): Promise<Result> {
    if (this.#waiting.length >= maximumWaiting) {
      const headers = { 'Retry-After': '1' };
      return Promise.reject(new Problem('unavailable', 'The server is busy; try again.', { headers }));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing waits any more. */
  async drain(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    let busy = false;
    while (this.#waiting.length > 0) {
      // The check phase comes after all sockets that are ready were read: their requests join the batch.
      await (busy ? this.#gather() : turnEventLoop());
      const batch = this.#waiting.splice(0, maximumBatch);
      busy = batch.length >= busyBatch;
      await this.#settle(batch);
      // Callers that were answered may have sent another item; pending input is read before the next batch.
      await turnEventLoop();
    }
    this.#running = null;
  }

  /** Waits for as long as more items arrive: under load, larger batches make each item cheaper. */
  async #gather(): Promise<void> {
    for (let pauses = 0, before = 0; pauses < mostPauses && this.#mayGrow(before); pauses += 1) {
      before = this.#waiting.length;
      await wait(1);
    }
  }

  #mayGrow(before: number): boolean {
    return this.#waiting.length > before && this.#waiting.length < maximumBatch;
  }

  async #settle(batch: readonly Submitted<Item, Result>[]): Promise<void> {
    let outcomes: readonly Outcome<Result>[];
    try {
      outcomes = await this.#write(batch.map(({ item }) => item));
    } catch (error) {
      // One item that the database rejects must not fail the others: each is tried separately.
      if (batch.length > 1 && blamesRow(error)) for (const one of batch) await this.#settle([one]);
      else for (const { reject } of batch) reject(error);
      // Those that came meanwhile have waited as long; the next batch would take as long to fail. Not where only a row was
      // locked: they may be about others.
      if (error instanceof DatabaseUnavailable && !error.isRowLock)
        for (const { reject } of this.#waiting.splice(0)) reject(error);
      return;
    }
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index] ?? { error: new Error('The write of a batch gave no outcome for an item.') };
      if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.result);
    }
  }
}

/** Each of a millisecond; the sync takes about as long. */
const mostPauses = 4;
const busyBatch = 8;
const maximumBatch = 512;
const maximumWaiting = 20_000;
