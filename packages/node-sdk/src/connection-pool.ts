import type { Dispatcher, Pool } from 'undici';
import type { Exchange } from './exchange.ts';

/** More at once would only wait in the queue of the server. */
const mostConnections = 100;

/** The connections to one server, opened when they are needed: reading undici takes longer than reading this package. */
export class ConnectionPool {
  readonly #origin: string;
  readonly #isOwn: boolean;
  #dispatcher: Dispatcher | null;
  #opening: Promise<Dispatcher> | null = null;
  #closing: Promise<void> | null = null;
  #isClosed = false;
  readonly #streams = new Set<Exchange>();

  constructor(origin: string, dispatcher: Dispatcher | undefined) {
    this.#origin = origin;
    this.#isOwn = dispatcher === undefined;
    this.#dispatcher = dispatcher ?? null;
  }

  /** What sends requests; null as long as it is not read. */
  get dispatcher(): Dispatcher | null {
    return this.#dispatcher;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  open(): Promise<Dispatcher> {
    this.#opening ??= this.#load();
    return this.#opening;
  }

  /** Keeps in mind a stream that has begun, until it ends. */
  holdStream(exchange: Exchange): void {
    this.#streams.add(exchange);
  }

  releaseStream(exchange: Exchange): void {
    this.#streams.delete(exchange);
  }

  /**
   * Waits for the answers that are under way, then ends the connections. A dispatcher that was handed in stays open. Streams
   * are given up: nobody may be there who would read them to their end.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const exchange of this.#streams) endStream(exchange);
    if (!this.#isOwn || this.#opening === null) return;
    this.#closing ??= this.#opening.then((dispatcher) => dispatcher.close());
    await this.#closing;
  }

  async #load(): Promise<Dispatcher> {
    // The index of undici also brings fetch, WebSocket and mocks: twice the time to the first request.
    // @ts-expect-error: undici has types for its index alone.
    const file: { readonly default: typeof Pool } = await import('undici/lib/dispatcher/pool.js');
    // HTTP/1.1 alone: what is promised about retries and sockets is tested with it.
    const pool = new file.default(this.#origin, { connections: mostConnections, allowH2: false });
    this.#dispatcher = pool;
    return pool;
  }
}

/** Gives a stream up because its client is closed. */
export function endStream(exchange: Exchange): void {
  exchange.fail('aborted', new Error('The client was closed.'));
}
