import { extendLog, isLogDue } from '../ledger/installation-log.ts';
import type { NoteSigner } from '../ledger/signed-note.ts';
import { type Database, runUnitOfWork } from '../storage/database.ts';

interface LogKeeperOptions {
  readonly database: Database;
  readonly signer: NoteSigner;
}

/** Background work: each hour, one of the servers adds the new checkpoints of all ledgers to the log of the installation. */
export class LogKeeper {
  readonly #options: LogKeeperOptions;

  constructor(options: LogKeeperOptions) {
    this.#options = options;
  }

  /** Does what is due. */
  async step(now: string): Promise<void> {
    const { database, signer } = this.#options;
    // Without a lock, because it is rarely due.
    if (await isLogDue(database.kysely, now)) await runUnitOfWork(database, now, (work) => extendLog(work, signer));
  }
}
