import type { SecretBox } from '../installation/secrets.ts';
import {
  blamesRow,
  type Clock,
  type Database,
  type Outcome,
  type Queries,
  runUnitOfWork,
  type UnitOfWork,
} from '../storage/database.ts';
import { DatabaseUnavailable } from '../storage/unavailable.ts';
import {
  claimKey,
  findAnswer,
  type IdempotencyClaim,
  releaseKey,
  type StoredAnswer,
  storeAnswer,
} from './idempotency.ts';
import { Problem } from './problem.ts';
import type { AnyCall, Route } from './route.ts';
import { ReadyAnswer, StreamedAnswer } from './surface.ts';

interface ChangeOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Seals the stored answers that contain a secret. */
  readonly box: SecretBox;
  /** Turns the result of a route into its answer. */
  present(route: Route, result: unknown): ReadyAnswer;
}

/** A change that waits for its unit of work. */
interface Waiting {
  /** What `changeEach` takes: the call, or what `prepare` made of it. */
  readonly item: unknown;
  readonly claim: IdempotencyClaim | null;
}

/**
 * Runs the handlers and changes of routes, changes one in a unit of work or a batch of them. The only place that claims
 * idempotency keys, stores answers and replays them.
 */
export class Changes {
  readonly #options: ChangeOptions;
  readonly #batches = new Map<Route, GroupCommit<Waiting, ReadyAnswer>>();
  /** The idempotency keys whose requests run in this process. */
  readonly #running = new Set<string>();

  constructor(options: ChangeOptions) {
    this.#options = options;
  }

  /**
   * Runs a call. Resolves when a change is durable, with its answer or with that of an earlier request with the same key.
   * @throws {Problem} `idempotency_in_progress` while another request with the key is running; what the route throws.
   */
  async run(route: Route, call: AnyCall, claim: IdempotencyClaim | null): Promise<ReadyAnswer | StreamedAnswer> {
    if (claim === null) return this.#dispatch(route, call, null);
    const name = nameKey(claim);
    if (this.#running.has(name)) {
      throw new Problem('idempotency_in_progress', 'A request with this Idempotency-Key is still running; try again.', {
        headers: { 'Retry-After': '1' },
      });
    }
    this.#running.add(name);
    try {
      return await this.#dispatch(route, call, claim);
    } finally {
      this.#running.delete(name);
    }
  }

  /** Resolves when every change taken so far is written. */
  async drain(): Promise<void> {
    await Promise.all([...this.#batches.values()].map((batch) => batch.drain()));
  }

  async #dispatch(route: Route, call: AnyCall, claim: IdempotencyClaim | null) {
    const { change, changeEach } = route;
    if (route.handle !== undefined) {
      const result = await route.handle(call);
      return result instanceof StreamedAnswer ? result : this.#options.present(route, result);
    }
    if (changeEach !== undefined) return this.#submit(route, call, claim, changeEach);
    const apply = async (_: readonly unknown[], work: UnitOfWork) => [{ result: await change?.(call, work) }];
    const [outcome] = await this.#write(route, [{ item: call, claim }], call.now, apply);
    if (outcome === undefined || 'error' in outcome) throw outcome?.error;
    return outcome.result;
  }

  /** Adds a call to the next batch of its route. */
  async #submit(
    route: Route,
    call: AnyCall,
    claim: IdempotencyClaim | null,
    changeEach: NonNullable<Route['changeEach']>,
  ): Promise<ReadyAnswer> {
    const { database, clock } = this.#options;
    let item: unknown = call;
    try {
      if (route.prepare !== undefined) item = await route.prepare(call);
    } catch (error) {
      if (!(error instanceof Problem) || claim === null) throw error;
      // A retry gets its answer even if the request would be rejected now.
      const earlier = await findAnswer(database.kysely, claim, call.now);
      if (earlier === null) throw error;
      return this.#replay(route, claim, earlier);
    }
    let batch = this.#batches.get(route);
    if (batch === undefined) {
      batch = new GroupCommit((waiting) => this.#write(route, waiting, clock(), changeEach), blamesRow);
      this.#batches.set(route, batch);
    }
    return batch.submit({ item, claim });
  }

  /** Writes changes in one unit of work: each with its claim, or none of it. */
  #write(
    route: Route,
    waiting: readonly Waiting[],
    now: string,
    apply: NonNullable<Route['changeEach']>,
  ): Promise<readonly Outcome<ReadyAnswer>[]> {
    return runUnitOfWork(this.#options.database, now, async (work) => {
      const answered = await this.#claimKeys(route, work.transaction, waiting, now);
      const left = answered.size === 0 ? waiting : waiting.filter((one) => !answered.has(one));
      const items = left.map(({ item }) => item);
      const results = items.length === 0 ? [] : await apply(items, work);
      const outcomes: Outcome<ReadyAnswer>[] = [];
      let place = 0;
      for (const one of waiting) {
        const earlier = answered.get(one);
        outcomes.push(
          earlier ?? (await this.#settle(route, work.transaction, one, results[place++] as Outcome<unknown>)),
        );
      }
      return outcomes;
    });
  }

