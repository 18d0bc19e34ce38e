import type { ReceiverPolicy } from './address-guard.ts';
import { DeliveryExchange, round, type Timer } from './delivery-exchange.ts';
import { DeliveryFailure, type DeliveryOutcome, describeFailure } from './outcome.ts';
import { createPublicLookup } from './public-lookup.ts';
import type { Receiver } from './receiver-connection.ts';
import { type Lookup, systemLookup } from './receiver-connector.ts';
import { ReceiverPool } from './receiver-pool.ts';
import { findReceiverFault, readHost } from './receiver-url.ts';

/** Long enough for a receiver that writes to its database, and as peers wait (Standard Webhooks asks for 15 to 30 seconds). */
const defaultTimeout = 15_000;
/** Addresses that are remembered as they were read. */
const mostTargets = 1_000;

export interface ReceiversOptions extends ReceiverPolicy {
  readonly lookup?: Lookup;
  readonly timer?: Timer;
  /** Connections at once of one owner to one origin; further deliveries wait for their turn. */
  readonly connectionsPerOwner?: number;
  /** Connections that are kept open between deliveries, over all owners and origins. */
  readonly keptConnections?: number;
  /** Certificates of authorities to trust instead of those that Node brings, in PEM. */
  readonly authorities?: string;
}

/** One try of a delivery. */
export interface OutgoingDelivery {
  /**
   * Whose delivery it is, such as the id of its endpoint: owners share no connection, so that none waits for another at the
   * same origin. Without it, all deliveries to one origin have one owner.
   */
  readonly owner?: string;
  /** As WebhookUrl gives it. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Limit of the look-up, the connection and the exchange together, to the last byte of the answer. */
  readonly timeoutMs?: number;
  /** Gives the delivery up, at any moment. */
  readonly signal?: AbortSignal;
}

/** What a URL stands for. */
interface Target {
  readonly fault: string | null;
  readonly receiver: Omit<Receiver, 'owner'>;
  readonly path: string;
}

/** Writes deliveries to their receivers and keeps the connections to them. */
export class Receivers {
  readonly #policy: ReceiverPolicy;
  readonly #timer: Timer;
  readonly #pool: ReceiverPool;
  readonly #targets = new Map<string, Target>();
  readonly #running = new Set<Promise<DeliveryOutcome>>();
  #isClosed = false;

  constructor(options: ReceiversOptions) {
    this.#policy = { allowPrivate: options.allowPrivate };
    this.#timer = options.timer ?? systemTimer;
    this.#pool = new ReceiverPool({
      policy: this.#policy,
      // Names of one's own network may stand in the hosts file of the machine.
      lookup: options.lookup ?? (options.allowPrivate ? systemLookup : createPublicLookup({ timer: this.#timer })),
      authorities: options.authorities ?? null,
      // As many as an endpoint has attempts at once, so that none waits.
      connectionsPerOwner: options.connectionsPerOwner ?? 64,
      keptConnections: options.keptConnections ?? 256,
    });
  }

  /** Shares (an owner at an origin) with a connection in use or kept, and the connections that are kept. */
  get usage(): { readonly shares: number; readonly kept: number } {
    return { shares: this.#pool.shareCount, kept: this.#pool.keptCount };
  }

  /**
   * Posts one delivery and reads its answer. Every status is an answer, those of redirects too: they are not followed, because
   * where they lead was not agreed. Never rejects.
   */
  async post(delivery: OutgoingDelivery): Promise<DeliveryOutcome> {
    const running = this.#post(delivery).catch((error: unknown) => failWithout(describeFailure(error)));
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Takes no further delivery, waits for those that run (their signals end them sooner) and closes every connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#running);
    await this.#pool.close();
  }

  async #post(delivery: OutgoingDelivery): Promise<DeliveryOutcome> {
    const { url, headers, body, signal, timeoutMs = defaultTimeout } = delivery;
    if (this.#isClosed) throw new DeliveryFailure('aborted', 'The server stops.');
    if (signal?.aborted) throw new DeliveryFailure('aborted', 'The delivery was given up.');
    const { fault, receiver, path } = this.#readTarget(url);
    // Rules and settings may have changed since the address was stored.
    if (fault !== null) throw new DeliveryFailure('refused_address', `The address of the receiver ${fault}.`);
    const queuedAt = performance.now();
    const connection = await this.#pool.borrow({ ...receiver, owner: delivery.owner ?? receiver.origin }, signal);
    const exchange = new DeliveryExchange({
      connection,
      path,
      // Nothing is unpacked, so nothing can swell.
      headers: { 'accept-encoding': 'identity', ...headers },
      body,
      timeoutMs,
      timer: this.#timer,
      signal,
      queued: round(performance.now() - queuedAt),
    });
    try {
      return await exchange.run();
    } finally {
      this.#pool.giveBack(connection, exchange.isReusable);
    }
  }

  /** Reads the address of an endpoint, which gets one delivery after the other. */
  #readTarget(url: string): Target {
    const known = this.#targets.get(url);
    if (known !== undefined) return known;
    const target = readTarget(url, this.#policy);
    if (this.#targets.size >= mostTargets) this.#targets.clear();
    this.#targets.set(url, target);
    return target;
  }
}

function readTarget(url: string, policy: ReceiverPolicy): Target {
  const { origin, protocol, hostname, port, pathname, search } = new URL(url);
  const isTls = protocol === 'https:';
  const host = readHost(hostname);
  return {
    fault: findReceiverFault(url, policy),
    receiver: { origin, isTls, host, port: port === '' ? (isTls ? 443 : 80) : Number(port) },
    path: pathname + search,
  };
}

/** What never came to an exchange. */
function failWithout({ reason, message }: DeliveryFailure): DeliveryOutcome {
  const timing = { queued: null, lookup: null, connect: null, tls: null, firstByte: null, total: 0 };
  return { outcome: 'failed', reason, message, timing, reused: false };
}

const systemTimer: Timer = (milliseconds, act) => {
  const timer = setTimeout(act, milliseconds);
  return () => clearTimeout(timer);
};
