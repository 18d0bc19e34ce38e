import type { Socket } from 'node:net';
import type { buildConnector, Client } from 'undici';
import { findReceiverFault, type ReceiverPolicy } from '../endpoints/receiver-address.ts';
import {
  type ConnectOptions,
  createPublicLookup,
  type Lookup,
  openSocket,
  systemLookup,
  type Undici,
} from './connection.ts';
import { Exchange } from './exchange.ts';
import { DeliveryFailure, type DeliveryOutcome, describeFailure, failBefore } from './outcome.ts';

export interface ReceiversOptions extends ReceiverPolicy {
  readonly lookup?: Lookup;
  /** Connections that are kept between deliveries, over all owners and origins. */
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
  /** Whether it is still to be sent, once a connection was opened for it, which can take seconds. Never rejects. */
  readonly isWanted?: () => Promise<boolean>;
}

/**
 * Posts deliveries to receivers and keeps connections to them. Each delivery has a connection to itself until it ends: how many
 * an endpoint has at once is for the sender to limit. A Pool of undici does not bound the idle connections over all origins.
 */
export class Receivers {
  readonly #connect: ConnectOptions;
  readonly #keptConnections: number;
  readonly #running = new Set<Exchange>();
  /** Connections between two deliveries, the least recently used first. */
  readonly #idle: ReceiverConnection[] = [];
  #undici: Undici | null = null;
  #isClosed = false;

  constructor({ allowPrivate, lookup, keptConnections = 256, authorities }: ReceiversOptions) {
    // Names of a private network can be in the hosts file.
    const ownLookup = allowPrivate ? systemLookup : createPublicLookup();
    this.#connect = { policy: { allowPrivate }, lookup: lookup ?? ownLookup, authorities };
    this.#keptConnections = keptConnections;
  }

  /**
   * Posts one delivery and reads its answer. Every status is an answer; redirects are not followed, because where they lead
   * was not agreed. Never rejects.
   */
  async post(delivery: OutgoingDelivery): Promise<DeliveryOutcome> {
    const queuedAt = performance.now();
    // Loaded with the first delivery: a server that sends none starts sooner and is smaller.
    this.#undici ??= await import('undici');
    if (this.#isClosed) return failBefore('aborted', 'The server stops.');
    const { owner, url } = delivery;
    // The one that was used last, so that those no longer needed close.
    const index = this.#idle.findLastIndex((idle) => idle.owner === owner && idle.url === url);
    const [connection = new ReceiverConnection(this.#undici, delivery, this.#connect)] =
      index === -1 ? [] : this.#idle.splice(index, 1);
    const exchange = new Exchange(delivery, queuedAt, (failed) => connection.repeat(failed));
    this.#running.add(exchange);
    connection.send(exchange);
    const outcome = await exchange.outcome;
    this.#running.delete(exchange);
    if (exchange.isComplete) this.#idle.push(connection);
    else connection.destroy();
    if (this.#idle.length > this.#keptConnections) this.#idle.shift()?.destroy();
    return outcome;
  }

  /** Aborts every delivery under way. */
  abort(): void {
    for (const exchange of this.#running) exchange.fail(new DeliveryFailure('aborted', 'The delivery was aborted.'));
  }

  /** Takes no further delivery, waits for those under way and closes every connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#running].map(({ outcome }) => outcome));
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }
}

/** A connection to a receiver, used by one delivery at a time. If it was closed, the next delivery opens it again. */
class ReceiverConnection {
  readonly owner: string | undefined;
  readonly url: string;
  readonly #client: Client;
  readonly #path: string;
  /** Of the connection that was opened last. */
  #closing = new AbortController();
  #exchange!: Exchange;
  #socket: Socket | null = null;
  /** Read from the socket when the request was handed to it. */
  #bytesBefore: number | undefined;

  constructor(undici: Undici, { owner, url }: OutgoingDelivery, options: ConnectOptions) {
    this.owner = owner;
    this.url = url;
    const address = new URL(url);
    // The final dot of a complete name is in no certificate.
    address.hostname = address.hostname.replace(/\.$/, '');
    this.#path = address.pathname + address.search;
    this.#client = new undici.Client(address.origin, {
      connect: (target, answer) => {
        this.#open(undici, options, target).then(
          (socket) => answer(null, socket),
          (error) => answer(error, null),
        );
      },
      allowH2: false,
      // One limit over the whole exchange replaces these.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16 * 1024,
      // Shorter than the 5 seconds after which many servers close a connection, which would meet a delivery on its way.
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 60_000,
    });
  }

  /** Closes it at once, also while it is being opened. */
  destroy(): void {
    this.#closing.abort();
    void this.#client.destroy();
  }

  send(exchange: Exchange): void {
    this.#exchange = exchange;
    exchange.start(this.#socket !== null);
    this.#bytesBefore = this.#socket?.bytesRead;
    const { headers, body } = exchange.delivery;
    // Nothing is decompressed, so a small answer cannot become a large one.
    const plain = { ...headers, 'accept-encoding': 'identity' };
    this.#client.dispatch({ path: this.#path, method: 'POST', headers: plain, body }, exchange);
  }

  /**
   * Sends it once more if a kept connection broke before a byte of the answer: the receiver may close one just as a request is
   * sent. It may have arrived already (RFC 9110 section 9.2.2 allows the repetition where it does no harm): deliveries are at
   * least once, and have an id.
   */
  repeat(exchange: Exchange): boolean {
    const mayRepeat = exchange.isReused && !this.#client.destroyed && this.#socket?.bytesRead === this.#bytesBefore;
    // The second try is over a new connection, so there is no third.
    if (mayRepeat) this.send(exchange);
    return mayRepeat;
  }

  async #open(undici: Undici, options: ConnectOptions, target: buildConnector.Options): Promise<Socket> {
    const exchange = this.#exchange;
    exchange.isReused = false;
    this.#closing = new AbortController();
    // Rules and settings may have changed since the address was stored.
    const fault = findReceiverFault(this.url, options.policy);
    if (fault !== null) throw new DeliveryFailure('refused_address', `The address of the receiver ${fault}.`);
    const socket = await openSocket(undici, options, target, this.#closing.signal, (step) => exchange.measure(step));
    this.#socket = socket;
    const isWanted = (await exchange.delivery.isWanted?.()) ?? true;
    if (isWanted && !socket.destroyed) return socket;
    socket.destroy();
    throw isWanted ? describeFailure(null) : new DeliveryFailure('aborted', 'The delivery was canceled.');
  }
}
