import type { CountWork } from '../installation/feature.ts';
import {
  claimTask,
  endTask,
  findNewestAttested,
  storeAttestation,
  type TaskName,
} from '../ledger/attestation-store.ts';
import { type Anchoring, RewrittenLedger } from '../ledger/checkpoint-store.ts';
import {
  extendLog,
  findLogCheckpoint,
  isLogDue,
  type LogCheckpoint,
  proveExtension,
} from '../ledger/installation-log.ts';
import type { Settings } from '../settings.ts';
import { type Database, inTransaction, runTransaction } from '../storage/database.ts';
import { listSources, type OutsideSource, readOutside } from './outside-sources.ts';
import { OutsideFault } from './post-outside.ts';

interface LogKeeperOptions extends Anchoring {
  readonly database: Database;
  readonly settings: Pick<Settings, 'timestamps' | 'witnessPolicy'>;
  /** Milliseconds that an authority or a witness has to respond, for tests. */
  readonly respondWithin?: number;
}

/**
 * Background work: each hour, one of the servers adds the new checkpoints of all ledgers to the log of the installation, and
 * requests a timestamp and cosignatures for the newest checkpoint of the log. Nothing waits for them; a failed request is
 * retried an hour later.
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
  async step(now: string, count?: CountWork): Promise<void> {
    const { database } = this.#options;
    try {
      // Without a lock, because it is rarely due.
      if (await isLogDue(database.kysely, now))
        await runTransaction(database, now, (tx) => extendLog(tx, this.#options));
    } catch (error) {
      // The checkpoint keeper compares the log with its anchors, too, and logs this.
      if (error instanceof RewrittenLedger) return;
      throw error;
    }
    const checkpoint = await findLogCheckpoint(database.kysely);
    if (checkpoint === undefined) return;
    await Promise.all(this.#sources.map((source) => this.#request(source, checkpoint, now, count)));
  }

  /** Ends the requests under way. */
  stop(): void {
    this.#stopping.abort();
  }

  async #request(source: OutsideSource, checkpoint: LogCheckpoint, now: string, count?: CountWork): Promise<void> {
    const { database, respondWithin } = this.#options;
    const queries = database.kysely;
    const task: TaskName = { kind: source.kind, source: source.name };
    const newest = await findNewestAttested(queries, task);
    if (newest !== undefined && newest.size >= checkpoint.size) return;
    const claimed = await inTransaction(database, (transaction) => claimTask(transaction, task, now));
    if (claimed === undefined) return;
    let knownSize = Math.max(newest?.size ?? 0, claimed.size ?? 0);
    let fault: string | null = null;
    try {
      const attested = await source.request(checkpoint, {
        signal: this.#stopping.signal,
        knownSize,
        ...(respondWithin === undefined ? {} : { within: respondWithin }),
        onKnownSize: (size) => {
          knownSize = size;
        },
        prove: (from) => proveExtension(queries, from, checkpoint.size),
      });
      const { kind } = source;
      const attestation = { kind, size: checkpoint.size, ...attested };
      await inTransaction(database, (transaction) => storeAttestation(transaction, attestation));
      knownSize = checkpoint.size;
      count?.({ attestations: 1 });
    } catch (error) {
      if (!(error instanceof OutsideFault)) throw error;
      fault = error.message;
    }
    await inTransaction(database, (transaction) => endTask(transaction, task, { size: knownSize, fault }));
  }
}
