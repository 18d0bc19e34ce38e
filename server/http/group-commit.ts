import { DatabaseUnavailable } from '../storage/unavailable.ts';
import type { Outcome } from '../storage/unit-of-work.ts';
import { Problem } from './problem.ts';

interface Waiting<Item, Result> {
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
  #waiting: Waiting<Item, Result>[] = [];
  #running: Promise<void> | null = null;

  /**
   * @param write writes a batch in one transaction and answers with an outcome for each item, in order.
   * @param blamesItem tells whether an error of the whole write can be the fault of one item.
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
      await (busy ? pause() : turnEventLoop());
      const batch = this.#waiting.splice(0, maximumBatch);
      busy = batch.length >= busyBatch;
      await this.#settle(batch);
      // Whoever was answered may have asked again already; what came meanwhile is read before the next look.
      await turnEventLoop();
    }
    this.#running = null;
  }

  async #settle(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    let outcomes: readonly Outcome<Result>[];
    try {
      outcomes = await this.#write(batch.map(({ item }) => item));
    } catch (error) {
      // One item that the database refuses must not take its neighbours along: each is tried alone.
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

/** Under load a millisecond more makes groups larger and each record cheaper; the sync takes about as long. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

const busyBatch = 8;
const maximumBatch = 512;
const maximumWaiting = 20_000;
