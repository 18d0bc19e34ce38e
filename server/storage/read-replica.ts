import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { attachSeal, type Database, openDatabase } from './database.ts';
import type { Queries } from './queries.ts';
import { UnusableDatabase } from './unavailable.ts';

/** Why reads go to the primary; `used` while the standby takes them. */
export type ReplicaState = 'used' | 'unreachable' | 'lagging' | 'not_a_standby' | 'another_database';

export interface ReplicaStatus {
  readonly state: ReplicaState;
  /** How long ago the primary wrote the oldest change that the standby lacks; null if the standby did not answer. */
  readonly lagSeconds: number | null;
  /** Reads since the start, by the database that answered. */
  readonly reads: { readonly replica: number; readonly primary: number };
}

export interface ReplicaOptions {
  readonly url: string;
  /** The longest lag in milliseconds. */
  readonly longestLag: number;
  readonly pool: number;
  readonly statementSeconds: number;
  readonly primary: Database;
  /** Is called when the state changes. */
  onChange(status: ReplicaStatus): void;
}

/** The state of the primary. Positions are bytes of the write-ahead log. */
interface PrimaryState {
  readonly identity: string;
  /** Another one after a restart, a failover or a crash, which resets the statistics. */
  readonly epoch: string;
  readonly flushed: number;
  /** Of the latest change of the caller; null without one. */
  readonly written: number | null;
}

interface StandbyState {
  readonly identity: string;
  readonly isStandby: boolean;
  readonly replayed: number;
}

interface Sample {
  readonly at: number;
  readonly flushed: number;
}

/** Keeps the connection of a streamed answer until the promise is fulfilled. */
type Hold = (until: Promise<unknown>) => void;
type Read<Result> = (queries: Queries, hold: Hold) => Promise<Result>;

/**
 * A streaming standby that answers reads. A read is sent to it only if the connection that it uses leads to a standby of the
 * primary that has replayed everything that was durable `longestLag` ago, and the latest change of the caller: the primary
 * and that connection are asked before each read, so the address may be that of a load balancer.
 */
export class ReadReplica implements AsyncDisposable {
  readonly #options: ReplicaOptions;
  readonly #standby: Database;
  #status: ReplicaStatus = { state: 'unreachable', lagSeconds: null, reads: { replica: 0, primary: 0 } };
  readonly #reads = { replica: 0, primary: 0 };
  /** At most two a second, the oldest first, since this start of the primary was first seen. */
  #samples: Sample[] = [];
  /** The start of the primary that the samples are of; null if they must begin again. */
  #epoch: string | null = null;
  #streams = 0;
  #waiting: Set<string> | null = null;
  #noted: Promise<void> = Promise.resolve();
  #cleared = 0;

  private constructor(options: ReplicaOptions) {
    const { url, pool, statementSeconds, primary } = options;
    this.#options = options;
    const opened = openDatabase({ url, file: '', reads: true, holds: false, pool }, statementSeconds);
    this.#standby = primary.seal === null ? opened : attachSeal(opened, primary.seal);
  }

