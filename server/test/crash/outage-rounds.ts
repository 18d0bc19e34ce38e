import { setTimeout as wait } from 'node:timers/promises';
import type { DemoCredentials } from '../../site/demo/seed.ts';
import { countOpen, listStored, openBeside } from './delivery-tables.ts';
import { Fleet } from './fleet.ts';
import { judgeDeliveries } from './judge-deliveries.ts';
import { type Change, GaveUp, listRecordIds, Refused, sendChange } from './load.ts';
import { createRandom } from './random.ts';
import { calm, Receiver } from './receiver.ts';
import { listWrong } from './rounds.ts';
import { type LogLine, type ProcessSettings, type ServerProcess, verifyInProcess } from './server-process.ts';
import { waitForNone } from './wait-for-none.ts';
import { createWebhook, removeWebhooks } from './webhook-calls.ts';

/** A way to interrupt the database of the servers, and to restore it. */
export interface Interruption {
  readonly name: string;
  /** True if the database can be away again for a moment after it was back: a new primary waits for its standby. */
  readonly recurs?: boolean;
  /** Runs before the load. */
  prepare?(): Promise<void>;
  begin(): Promise<void>;
  end(): Promise<void>;
}

export interface OutageOptions {
  /** The settings of the servers: the data folder, and the address of the interrupted database. */
  readonly settings: ProcessSettings;
  readonly interruptions: readonly Interruption[];
  /** How long the database stays away after every server has rejected a request, in milliseconds. */
  readonly holdMilliseconds: number;
  /** How long a client waits for a response before it sends its change to the other server, in milliseconds; else as long as it takes. */
  readonly clientPatience?: number;
  readonly onRound?: (round: OutageRound) => void;
}

/** The result of one outage. */
export interface OutageRound {
  readonly interruption: string;
  readonly milliseconds: number;
  /** Before, during and after the outage. */
  readonly acknowledged: number;
  /** 503 responses; each change was retried until it was acknowledged. */
  readonly refused: number;
  /** From the first sign of the outage at a client to the first rejection, at the slowest server. */
  readonly firstRefusalMilliseconds: number;
  /** From the return of the database until each server acknowledged a change again. */
  readonly recoveryMilliseconds: number;
  /** The longest time in which no capture of a visitor was acknowledged, at the slower server. */
  readonly withoutCaptureMilliseconds: number;
  /** How often clients did not wait for a response. */
  readonly gaveUp: number;
  /** How often the public notice was read during the outage, and the longest read. */
  readonly noticeReads: number;
  readonly slowestNoticeMilliseconds: number;
}

export interface OutageReport {
  readonly rounds: readonly OutageRound[];
  readonly acknowledged: number;
  readonly deliveries: number;
  readonly duplicates: number;
  readonly wrong: readonly string[];
  readonly passed: boolean;
}

/** To each server. */
const connections = 8;
/** Changes that each server acknowledges before an outage, and after it. */
const enough = 50;
const patience = 60_000;
/** The wait before a rejected change is retried, and between two reads of the notice. */
const pause = 100;
const kinds = ['public', 'authenticated', 'request'] as const;

/**
 * Interrupts the database of two servers under load (changes, reads of the notice, webhooks), and checks that the servers
 * recover by themselves without losses.
 */
