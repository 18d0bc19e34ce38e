import {
  claimTask,
  endTask,
  findNewestAttested,
  listTasks,
  storeAttestation,
  type TaskName,
} from '../ledger/attestation-store.ts';
import {
  extendLog,
  findLogCheckpoint,
  isLogDue,
  type LogCheckpoint,
  proveExtension,
} from '../ledger/installation-log.ts';
import type { NoteSigner } from '../ledger/signed-note.ts';
import type { Settings } from '../settings.ts';
import { type Database, inTransaction, runUnitOfWork } from '../storage/database.ts';
import { listSources, type OutsideSource, readOutside } from './outside-sources.ts';
import { OutsideFault } from './post-outside.ts';

interface LogKeeperOptions {
  readonly database: Database;
  readonly signer: NoteSigner;
  readonly settings: Pick<Settings, 'timestamps' | 'witnessPolicy'>;
  /** Milliseconds that an authority or a witness has to answer, for tests. */
  readonly answerWithin?: number;
}

/**
 * Background work: each hour, one of the servers adds the new checkpoints of all ledgers to the log of the installation, and
 * requests a timestamp and cosignatures for the newest checkpoint of the log. Nothing waits for them: what fails is tried
 * again an hour later.
 */
export class LogKeeper {
  readonly #options: LogKeeperOptions;
  readonly #sources: readonly OutsideSource[];
  readonly #stopping = new AbortController();

  /** @throws {SettingsError} if the certificates or the policy cannot be used. */
  constructor(options: LogKeeperOptions) {
    this.#options = options;
    this.#sources = listSources(readOutside(options.settings));
  }

  /** Does what is due. */
  async step(now: string): Promise<void> {
    const { database, signer } = this.#options;
    // Without a lock, because it is rarely due.
    if (await isLogDue(database.kysely, now)) await runUnitOfWork(database, now, (work) => extendLog(work, signer));
    const checkpoint = await findLogCheckpoint(database.kysely);
    if (checkpoint === undefined) return;
    await Promise.all(this.#sources.map((source) => this.#ask(source, checkpoint, now)));
  }

  /** Ends the requests under way. */
  stop(): void {
    this.#stopping.abort();
  }

  async #ask(source: OutsideSource, checkpoint: LogCheckpoint, now: string): Promise<void> {
    const { database, answerWithin } = this.#options;
    const queries = database.kysely;
    const task: TaskName = { kind: source.kind, source: source.name };
    const newest = await findNewestAttested(queries, task);
    if (newest !== undefined && newest.size >= checkpoint.size) return;
    if (!(await inTransaction(database, (transaction) => claimTask(transaction, task, now)))) return;
    const before = (await listTasks(queries)).find((one) => one.kind === task.kind && one.source === task.source);
    let known = Math.max(newest?.size ?? 0, before?.size ?? 0);
    let fault: string | null = null;
    try {
      const stated = await source.ask(checkpoint, {
        signal: this.#stopping.signal,
        known,
        ...(answerWithin === undefined ? {} : { within: answerWithin }),
        noteKnown: (size) => {
          known = size;
        },
        prove: (from) => proveExtension(queries, from, checkpoint.size),
      });
      const { kind } = source;
      const attestation = { kind, size: checkpoint.size, ...stated };
      await inTransaction(database, (transaction) => storeAttestation(transaction, attestation));
      known = checkpoint.size;
    } catch (error) {
      if (!(error instanceof OutsideFault)) throw error;
      fault = error.message;
    }
    await inTransaction(database, (transaction) => endTask(transaction, task, { size: known, fault }));
  }
}
