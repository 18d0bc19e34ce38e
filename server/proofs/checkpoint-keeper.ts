import type { Logger } from 'pino';
import type { CountWork } from '../installation/feature.ts';
import { nameTree } from '../ledger/checkpoint.ts';
import {
  type Anchoring,
  anchorCheckpoints,
  findCheckpoint,
  RewrittenLedger,
  signCheckpoint,
  startLog,
} from '../ledger/checkpoint-store.ts';
import type { LedgerOf } from '../ledger/entry.ts';
import { growTree, listBehind } from '../ledger/tree-store.ts';
import { areWithin, type Database, inTransaction, runTransaction } from '../storage/database.ts';

/** The most ledgers and entries per step, so that requests can run between two steps. */
const stepLedgers = 10;
const stepEntries = 2000;

interface KeeperOptions extends Anchoring {
  readonly database: Database;
  /** Milliseconds between two checkpoints of a ledger. */
  readonly interval: number;
  readonly log: Pick<Logger, 'error' | 'warn'>;
}

/**
 * Background work: adds new entries to the Merkle trees of all ledgers, signs a checkpoint of each changed ledger at
 * intervals, and appends the checkpoints of other servers to the log outside the database.
 */
export class CheckpointKeeper {
  readonly #options: KeeperOptions;
  #waiting: LedgerOf[] = [];
  /** Ledgers that do not match their anchors: each is logged once. */
  readonly #rewritten = new Set<string>();

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Appends everything that the log lacks, and warns if the log is empty although the database has checkpoints. */
  async start(now: string): Promise<void> {
    const { kysely } = this.#options.database;
    if (await startLog(kysely, this.#options, now)) {
      const { file } = this.#options.anchors;
      this.#options.log.warn(
        { file },
        'The log of checkpoints was missing or empty, although the database has checkpoints. A new log was started, which cannot detect an earlier roll-back of the database. Restore the log from a copy, unless this server is new.',
      );
    }
    await this.anchor(true);
  }

  /** Appends the checkpoints that the log lacks. @param every also those before its newest ones. */
  async anchor(every = false): Promise<void> {
    const { kysely } = this.#options.database;
    for (const error of await anchorCheckpoints(kysely, this.#options, every)) this.#report(error);
  }

  /**
   * Does the next piece of work.
   * @returns true if there is more to do immediately.
   */
  async step(now: string, count?: CountWork): Promise<boolean> {
    if (this.#waiting.length === 0) {
      await this.anchor();
      this.#waiting = [...(await listBehind(this.#options.database.kysely))];
    }
    for (let ledgers = 0, left = stepEntries; ledgers < stepLedgers && left > 0; ledgers += 1) {
      // Removed first: a ledger that fails waits for the next round and does not block the others.
      const ledger = this.#waiting.shift();
      if (ledger === undefined) break;
      const grown = await inTransaction(this.#options.database, (transaction) => growTree(transaction, ledger, left));
      left -= grown.added;
      if (grown.size < grown.entries) this.#waiting.unshift(ledger);
      else if ((await this.#isDue(ledger, now)) && (await this.#sign(ledger, now))) count?.({ checkpoints: 1 });
    }
    return this.#waiting.length > 0;
  }

  /** @returns false for a ledger that does not match its anchors. */
  async #sign(ledger: LedgerOf, now: string): Promise<boolean> {
    try {
      await runTransaction(this.#options.database, now, (tx) => signCheckpoint(tx, this.#options, ledger));
      return true;
    } catch (error) {
      if (!(error instanceof RewrittenLedger)) throw error;
      this.#report(error);
      return false;
    }
  }

  #report(error: RewrittenLedger): void {
    const name = nameTree(error.of);
    if (this.#rewritten.has(name)) return;
    this.#rewritten.add(name);
    const { ledger, tenantId } = error.of;
    this.#options.log.error({ ledger, tenantId, reason: error.message }, 'a ledger was rewritten: run svc verify');
  }

  async #isDue(ledger: LedgerOf, now: string): Promise<boolean> {
    const latest = await findCheckpoint(this.#options.database.kysely, ledger);
    return latest === undefined || !areWithin(this.#options.interval, now, latest.at);
  }
}
