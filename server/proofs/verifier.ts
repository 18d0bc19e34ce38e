import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { listTenants } from '../accounts/tenants/store.ts';
import type { CountWork, Services } from '../installation/feature.ts';
import type { Installation } from '../installation/installation.ts';
import type { Settings } from '../settings.ts';
import { inTransaction, runTransaction, type Transaction } from '../storage/database.ts';
import { listLaterMigrations } from '../storage/migrate.ts';
import { repeat } from '../storage/repeat.ts';
import { newId } from '../storage/rows.ts';
import {
  beginRun,
  finishRun,
  interruptRun,
  type Outcome,
  type RunRow,
  recordHeartbeat,
  storeVerification,
} from './verification-store.ts';
import type { WorkerInput, WorkerMessage } from './verification-worker.ts';

type VerifierServices = Installation & Pick<Services, 'faults' | 'replica'>;

/** Verifies every ledger and row of all tenants, in a thread beside the requests. Of several servers, one does it. */
export class Verifier {
  readonly #installation: VerifierServices;
  readonly #id = newId();
  #worker: Worker | null = null;
  #isStopped = false;
  #running: Promise<void> = Promise.resolve();

  constructor(installation: VerifierServices) {
    this.#installation = installation;
  }

  /** Begins a run when the transaction is durable. @returns the run, or the one that is under way. */
  async begin(tx: Transaction, interval: number | null = null): ReturnType<typeof beginRun> {
    const begun = await beginRun(tx.queries, tx.now, this.#id, interval);
    if (begun?.isNew)
      tx.afterCommit(() => {
        const previous = this.#running;
        this.#running = previous
          .then(() => this.#carryOut(begun.run))
          .catch((error: unknown) => this.#installation.faults.logTask(error, 'verification failed'));
      });
    return begun;
  }

  /** Begins the run that is due by the schedule. */
  async step(now: string, count?: CountWork): Promise<void> {
    const { database, settings } = this.#installation;
    if (settings.verifyInterval === 0) return;
    const begun = await runTransaction(database, now, (tx) => this.begin(tx, settings.verifyInterval));
    count?.({ verifications: Number(begun?.isNew === true) });
  }

  /** Resolves when no run is under way in this process. */
  idle(): Promise<void> {
    return this.#running;
  }

  /** Interrupts the run; a server begins it again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#worker?.terminate();
    await this.#running;
  }

  async #carryOut(run: RunRow): Promise<void> {
    const { database, clock } = this.#installation;
    // Beside a server of the next version, which knows what the schema should be.
    const isOutdated = (await listLaterMigrations(database)).length > 0;
    const outcome = this.#isStopped || isOutdated ? null : await this.#verifyAnywhere(run);
    if (outcome === null) return void (await interruptRun(database.kysely, run, clock()));
    const { list, verified } = outcome;
    const known = new Set((await listTenants(database.kysely)).map(({ id }) => id));
    // Each in a separate transaction, because requests wait for it.
    for (const report of verified.tenants.filter(({ tenantId }) => known.has(tenantId))) {
      const isOurs = await runTransaction(database, clock(), (tx) => storeVerification(tx, run, report, list));
      if (!isOurs) return;
    }
    await inTransaction(database, (queries) => finishRun(queries, run, clock(), outcome));
    const [first] = list;
    if (first !== undefined)
      this.#installation.faults.log.error(
        { findings: list.length, fault: first.message },
        'verification found something',
      );
  }

  /**
   * Verifies the read replica if it has everything that was durable when the run began. It may miss what servers append to
   * their logs meanwhile, so only the primary reports faults.
   */
  async #verifyAnywhere(run: RunRow): Promise<Outcome | null> {
    const { replica, settings, faults } = this.#installation;
    if (replica === null || settings.replica === null || !(await replica.hasEverything()))
      return this.#verify(run, settings);
    const outcome = await this.#verify(run, { ...settings, databaseUrl: settings.replica.url });
    const [first] = outcome?.list ?? [];
    if (outcome === null || first === undefined) return outcome;
    // A connection that was lost says nothing about the replica.
    if (outcome.list.some(({ kind }) => kind !== 'unreadable'))
      faults.log.warn(
        { findings: outcome.list.length, fault: first.message },
        'the verification of the read replica found something: verifying the primary',
      );
    return this.#verify(run, settings);
  }

  /** @returns null if the thread was stopped, or another server has taken the run. */
  async #verify(run: RunRow, settings: Settings): Promise<Outcome | null> {
    if (this.#isStopped) return null;
    const { database, clock } = this.#installation;
    let progress = { verified: 0, tenants: 0 };
    const workerData: WorkerInput = { settings, now: run.started_at };
    const worker = new Worker(workerFile, { workerData });
    this.#worker = worker;
    const heartbeats = repeat({ every: 2000, task: 'verification', faults: this.#installation.faults }, async () => {
      const isOurs = await recordHeartbeat(database.kysely, run, clock(), progress.verified, progress.tenants);
      if (!isOurs) await worker.terminate();
      return false;
    });
    try {
      return await new Promise<Outcome | null>((resolve, reject) => {
        worker.on('message', (message: WorkerMessage) => {
          if ('outcome' in message) resolve(message.outcome);
          else progress = message;
        });
        worker.on('error', reject);
        worker.on('exit', () => resolve(null));
      });
    } catch (error) {
      this.#installation.faults.logTask(error, 'verification failed');
      const message = 'The verification ended with an error, which is in the log of the server.';
      const finding = { kind: 'unreadable', about: 'server', tenantId: null, message } as const;
      return { list: [finding], verified: { database: [], anchors: null, grants: null, log: null, tenants: [] } };
    } finally {
      this.#worker = null;
      await heartbeats.stop();
    }
  }
}

// The build has the same folders, with another extension.
const workerFile = join(import.meta.dirname, `verification-worker${extname(import.meta.filename)}`);
