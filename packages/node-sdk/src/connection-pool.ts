import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { openConnections } from '#platform';
import type { Exchange } from './exchange.ts';

/** A connection that carries one request at a time. */
export interface Connection {
  readonly dispatcher: Pick<Dispatcher, 'dispatch' | 'close'>;
  /** The socket that is open or was last; none before the first, with a dispatcher of the caller's, and with fetch. */
  readonly socket?: Socket;
  /** Called before each request over the socket. */
  readonly expectResponse?: () => void;
}

/** Loads what sends requests. */
export type OpenConnections = (readOrigin: () => string) => Promise<() => Connection>;

interface PoolOptions {
  /** Called at the first request. */
  readonly readOrigin: () => string;
  readonly dispatcher: Dispatcher | undefined;
  /** The most requests at once. */
  readonly connections: number;
}

/**
 * The connections to one server, opened when they are needed. A call that finds none free waits here and not in undici,
 * so that its time limit can start when it is sent.
 */
export class ConnectionPool {
  readonly #options: PoolOptions;
  /** The one used last is used first: the others may be closed by the server and are then not needed. */
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<(connection: Connection) => void>();
  /** The streams that have begun and not ended. */
  readonly streams = new Set<Exchange>();
  #opened = 0;
  #create: (() => Connection) | null = null;
  #opening: Promise<void> | null = null;
  #closing: Promise<void> | null = null;
  #onRest: (() => void) | null = null;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#closing !== null;
  }

  /** Called at the first request: reading undici takes longer than reading this package. */
  open(): Promise<void> | null {
    this.#opening ??= this.#load();
    return this.#create === null ? this.#opening : null;
  }

  /** A connection that is free; null where there is none, or before `open`. */
  take(): Connection | null {
    if (this.#create === null) return null;
    const connection = this.#idle.pop();
    if (connection !== undefined || this.#opened >= this.#options.connections) return connection ?? null;
    this.#opened += 1;
    return this.#create();
  }

  /** Waits for a connection, first come, first served. @returns also what gives the place up. */
  enqueue(): { readonly granted: Promise<Connection>; readonly leave: () => void } {
    const { promise, resolve } = Promise.withResolvers<Connection>();
    this.#waiting.add(resolve);
    const leave = () => {
      // It may have been granted in the meantime.
      if (!this.#waiting.delete(resolve)) void promise.then((connection) => this.release(connection));
    };
    return { granted: promise, leave };
  }

  release(connection: Connection): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next(connection);
      return;
    }
    this.#idle.push(connection);
    if (this.#idle.length === this.#opened) this.#onRest?.();
  }

  /**
   * Waits for the calls that were sent or wait for a connection, then ends the connections. A dispatcher that was
   * handed in stays open. Streams are canceled: their readers may never finish.
   */
  async close(): Promise<void> {
    this.#closing ??= this.#rest();
    for (const exchange of this.streams) endStream(exchange);
    await this.#closing;
  }

  async #rest(): Promise<void> {
    await this.#opening;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onRest = resolve;
    if (this.#idle.length < this.#opened) await promise;
    if (this.#options.dispatcher === undefined)
      await Promise.all(this.#idle.map(({ dispatcher }) => dispatcher.close()));
  }

  async #load(): Promise<void> {
    const { dispatcher, readOrigin } = this.#options;
    this.#create = dispatcher === undefined ? await openConnections(readOrigin) : () => ({ dispatcher });
  }
}

/** Gives a stream up because its client is closed. */
export function endStream(exchange: Exchange): void {
  exchange.fail('aborted', new Error('The client was closed.'));
}
