import type { SecretBox } from '../installation/secret-box.ts';
import type { Clock } from '../storage/clock.ts';
import { blamesRow, type Database, type Queries } from '../storage/database.ts';
import { type Outcome, runUnitOfWork, type UnitOfWork } from '../storage/unit-of-work.ts';
import { GroupCommit } from './group-commit.ts';
import {
  claimKey,
  findAnswer,
  type IdempotencyClaim,
  releaseKey,
  type StoredAnswer,
  storeAnswer,
} from './idempotency.ts';
import { Problem } from './problem.ts';
import { type AnyCall, ReadyAnswer, type Route } from './route.ts';

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
 * Runs the changes of routes, one in a unit of work or a batch of them. The only place that claims idempotency keys, stores
 * answers and replays them.
 */
export class Changes {
  readonly #options: ChangeOptions;
  readonly #batches = new Map<Route, GroupCommit<Waiting, ReadyAnswer>>();

  constructor(options: ChangeOptions) {
    this.#options = options;
  }

  /** Runs a change. Resolves when it is durable, with its answer or with that of an earlier request with the same key. */
  async run(route: Route, call: AnyCall, claim: IdempotencyClaim | null): Promise<ReadyAnswer> {
    const { change, changeEach } = route;
    if (changeEach === undefined) {
      const apply = async ([item]: readonly unknown[], work: UnitOfWork) => [
        { result: await change?.(item as AnyCall, work) },
      ];
      const [outcome] = await this.#write(route, [{ item: call, claim }], call.now, apply);
      return settle(outcome as Outcome<ReadyAnswer>);
    }
    let item: unknown = call;
    try {
      if (route.prepare !== undefined) item = await route.prepare(call);
    } catch (error) {
      if (!(error instanceof Problem) || claim === null) throw error;
      // A retry gets its answer even if the request would be rejected now.
      const earlier = await findAnswer(this.#options.database.kysely, claim, call.now);
      if (earlier === null) throw error;
      return this.#replay(route, claim, earlier);
    }
    let batch = this.#batches.get(route);
    if (batch === undefined) {
      batch = new GroupCommit((waiting) => this.#write(route, waiting, this.#options.clock(), changeEach), blamesRow);
      this.#batches.set(route, batch);
    }
    return batch.submit({ item, claim });
  }

  /** Resolves when every change taken so far is written. */
  async drain(): Promise<void> {
    await Promise.all([...this.#batches.values()].map((batch) => batch.drain()));
  }

  /** Writes changes in one unit of work: each with its claim, or none of it. */
  #write(
    route: Route,
    waiting: readonly Waiting[],
    now: string,
    apply: NonNullable<Route['changeEach']>,
  ): Promise<readonly Outcome<ReadyAnswer>[]> {
    return runUnitOfWork(this.#options.database, now, async (work) => {
      const outcomes = await this.#claimKeys(route, work.transaction, waiting, now);
      const left = waiting.filter((one) => !outcomes.has(one));
      const results =
        left.length === 0
          ? []
          : await apply(
              left.map(({ item }) => item),
              work,
            );
      for (const [index, one] of left.entries())
        outcomes.set(one, await this.#store(route, work.transaction, one, results[index] as Outcome<unknown>));
      return waiting.map((one) => outcomes.get(one) as Outcome<ReadyAnswer>);
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
  async #store(
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

function settle(outcome: Outcome<ReadyAnswer>): ReadyAnswer {
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}

/** The tenant first: the same key may exist in several. */
function nameKey({ tenantId, key }: IdempotencyClaim): string {
  return `${tenantId} ${key}`;
}

function sealPurpose({ tenantId, key }: IdempotencyClaim): string {
  return `answer ${tenantId} ${key}`;
}