  /**
   * Opens the standby. One that does not answer is used as soon as it does.
   * @throws {UnusableDatabase} if the address leads to another database.
   */
  static async open(options: ReplicaOptions): Promise<ReadReplica> {
    const replica = new ReadReplica(options);
    await replica.step();
    if (replica.#status.state !== 'another_database') return replica;
    await replica[Symbol.asyncDispose]();
    throw new UnusableDatabase(
      'DATABASE_READ_URL leads to a database that is no copy of the one of DATABASE_URL: give the address of its standby, with the same name of the database.',
    );
  }

  get status(): ReplicaStatus {
    return { ...this.#status, reads: { ...this.#reads } };
  }

  /**
   * Runs a read on the standby, or on the primary if the standby may not answer it. What fails on the standby, or is refused
   * there because something is missing, runs again on the primary.
   * @param caller the id of the credential, whose own changes the read must see.
   * @param isStreamed true if the read keeps its connection after it has resolved.
   */
  async read<Result>(caller: string, isStreamed: boolean, read: Read<Result>): Promise<Result> {
    const attempt = await this.#tryStandby(caller, isStreamed, read);
    this.#reads[attempt === null ? 'primary' : 'replica'] += 1;
    return attempt === null ? read(this.#options.primary.kysely, () => undefined) : attempt.result;
  }

  /** Notes that a change of a caller is durable: resolves when every server knows. Callers share statements. */
  noteWrite(caller: string): Promise<void> {
    if (this.#waiting === null) {
      const callers = new Set<string>();
      this.#waiting = callers;
      this.#noted = this.#noted.then(async () => {
        this.#waiting = null;
        await this.#storePosition([...callers].sort());
      });
    }
    this.#waiting.add(caller);
    return this.#noted;
  }

  /** True if the standby has everything that is durable on the primary now, waiting for a moment. */
  async hasEverything(): Promise<boolean> {
    const until = performance.now() + Math.min(this.#options.longestLag, patience);
    for (;;) {
      const primary = await this.#readPrimary(null).catch(() => null);
      const standby = primary && (await this.#readStandby().catch(() => null));
      if (primary === null || standby === null || !isOf(standby, primary)) return false;
      if (standby.replayed >= primary.flushed) return true;
      if (performance.now() >= until) return false;
      await wait(20);
    }
  }

  /** Compares the two databases, and forgets positions that every usable standby has passed. */
  async step(): Promise<void> {
    const primary = await this.#readPrimary(null).catch(() => null);
    // An outage of the primary says nothing about the standby, and is reported elsewhere.
    if (primary === null) return;
    const { state, lagSeconds } = this.#judge(primary, await this.#readStandby().catch(() => null));
    this.#change(state, lagSeconds);
    const { primary: database, longestLag } = this.#options;
    if (performance.now() < this.#cleared + clearEvery) return;
    this.#cleared = performance.now();
    const oldest = sql<number>`floor(extract(epoch from statement_timestamp()) / 60) - ${Math.ceil(longestLag / 60_000) + 1}`;
    await database.kysely.deleteFrom('read_positions').where('minute', '<', oldest).execute();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#standby.close();
  }

  /** @returns null if the primary must answer. */
  async #tryStandby<Result>(caller: string, isStreamed: boolean, read: Read<Result>) {
    const { pool } = this.#standby;
    const most = this.#options.pool;
    const isBusy = pool !== null && pool.totalCount - pool.idleCount >= most;
    // A slow client must not keep lists from the standby.
    const isFull = isStreamed && this.#streams >= Math.floor(most / 2);
    if (this.#status.state !== 'used' || isBusy || isFull) return null;
    this.#streams += Number(isStreamed);
    const { promise, resolve } = Promise.withResolvers<{ readonly result: Result } | null>();
    let isAnswered = false;
    let isStandbyLate = true;
    let isDoubtful = false;
    const giveUp = () => {
      if (!isAnswered && isStandbyLate) this.#change('unreachable', null);
      isAnswered = true;
      resolve(null);
    };
    // A standby that hangs must not delay what the primary can answer.
    const timer = setTimeout(giveUp, patience).unref();
    const pinned = this.#standby.kysely.connection().execute(async (queries) => {
      const asked = this.#readPrimary(caller).catch(() => null);
      const standby = await readStandby(queries);
      isStandbyLate = false;
      const primary = await asked;
      clearTimeout(timer);
      if (isAnswered || primary === null) return resolve(null);
      isAnswered = true;
      isDoubtful = this.#judge(primary, standby).state !== 'used';
      if (isDoubtful) return;
      if (standby.replayed < (primary.written ?? 0)) return resolve(null);
      let held: Promise<unknown> | undefined;
      const result = await read(queries, (until) => {
        held = until;
      });
      resolve({ result });
      await held;
    });
    void pinned
      // Another connection may lead to a better standby of several.
      .then(() => (isDoubtful ? this.step() : undefined))
      .then(() => resolve(null))
      .catch(() => {
        clearTimeout(timer);
        giveUp();
      })
      .finally(() => {
        this.#streams -= Number(isStreamed);
      });
    return promise;
  }

  async #readPrimary(caller: string | null): Promise<PrimaryState> {
    const { rows } = await sql<PrimaryState>`
      select ${identity} as identity,
        concat(pg_postmaster_start_time(), (select stats_reset from pg_stat_bgwriter)) as epoch,
        (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint as flushed,
        (select position from read_positions where credential_id = ${caller}) as written`.execute(
      this.#options.primary.kysely,
    );
    const primary = rows[0] as PrimaryState;
    // After a crash, the latest positions may be lost, as they are written without a sync: what is durable now must have been
    // replayed, whoever wrote it, because it is the first sample.
    if (this.#epoch !== primary.epoch) {
      this.#epoch = primary.epoch;
      this.#samples = [];
    }
    const now = performance.now();
    if (now - (this.#samples.at(-1)?.at ?? -Infinity) >= sampleEvery)
      this.#samples.push({ at: now, flushed: primary.flushed });
    const first = this.#samples.findIndex(({ at }) => at >= now - Math.max(this.#options.longestLag, shownLag));
    this.#samples.splice(0, first);
    return primary;
  }

  /** A standby that hangs must not delay what the primary can answer. */
  async #readStandby(): Promise<StandbyState> {
    const late = wait(patience, null, { ref: false }).then(() => {
      throw new Error('the standby does not answer');
    });
    return Promise.race([readStandby(this.#standby.kysely), late]);
  }

  /** Compares a standby with the primary; null for one that did not answer. */
  #judge(primary: PrimaryState, standby: StandbyState | null): Pick<ReplicaStatus, 'state' | 'lagSeconds'> {
    const now = performance.now();
    const missing = standby && this.#samples.find(({ flushed }) => flushed > standby.replayed);
    // Without a sample of that age, everything must have been replayed.
    const bound = this.#samples.find(({ at }) => at >= now - this.#options.longestLag)?.flushed ?? primary.flushed;
    const needed = this.#options.longestLag === 0 ? primary.flushed : bound;
    const state =
      standby === null
        ? 'unreachable'
        : standby.identity !== primary.identity
          ? 'another_database'
          : !standby.isStandby
            ? 'not_a_standby'
            : standby.replayed < needed
              ? 'lagging'
              : 'used';
    return { state, lagSeconds: standby && (missing ? (now - missing.at) / 1000 : 0) };
  }

  #change(state: ReplicaState, lagSeconds: number | null): void {
    const isChanged = state !== this.#status.state;
    this.#status = { state, lagSeconds, reads: this.#reads };
    if (isChanged) this.#options.onChange(this.status);
  }

  /** Without a sync: a crash of the primary is noticed by its epoch. */
  async #storePosition(callers: readonly string[]): Promise<void> {
    const ids = sql.join(callers.map((caller) => sql`(${caller}::text)`));
    try {
      await sql`
        insert into read_positions (credential_id, position, minute)
        select caller.id, (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint,
          floor(extract(epoch from statement_timestamp()) / 60)::bigint
        from (values ${ids}) as caller (id), (select set_config('synchronous_commit', 'off', true)) as unsynced
        on conflict (credential_id) do update
          set position = greatest(read_positions.position, excluded.position), minute = excluded.minute`.execute(
        this.#options.primary.kysely,
      );
    } catch {
      // The change is durable and is acknowledged; this server then uses the standby only once it has everything.
      this.#epoch = null;
    }
  }
}

const patience = 1000;
const sampleEvery = 500;
const clearEvery = 60_000;
/** How far back the lag is measured, at least. */
const shownLag = 60_000;

const identity = sql`(select system_identifier::text from pg_control_system())
  || '/' || (select oid::text from pg_database where datname = current_database())`;

function isOf(standby: StandbyState, primary: PrimaryState): boolean {
  return standby.isStandby && standby.identity === primary.identity;
}

async function readStandby(queries: Queries): Promise<StandbyState> {
  const { rows } = await sql<StandbyState>`
    select ${identity} as identity, pg_is_in_recovery() as "isStandby",
      coalesce((pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint, 0) as replayed`.execute(queries);
  return rows[0] as StandbyState;
}
