import { findCheckpoint, signCheckpoint } from '../ledger/checkpoint-store.ts';
import type { NoteSigner } from '../ledger/signed-note.ts';
import { growTree, type LedgerOf, listBehind } from '../ledger/tree-store.ts';
import { type Database, inTransaction } from '../storage/database.ts';
import { runUnitOfWork } from '../storage/unit-of-work.ts';

/** Ledgers and entries that one step looks after at most, so that requests have their turn between two steps. */
const stepLedgers = 10;
const stepEntries = 2000;

/** Keeps the Merkle trees of all ledgers up to them, and signs a checkpoint of each that changed, at intervals. */
export class CheckpointKeeper {
  readonly #database: Database;
  readonly #signer: NoteSigner;
  readonly #interval: number;
  #waiting: LedgerOf[] = [];

  /** @param interval milliseconds between two checkpoints of a ledger. */
  constructor(options: { readonly database: Database; readonly signer: NoteSigner; readonly interval: number }) {
    this.#database = options.database;
    this.#signer = options.signer;
    this.#interval = options.interval;
  }

  /**
   * Does the next piece of work.
   * @returns whether there is more to do at once.
   */
  async step(now: string): Promise<boolean> {
    if (this.#waiting.length === 0) this.#waiting = [...(await listBehind(this.#database.kysely))];
    for (let ledgers = 0, left = stepEntries; ledgers < stepLedgers && left > 0; ledgers += 1) {
      // Taken off first: a ledger that fails is left for the next round, and holds up no other.
      const ledger = this.#waiting.shift();
      if (ledger === undefined) break;
      const grown = await inTransaction(this.#database, (transaction) => growTree(transaction, ledger, left));
      left -= grown.added;
      if (grown.size < grown.entries) this.#waiting.unshift(ledger);
      else if (await this.#isDue(ledger, now))
        await runUnitOfWork(this.#database, now, (work) => signCheckpoint(work, this.#signer, ledger));
    }
    return this.#waiting.length > 0;
  }

  async #isDue(ledger: LedgerOf, now: string): Promise<boolean> {
    const latest = await findCheckpoint(this.#database.kysely, ledger);
    // A latest one from far ahead was signed by a wrong clock, and must not keep the next one waiting.
    return latest === undefined || Math.abs(Date.parse(now) - Date.parse(latest.at)) >= this.#interval;
  }
}