export async function runOutages(options: OutageOptions): Promise<OutageReport> {
  const settings = { SVC_WEBHOOK_ALLOW_PRIVATE: 'true', SVC_LOG_LEVEL: 'warn', ...options.settings };
  const random = createRandom(1);
  await using receiver = new Receiver({ random, mood: calm });
  await using fleet = await Fleet.start(settings, 2);
  const [first] = fleet.servers as readonly [ServerProcess];
  const credentials = fleet.servers.map(({ credentials }) => credentials).find(Boolean) as DemoCredentials;
  await removeWebhooks(first, credentials);
  const eventTypes = ['consent.recorded', 'dsr.created'];
  const webhook = await createWebhook(first, credentials, await receiver.listen(), { eventTypes });
  receiver.secret = webhook.secret;

  const confirmed = new Map<Change, string>();
  const wrong: string[] = [];
  const rounds: OutageRound[] = [];
  let number = 0;
  for (const interruption of options.interruptions) {
    const round = await runRound(interruption);
    rounds.push(round);
    options.onRound?.(round);
  }

  await using database = openBeside(settings);
  const awaited = { what: 'deliveries that have not come to their end', limit: patience };
  await waitForNone(awaited, () => countOpen(database.kysely));
  const stored = await listStored(database.kysely);
  // The result of an attempt may not have been written: each outage may repeat a delivery.
  const inFlight = new Map(stored.map(({ id }) => [id, rounds.length]));
  const received = new Map([[webhook.id, receiver.deliveries]]);
  const judged = judgeDeliveries({ confirmed, received, stored, inFlight });
  // The event shows whether a data-subject request was stored.
  const records = [...confirmed]
    .filter(([{ kind }]) => kind !== 'request')
    .map(([{ subjectId }, id]) => [subjectId, id] as const);
  const complaint = await verifyInProcess(settings);
  wrong.push(
    ...judged.lost.map((one) => `lost on the way to the receiver: ${one}`),
    ...judged.wrong,
    ...receiver.complaints,
    ...listWrong(new Map(records), await listRecordIds(first, credentials)).map(
      (subject) => `not stored as acknowledged: ${subject}`,
    ),
    ...(complaint === null ? [] : [complaint]),
  );
  const { duplicates } = judged;
  return {
    rounds,
    acknowledged: confirmed.size,
    deliveries: stored.length,
    duplicates,
    wrong,
    passed: wrong.length === 0,
  };

  async function runRound({ name, recurs = false, prepare, begin, end }: Interruption): Promise<OutageRound> {
    await prepare?.();
    const loads = fleet.servers.map((server, index) => {
      const other = fleet.servers[1 - index] as ServerProcess;
      return new Load({
        server,
        other,
        clientPatience: options.clientPatience,
        credentials,
        nextChange,
        confirmed,
        wrong,
      });
    });
    const logged = fleet.servers.map((server) => server.readLog().length);
    const before = confirmed.size;
    const working = Promise.all(loads.flatMap((load) => load.start()));
    const until = (what: string, count: () => number) =>
      // A failing load ends the round.
      Promise.race([waitForNone({ what, limit: patience }, count), working]);
    const each = (left: (load: Load) => boolean) => () => loads.filter(left).length;
    try {
      await until(
        'servers that take nothing',
        each(({ acknowledged }) => acknowledged < enough),
      );
      const started = performance.now();
      for (const load of loads) load.beginOutage();
      await begin();
      await until(
        'servers that refuse nothing',
        each(({ refused }) => refused === 0),
      );
      const firstRefusalMilliseconds = Math.round(performance.now() - started);
      await wait(options.holdMilliseconds);
      await until(
        'servers whose notice was not read',
        each(({ noticeReads }) => noticeReads === 0),
      );
      for (const load of loads) load.endOutage();
      await end();
      const ended = performance.now();
      await until(
        'servers that take nothing again',
        each(({ acknowledgedSince }) => acknowledgedSince === 0),
      );
      const recoveryMilliseconds = Math.round(performance.now() - ended);
      await until(
        'servers that take little again',
        each(({ acknowledgedSince }) => acknowledgedSince < enough),
      );
      await until('servers that do not log the end', () => countUnended(logged));
      for (const [index, server] of fleet.servers.entries())
        wrong.push(...judgeLog(server.readLog().slice(logged[index]), name, recurs));
      return {
        interruption: name,
        milliseconds: Math.round(ended - started),
        acknowledged: confirmed.size - before,
        refused: loads.reduce((sum, { refused }) => sum + refused, 0),
        firstRefusalMilliseconds,
        recoveryMilliseconds,
        withoutCaptureMilliseconds: Math.round(Math.max(...loads.map((load) => load.longestWithoutCapture))),
        gaveUp: loads.reduce((sum, { gaveUp }) => sum + gaveUp, 0),
        noticeReads: loads.reduce((sum, { noticeReads }) => sum + noticeReads, 0),
        slowestNoticeMilliseconds: Math.round(Math.max(...loads.map(({ slowestNotice }) => slowestNotice))),
      };
    } finally {
      for (const load of loads) load.end();
      await working;
    }
  }

  function nextChange(): Change {
    number += 1;
    const kind = kinds[number % kinds.length] as Change['kind'];
    return { subjectId: `change-${number}`, kind, at: new Date().toISOString() };
  }

  function countUnended(logged: readonly number[]): number {
    const isEnded = (messages: readonly string[]) => messages.length > 0 && messages.at(-1) === over;
    return fleet.servers.filter((server, index) => !isEnded(listMessages(server.readLog().slice(logged[index]))))
      .length;
  }
}

