import { findReceiverFault, type ReceiverPolicy, readHost } from '../endpoints/receiver-address.ts';
import {
  type ConnectOptions,
  createPublicLookup,
  type Lookup,
  systemLookup,
  type Timer,
  type Undici,
} from './connection.ts';
import { type DeliveryOutcome, failBefore } from './outcome.ts';
import { ReceiverConnection } from './receiver-connection.ts';

/** Of look-up, connection and answer together. Standard Webhooks recommends 15 to 30 seconds. */
const timeoutSeconds = 15;
/** Parsed addresses that are remembered. */
const mostTargets = 1_000;

export interface ReceiversOptions extends ReceiverPolicy {
  readonly lookup?: Lookup;
  readonly timer?: Timer;
  /** Idle connections that are kept open, over all owners and origins. */
  readonly keptConnections?: number;
  /** Certificates of authorities to trust instead of Node's own, in PEM. */
  readonly authorities?: string;
}

/** One attempt at a delivery. */
export interface OutgoingDelivery {
  /** Such as the id of the endpoint: owners share no connection, so that none waits for another at the same origin. */
  readonly owner?: string;
  /** As `WebhookUrl` gives it. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Is asked once a connection was opened for it: whether it is still to be sent. Never rejects. */
  readonly isWanted?: () => Promise<boolean>;
}

/** The parsed URL of an owner. */
interface Target {
  readonly fault: string | null;
  readonly origin: string;
  readonly path: string;
  /** Idle connections, the least recently used first. */
  readonly idle: ReceiverConnection[];
}

/**
 * Posts deliveries to receivers and keeps connections to them. Each delivery has a connection of its own until it ends: how
 * many an endpoint has at once is for the sender to limit. A Pool of undici would search all connections of an origin for a free
 * one with each delivery, and does not bound the idle ones over all origins.
 */
export class Receivers {
  readonly #connect: ConnectOptions;
  readonly #timer: Timer;
  readonly #keptConnections: number;
  readonly #targets = new Map<string, Target>();
  readonly #running = new Map<ReceiverConnection, Promise<DeliveryOutcome>>();
  /** Idle connections with their targets, the least recently used first. */
  readonly #kept = new Map<ReceiverConnection, Target>();
  #undici: Undici | null = null;
  #isClosed = false;

  constructor({ allowPrivate, lookup, timer = systemTimer, keptConnections = 256, authorities }: ReceiversOptions) {
    this.#connect = {
      policy: { allowPrivate },
      // Names of a private network can be in the hosts file.
      lookup: lookup ?? (allowPrivate ? systemLookup : createPublicLookup({ timer })),
      authorities: authorities ?? null,
    };
    this.#timer = timer;
    this.#keptConnections = keptConnections;
  }

  /** Connections in use and idle ones. */
  get usage(): { readonly busy: number; readonly kept: number } {
    return { busy: this.#running.size, kept: this.#kept.size };
  }

  /**
   * Posts one delivery and reads its answer. Every status is an answer; redirects are not followed, because where they lead
   * was not agreed. Never rejects.
   */
  async post({ owner = '', url, headers, body, isWanted }: OutgoingDelivery): Promise<DeliveryOutcome> {
    const queuedAt = performance.now();
    // Loaded with the first delivery: a server that sends none starts sooner and is smaller.
    this.#undici ??= await import('undici');
    if (this.#isClosed) return failBefore('aborted', 'The server stops.');
    const target = this.#findTarget(`${owner} ${url}`, url);
    // Rules and settings may have changed since the address was stored.
    if (target.fault !== null) return failBefore('refused_address', `The address of the receiver ${target.fault}.`);
    // The one that was used last, so that those no longer needed close.
    const connection = target.idle.pop() ?? this.#open(this.#undici, target);
    this.#kept.delete(connection);
    const cancelTimer = this.#timer(timeoutSeconds * 1000, () => connection.expire(timeoutSeconds));
    // Nothing is decompressed, so a small answer cannot become a large one.
    const plain = { ...headers, 'accept-encoding': 'identity' };
    const running = connection.post({ path: target.path, method: 'POST', headers: plain, body }, queuedAt, isWanted);
    this.#running.set(connection, running);
    const outcome = await running;
    cancelTimer();
    this.#running.delete(connection);
    if (connection.isReusable && !this.#isClosed) this.#keep(connection, target);
    else void connection.destroy();
    return outcome;
  }

  /** Aborts every delivery under way. */
  abort(): void {
    for (const connection of this.#running.keys())
      connection.fail({ reason: 'aborted', message: 'The delivery was aborted.' });
  }

  /** Takes no further delivery, waits for those under way and closes every connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#kept.keys()].map((connection) => this.#drop(connection)));
    await Promise.all(this.#running.values());
  }

  #open(undici: Undici, { origin }: Target): ReceiverConnection {
    const onClose = () => void this.#drop(connection);
    const connection = new ReceiverConnection(undici, origin, this.#connect, onClose);
    return connection;
  }

  #keep(connection: ReceiverConnection, target: Target): void {
    target.idle.push(connection);
    this.#kept.set(connection, target);
    if (this.#kept.size <= this.#keptConnections) return;
    const [oldest] = this.#kept.keys();
    void this.#drop(oldest as ReceiverConnection);
  }

  /** Closes an idle connection; one in use stays. */
  async #drop(connection: ReceiverConnection): Promise<void> {
    const idle = this.#kept.get(connection)?.idle;
    if (idle === undefined) return;
    this.#kept.delete(connection);
    idle.splice(idle.indexOf(connection), 1);
    await connection.destroy();
  }

  /** Parses the address of an endpoint, which gets one delivery after the other. */
  #findTarget(key: string, address: string): Target {
    const known = this.#targets.get(key);
    if (known !== undefined) return known;
    const url = new URL(address);
    if (!url.hostname.startsWith('[')) url.hostname = readHost(url.hostname);
    const fault = findReceiverFault(address, this.#connect.policy);
    const target = { fault, origin: url.origin, path: url.pathname + url.search, idle: [] };
    if (this.#targets.size >= mostTargets) this.#targets.clear();
    this.#targets.set(key, target);
    return target;
  }
}

const systemTimer: Timer = (milliseconds, act) => {
  const timer = setTimeout(act, milliseconds);
  return () => clearTimeout(timer);
};