  /** Claims the keys. @returns the outcomes of requests that were answered before, or whose key another request used. */
  async #claimKeys(
    route: Route,
    queries: Queries,
    waiting: readonly Waiting[],
    now: string,
  ): Promise<Map<Waiting, Outcome<ReadyAnswer>>> {
    const outcomes = new Map<Waiting, Outcome<ReadyAnswer>>();
    const claims = waiting.flatMap((one) => (one.claim === null ? [] : [{ one, claim: one.claim }]));
    // In the order of the keys: two servers that claim the same ones cannot deadlock.
    for (const { one, claim } of claims.sort((a, b) => (nameKey(a.claim) < nameKey(b.claim) ? -1 : 1))) {
      try {
        const earlier = await claimKey(queries, claim, now);
        if (earlier !== null) outcomes.set(one, { result: this.#replay(route, claim, earlier) });
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        outcomes.set(one, { error });
      }
    }
    return outcomes;
  }

  /** Stores the answer of a change that succeeded, and gives the key of any other back. */
  async #settle(
    route: Route,
    queries: Queries,
    { claim }: Waiting,
    outcome: Outcome<unknown>,
  ): Promise<Outcome<ReadyAnswer>> {
    if ('error' in outcome) {
      if (claim !== null) await releaseKey(queries, claim);
      return outcome;
    }
    const answer = this.#options.present(route, outcome.result);
    if (claim !== null) {
      const text = String(answer.body);
      const body = route.showsSecret ? this.#options.box.seal(text, sealPurpose(claim)) : text;
      await storeAnswer(queries, claim, { status: answer.status, body });
    }
    return { result: answer };
  }

  #replay({ showsSecret }: Route, claim: IdempotencyClaim, { status, body }: StoredAnswer): ReadyAnswer {
    const text = showsSecret ? this.#options.box.open(body, sealPurpose(claim)) : body;
    return new ReadyAnswer(status, text, { 'Idempotent-Replayed': 'true' });
  }
}

/** The tenant first: the same key may exist in several. */
function nameKey({ tenantId, key }: IdempotencyClaim): string {
  return `${tenantId} ${key}`;
}

function sealPurpose(claim: IdempotencyClaim): string {
  return `answer ${nameKey(claim)}`;
}

/** An item of a group commit. */
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
  readonly #blamesItem: (error: unknown) => boolean;
  #waiting: Submitted<Item, Result>[] = [];
  #running: Promise<void> | null = null;

  /**
   * @param write writes a batch in one transaction and answers with an outcome for each item, in order.
   * @param blamesItem whether an error of the whole write can be the fault of one item.
   */
  constructor(
    write: (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>,
    blamesItem: (error: unknown) => boolean = () => false,
  ) {
    this.#write = write;
    this.#blamesItem = blamesItem;
  }

  /** Resolves when the item is durable; rejects with the error of the item, or of the whole write. */
  submit(item: Item): Promise<Result> {
    if (this.#waiting.length >= maximumWaiting) {
      return Promise.reject(
        new Problem('rate_limited', 'The server is busy; try again.', { headers: { 'Retry-After': '1' } }),
      );
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
      await pause();
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
      if (batch.length > 1 && this.#blamesItem(error)) for (const one of batch) await this.#settle([one]);
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

/** The check phase comes after all sockets that are ready were read: their requests join the batch. */
function turnEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

/** Each of a millisecond; the sync takes about as long. */
const mostPauses = 4;
const busyBatch = 8;
const maximumBatch = 512;
const maximumWaiting = 20_000;
