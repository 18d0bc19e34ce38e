import type { Socket } from 'node:net';
import type { buildConnector, Client, Dispatcher } from 'undici';
import { skipInterimResponses } from '../../../packages/node-sdk/src/platform/interim-responses.ts';
import { findReceiverFault } from '../endpoints/receiver-address.ts';
import { type ConnectOptions, DeliveryFailure, openSocket } from './connection.ts';

/** Of look-up, connection and answer together. Standard Webhooks recommends 15 to 30 seconds. */
const timeoutSeconds = 15;
const longestExcerpt = 4 * 1024;
const longestBody = 64 * 1024;
/** Connections between two deliveries, over all receivers. */
const mostIdle = 256;
/** Even if the receiver offers more in `Keep-Alive`: its name and the rules are checked only when a connection is opened. */
const longestIdle = 60_000;

/** One attempt at a delivery. */
export interface OutgoingDelivery {
  /** As `WebhookUrl` gives it. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /**
   * True if it is still to be sent; called once a connection was opened for it, which can take seconds. Never rejects.
   */
  readonly isWanted?: () => Promise<boolean>;
}

/** How one attempt ended: with an answer, once it is whole or 64 KiB of it came (the rest is not read), or why without one. */
export type DeliveryOutcome = Ending & {
  readonly milliseconds: number;
  /** True if the connection was kept from an earlier delivery; if a kept one broke, that of the second try. */
  readonly reused: boolean;
};

/** The header Retry-After is as it came, at most 100 characters; `excerpt` is the beginning of the answer as text. */
type Ending =
  | Readonly<{ outcome: 'answered'; status: number; retryAfter: string | null; excerpt: string }>
  | Readonly<{ outcome: 'failed'; reason: DeliveryFailure['reason']; message: string }>;

/** Loaded with the first delivery: a server that sends none starts sooner and is smaller. */
let undici: typeof import('undici');

/**
 * Posts deliveries to receivers and keeps connections to them. Each delivery has a connection to itself until it ends, so that
 * none waits for another: how many an endpoint has at once is for the sender to limit.
 */
export class Receivers {
  readonly #options: ConnectOptions;
  readonly #busy = new Set<ReceiverConnection>();
  /** The one that was used last at the end: it is used again, so that those no longer needed close. */
  readonly #idle: ReceiverConnection[] = [];

  constructor(options: ConnectOptions) {
    this.#options = options;
  }

