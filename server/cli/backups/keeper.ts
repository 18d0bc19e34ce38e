import { statSync } from 'node:fs';
import type { Services } from '../../installation/feature.ts';
import { completeErasures } from '../../ledger/erasure-store.ts';
import type { BackupSettings } from '../../settings.ts';
import { runTask } from './run-task.ts';

/** Makes the backups that are due, copies erasures.log after each erasure, and rehearses restores. */
export class BackupKeeper {
  readonly #services: Services;
  readonly #settings: BackupSettings;
  readonly #stopping = new AbortController();
  readonly #onErased = () => this.#copySoon();
  #running: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  /** The size of erasures.log as it was last copied by this process. */
  #copiedBytes = 0;
  #lastFault: string | null = null;

  constructor(services: Services, settings: BackupSettings) {
    this.#services = services;
    this.#settings = settings;
  }

  /** Watches for erasures, and copies those from before the start. */
  start(): void {
    this.#services.database.signals.on('erasureNoted', this.#onErased);
    this.#copySoon();
  }

  /** Runs what is due, one after the other. */
  step(): Promise<void> {
    return this.#queue(async () => {
      await this.#copyErasures();
      await this.#makeBackup();
      await this.#rehearse();
    });
  }

  /** Resolves when nothing runs. */
  idle(): Promise<void> {
    return this.#running;
  }

  /** Interrupts what runs; it is due again afterwards. */
  interrupt(): void {
    this.#services.database.signals.off('erasureNoted', this.#onErased);
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#stopping.abort();
  }

  #queue(step: () => Promise<void>): Promise<void> {
    const next = this.#running.then(step);
    this.#running = next.catch(() => undefined);
    return next;
  }

  /** Several erasures within two seconds are copied at once. */
  #copySoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#queue(() => this.#copyErasures()).catch((error: unknown) =>
        this.#services.faults.logTask(error, 'copying erasures.log failed'),
      );
    }, 2000).unref();
  }

  async #makeBackup(): Promise<void> {
    const { log } = this.#services;
    if (this.#settings.interval === 0) return;
    const started = performance.now();
    const outcome = await this.#run('backup', this.#settings.interval);
    if (outcome === null) return;
    if ('failure' in outcome) {
      log.error({ reason: outcome.failure }, 'backup failed');
      return;
    }
    const { name, bytes, deleted, fault } = outcome;
    log.info({ name, bytes, deleted, milliseconds: Math.round(performance.now() - started) }, 'backup made');
    if (fault != null) log.warn({ reason: fault }, 'old backups remain');
  }

  async #rehearse(): Promise<void> {
    const { log } = this.#services;
    if (this.#settings.rehearsalInterval === 0) return;
    const outcome = await this.#run('rehearsal', this.#settings.rehearsalInterval);
    if (outcome === null) return;
    if ('failure' in outcome) log.error({ reason: outcome.failure }, 'rehearsal of a restore failed');
    else log.info({ name: outcome.name }, 'restore rehearsed');
  }

  /** Copies erasures.log if it has grown; a failed copy is repeated within the minute. */
  async #copyErasures(): Promise<void> {
    const { database, erasures, log } = this.#services;
    // Those of other servers, too.
    await completeErasures(database.kysely, erasures);
    const { size } = statSync(erasures.file);
    if (size === this.#copiedBytes) return;
    const outcome = await this.#run('erasures', null);
    if (outcome === null) return;
    if (!('failure' in outcome)) {
      this.#copiedBytes = size;
      this.#lastFault = null;
      log.info({ name: outcome.name }, 'erasures.log copied');
    } else if (outcome.failure !== this.#lastFault) {
      this.#lastFault = outcome.failure;
      log.error({ reason: outcome.failure }, 'erasures.log not copied');
    }
  }

  #run(task: Parameters<typeof runTask>[1], interval: number | null) {
    return runTask(this.#services, task, interval, this.#stopping.signal);
  }
}
