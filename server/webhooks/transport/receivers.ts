import type { ReceiverPolicy } from './address-guard.ts';
import { type ConnectOptions, type Receiver, ReceiverConnection } from './connect.ts';
import { DeliveryExchange } from './exchange.ts';
import { createPublicLookup, type Lookup, systemLookup, type Timer } from './lookup.ts';
import { DeliveryFailure, type DeliveryOutcome } from './outcome.ts';
import { findReceiverFault, readHost } from './receiver-url.ts';

/** Of look-up, connection and exchange together. Standard Webhooks recommends 15 to 30 seconds. */
const timeoutMs = 15_000;
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
}

/** A parsed URL of an owner. */
interface Target {
  readonly fault: string | null;
  readonly receiver: Receiver;
  readonly path: string;
}

/**
 * Posts deliveries to receivers and keeps connections to them. Each delivery has a connection of its own until it ends: how
 * many an endpoint has at once is for the sender to limit.
 */
export class Receivers {
  readonly #connect: ConnectOptions;
  readonly #timer: Timer;
  readonly #keptConnections: number;
  readonly #targets = new Map<string, Target>();
  readonly #running = new Set<DeliveryExchange>();
  /** Idle connections, the least recently used first. */
  readonly #kept: ReceiverConnection[] = [];
  #undici: typeof import('undici') | null = null;
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
    return { busy: this.#running.size, kept: this.#kept.length };
  }

  /**
   * Posts one delivery and reads its answer. Every status is an answer; redirects are not followed, because where they lead
   * was not agreed. Never rejects.
   */
  async post(delivery: OutgoingDelivery): Promise<DeliveryOutcome> {
    const queuedAt = performance.now();
    // Loaded with the first delivery: a server that sends none starts sooner and is smaller.
    this.#undici ??= await import('undici');
    if (this.#isClosed) return failBefore(new DeliveryFailure('aborted', 'The server stops.'));
    const target = this.#readTarget(`${delivery.owner ?? ''} ${delivery.url}`, delivery.url);
    const { fault, path } = target;
    // Rules and settings may have changed since the address was stored.
    if (fault !== null)
      return failBefore(new DeliveryFailure('refused_address', `The address of the receiver ${fault}.`));
    const connection = this.#borrow(this.#undici, target);
    connection.request = {
      path,
      method: 'POST',
      // Nothing is decompressed, so a small answer cannot become a large one.
      headers: { 'accept-encoding': 'identity', ...delivery.headers },
      body: delivery.body,
    };
    const exchange = new DeliveryExchange(connection, timeoutMs, queuedAt);
    this.#running.add(exchange);
    const cancelTimer = this.#timer(timeoutMs, () => exchange.expire());
    exchange.start();
    const outcome = await exchange.ended;
    cancelTimer();
    this.#running.delete(exchange);
    if (exchange.isReusable && !this.#isClosed) this.#keep(connection);
    else void connection.destroy();
    return outcome;
  }

  /** Aborts every delivery under way. */
  abort(): void {
    for (const exchange of this.#running) exchange.abort();
  }

  /** Takes no further delivery, waits for those under way and closes every connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const kept = this.#kept.splice(0);
    await Promise.all(kept.map((connection) => connection.destroy()));
    await Promise.all([...this.#running].map(({ ended }) => ended));
  }

  /** Takes the kept connection that was used last, so that those no longer needed become idle and close, or opens one. */
  #borrow(undici: typeof import('undici'), target: Target): ReceiverConnection {
    const at = this.#kept.findLastIndex((connection) => connection.receiver === target.receiver);
    if (at !== -1) return this.#kept.splice(at, 1)[0] as ReceiverConnection;
    return new ReceiverConnection(undici, target.receiver, this.#connect, (connection) => {
      const index = this.#kept.indexOf(connection);
      if (index !== -1) void this.#kept.splice(index, 1)[0]?.destroy();
    });
  }

  #keep(connection: ReceiverConnection): void {
    this.#kept.push(connection);
    if (this.#kept.length > this.#keptConnections) void this.#kept.shift()?.destroy();
  }

  /** Parses the address of an endpoint, which gets one delivery after the other. */
  #readTarget(key: string, url: string): Target {
    const known = this.#targets.get(key);
    if (known !== undefined) return known;
    const { origin, protocol, hostname, port, pathname, search } = new URL(url);
    const isTls = protocol === 'https:';
    const target = {
      fault: findReceiverFault(url, this.#connect.policy),
      receiver: { origin, isTls, host: readHost(hostname), port: port === '' ? (isTls ? 443 : 80) : Number(port) },
      path: pathname + search,
    };
    if (this.#targets.size >= mostTargets) this.#targets.clear();
    this.#targets.set(key, target);
    return target;
  }
}

function failBefore({ reason, message }: DeliveryFailure): DeliveryOutcome {
  const timing = { queued: null, lookup: null, connect: null, tls: null, firstByte: null, total: 0 };
  return { outcome: 'failed', reason, message, timing, reused: false };
}

const systemTimer: Timer = (milliseconds, act) => {
  const timer = setTimeout(act, milliseconds);
  return () => clearTimeout(timer);
};