const [started, over] = ['database unavailable', 'database available again'];

/** An outage logs two lines and no errors besides. */
function judgeLog(lines: readonly LogLine[], name: string, recurs: boolean): readonly string[] {
  const pairs = listMessages(lines).join().replaceAll([started, over].join(), 'outage');
  return (recurs ? /^outage(?:,outage)*$/ : /^outage$/).test(pairs) ? [] : [`${name}: logged ${JSON.stringify(lines)}`];
}

/** The errors, and the ends of outages. */
function listMessages(lines: readonly LogLine[]): readonly string[] {
  return lines.filter(({ level, msg }) => level >= errorLevel || msg === over).map(({ msg }) => msg);
}

const errorLevel = 50;

/** Clients of one server: some that make changes, and a visitor who reads the notice repeatedly. */
class Load {
  acknowledged = 0;
  acknowledgedSince = 0;
  refused = 0;
  gaveUp = 0;
  longestWithoutCapture = 0;
  noticeReads = 0;
  slowestNotice = 0;
  isOver = false;
  #endedAt = 0;
  #capturedAt = performance.now();
  readonly #options: LoadOptions;
  #state: 'before' | 'during' | 'after' = 'before';

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  start(): readonly Promise<void>[] {
    return [...Array.from({ length: connections }, () => this.#change()), this.#readNotice()];
  }

  /** Ends the load: a change that was sent is retried until it is acknowledged. */
  end(): void {
    this.isOver = true;
    this.#endedAt = performance.now();
  }

  beginOutage(): void {
    this.#state = 'during';
  }

  endOutage(): void {
    this.#state = 'after';
  }

  async #change(): Promise<void> {
    const { nextChange, confirmed } = this.#options;
    while (!this.isOver) {
      const change = nextChange();
      const id = await this.#sendUntilTaken(change);
      if (id === null) return;
      confirmed.set(change, id);
      this.acknowledged += 1;
      if (this.#state === 'after') this.acknowledgedSince += 1;
      if (change.kind === 'public') this.#noteCapture();
    }
  }

  #noteCapture(): void {
    const now = performance.now();
    this.longestWithoutCapture = Math.max(this.longestWithoutCapture, now - this.#capturedAt);
    this.#capturedAt = now;
  }

  /**
   * Retries a change like a careful client, with the same Idempotency-Key, until it is acknowledged: the load balancer may
   * lead a client that gave up to the other server, while the first one still handles its request.
   */
  async #sendUntilTaken(change: Change): Promise<string | null> {
    const { credentials, clientPatience, wrong } = this.#options;
    let { server, other } = this.#options;
    while (true) {
      try {
        const id = await sendChange(server, credentials, change, clientPatience);
        if (id !== null) return id;
        wrong.push(`${change.subjectId}: the server cut the connection`);
      } catch (error) {
        if (error instanceof GaveUp) {
          this.gaveUp += 1;
          [server, other] = [other, server];
        } else if (error instanceof Refused) this.refused += 1;
        else throw error;
      }
      // A change without an acknowledgment may be stored, so its retries outlast the round; but not those of a failed round.
      if (this.isOver && performance.now() - this.#endedAt > patience) {
        wrong.push(`${change.subjectId} was not acknowledged after the outage`);
        return null;
      }
      await wait(pause);
    }
  }

  async #readNotice(): Promise<void> {
    const { server, credentials, wrong } = this.#options;
    let first: string | null = null;
    for (; !this.isOver; await wait(pause)) {
      const began = performance.now();
      const response = await fetch(`${server.url}/v1/public/consent/${credentials.noticeId}`);
      const text = await response.text();
      const took = performance.now() - began;
      const tag = `${response.status} ${response.headers.get('etag')} ${text}`;
      first ??= tag;
      if (response.status !== 200 || tag !== first) wrong.push(`the notice was answered with ${tag}`);
      if (this.#state !== 'during') continue;
      this.noticeReads += 1;
      this.slowestNotice = Math.max(this.slowestNotice, took);
    }
  }
}

interface LoadOptions {
  readonly server: ServerProcess;
  readonly other: ServerProcess;
  readonly clientPatience: number | undefined;
  readonly credentials: DemoCredentials;
  readonly nextChange: () => Change;
  readonly confirmed: Map<Change, string>;
  readonly wrong: string[];
}