  /**
   * Posts one delivery and reads its answer. Every status is an answer; redirects are not followed, because where they lead
   * was not agreed. Never rejects.
   */
  async post(delivery: OutgoingDelivery): Promise<DeliveryOutcome> {
    undici ??= await import('undici');
    const startedAt = performance.now();
    const index = this.#idle.findLastIndex(({ url }) => url === delivery.url);
    const [connection = new ReceiverConnection(delivery.url, this.#options)] =
      index === -1 ? [] : this.#idle.splice(index, 1);
    this.#busy.add(connection);
    const message = `There was no whole answer within ${timeoutSeconds} s.`;
    const limit = setTimeout(() => connection.destroy('timeout', message), timeoutSeconds * 1000);
    const ending = await connection.send(delivery);
    clearTimeout(limit);
    this.#busy.delete(connection);
    if (connection.isFree) this.#idle.push(connection);
    else connection.destroy();
    if (this.#idle.length > mostIdle) this.#idle.shift()?.destroy();
    return { ...ending, milliseconds: Math.round(performance.now() - startedAt), reused: connection.isReused };
  }

  /** Aborts every delivery under way, and closes every connection. */
  close(): void {
    for (const connection of [...this.#busy, ...this.#idle.splice(0)]) connection.destroy();
  }
}

/** A connection to a receiver, used by one delivery at a time. If it was closed, the next delivery opens it again. */
class ReceiverConnection {
  readonly url: string;
  /** True if it was open when the delivery was handed to it. */
  isReused = false;
  /** True if the answer was read to its end, so that it may serve another delivery. */
  isFree = false;
  readonly #client: Client;
  readonly #path: string;
  #isWanted: OutgoingDelivery['isWanted'];
  #opening = new AbortController();
  /** Called before each request over the open socket. */
  #expectResponse = () => {};

  constructor(url: string, options: ConnectOptions) {
    this.url = url;
    const { origin, pathname, search } = new URL(url);
    this.#path = pathname + search;
    // By default it keeps the connection for four seconds: many servers close it after five, which would meet a delivery.
    this.#client = new undici.Client(origin, {
      keepAliveMaxTimeout: longestIdle,
      connect: (target, give) => {
        this.#open(target, options).then(
          (socket) => give(null, socket),
          (error) => give(error, null),
        );
      },
    });
  }

  /** Closes it, or stops opening it; a delivery under way fails for this reason. */
  destroy(reason: DeliveryFailure['reason'] = 'aborted', message = 'The delivery was aborted.'): void {
    const failure = new DeliveryFailure(reason, message);
    void this.#client.destroy(failure);
    // The client doesn't stop what opens its connection.
    this.#opening.abort(failure);
  }

  send({ headers, body, isWanted }: OutgoingDelivery): Promise<Ending> {
    // Nothing is decompressed, so a small answer cannot become a large one.
    const plain = { ...headers, 'accept-encoding': 'identity' };
    const { promise, resolve } = Promise.withResolvers<Ending>();
    this.#isWanted = isWanted;
    let [status, retryAfter, length]: [number, string | null, number] = [0, null, 0];
    const chunks: Buffer[] = [];
    const finish = () => resolve({ outcome: 'answered', status, retryAfter, excerpt: readExcerpt(chunks, length) });
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => this.#expectResponse(),
      onResponseStart(_controller, code, { 'retry-after': given }) {
        status = code;
        retryAfter = [given].flat()[0]?.slice(0, 100) ?? null;
      },
      onResponseData(_controller, chunk) {
        if (length < longestExcerpt) chunks.push(chunk);
        length += chunk.length;
        if (length >= longestBody) finish();
      },
      onResponseEnd: () => {
        this.isFree = true;
        finish();
      },
      onResponseError: (_controller, error) => {
        const { reason, message } = describeFailure(error);
        // The receiver may close a kept connection just as a request is sent. It may have arrived all the same, but deliveries
        // are at least once. The second try is over a new connection, so there is no third.
        if (this.isReused && status === 0 && reason === 'connection') dispatch();
        else resolve({ outcome: 'failed', reason, message });
      },
    };
    const dispatch = () => {
      [this.isReused, this.isFree] = [this.isFree, false];
      this.#client.dispatch({ path: this.#path, method: 'POST', headers: plain, body }, handler);
    };
    dispatch();
    return promise;
  }

  async #open(target: buildConnector.Options, options: ConnectOptions): Promise<Socket> {
    this.isReused = false;
    // Rules and settings may have changed since the address was stored.
    const fault = findReceiverFault(this.url, options.policy);
    if (fault !== null) throw new DeliveryFailure('refused_address', `The address of the receiver ${fault}.`);
    this.#opening = new AbortController();
    const socket = await openSocket(undici, options, target, this.#opening.signal);
    if ((await this.#isWanted?.()) ?? true) {
      this.#expectResponse = skipInterimResponses(socket);
      return socket;
    }
    socket.destroy();
    throw new DeliveryFailure('aborted', 'The delivery was canceled.');
  }
}

/**
 * Characters that terminals, pages or PostgreSQL do not show as they are: control characters, and those that change
 * text direction.
 */
const unreadable = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

function readExcerpt(chunks: readonly Buffer[], length: number): string {
  if (length === 0) return '';
  const bytes = Buffer.concat(chunks).subarray(0, longestExcerpt);
  // A character that the limit cut is left out; one that the answer cut is shown as unreadable.
  const text = new TextDecoder().decode(bytes, { stream: length > longestExcerpt });
  return text.replaceAll('\r\n', '\n').replace(unreadable, '\u{fffd}');
}

function describeFailure(error: Error): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  if (
    /^(?:HTTPParser|HeadersOverflow|ResponseContentLengthMismatch)Error\b|: invalid interim response$/.test(
      String(error),
    )
  )
    return new DeliveryFailure(
      'protocol',
      `The answer is not valid HTTP/1.1 (${error.name === 'Error' ? error.message : error.name}).`,
    );
  return new DeliveryFailure('connection', 'The receiver closed the connection before its answer was whole.');
}
