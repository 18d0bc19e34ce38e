import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import type { Exchange } from './exchange.ts';

/** What carries one request at a time. */
export interface Connection {
  readonly dispatcher: Dispatcher;
  /** The socket that is open or was last; null before the first, and with a dispatcher of the caller's. */
  socket: Socket | null;
}

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
  #closeDispatchers: () => Promise<unknown> = async () => undefined;
  #closing: Promise<void> | null = null;
  #onRest: (() => void) | null = null;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#closing !== null;
  }

  /** Loads undici, at the first request: reading it takes longer than reading this package. */
  open(): Promise<void> {
    this.#opening ??= this.#load();
    return this.#opening;
  }

  get isOpen(): boolean {
    return this.#create !== null;
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
    this.#closing ??= this.#rest().then(async () => void (await this.#closeDispatchers()));
    for (const exchange of this.streams) endStream(exchange);
    await this.#closing;
  }

  async #rest(): Promise<void> {
    await this.#opening;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onRest = resolve;
    if (this.#idle.length < this.#opened) await promise;
  }

  async #load(): Promise<void> {
    const { dispatcher, readOrigin, connections } = this.#options;
    if (dispatcher !== undefined) {
      this.#create = () => ({ dispatcher, socket: null });
      return;
    }
    const { buildConnector, Client, EnvHttpProxyAgent } = await import('undici');
    if (usesProxies()) {
      const agent = new EnvHttpProxyAgent({ connections, allowH2: false });
      this.#create = () => ({ dispatcher: agent, socket: null });
      this.#closeDispatchers = () => agent.close();
      return;
    }
    const origin = readOrigin();
    // Only HTTP/1.1: retries and sockets are tested with it.
    const connect = buildConnector({ allowH2: false });
    const clients: Dispatcher[] = [];
    this.#closeDispatchers = () => Promise.all(clients.map((client) => client.close()));
    this.#create = () => {
      const client = new Client(origin, {
        allowH2: false,
        connect: (options, callback) =>
          connect(options, (...result) => {
            connection.socket = result[1];
            callback(...result);
          }),
      });
      const connection: Connection = { dispatcher: client, socket: null };
      clients.push(client);
      return connection;
    };
  }
}

/** Node's own switch for HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
function usesProxies(): boolean {
  const { NODE_USE_ENV_PROXY, NODE_OPTIONS } = process.env;
  return NODE_USE_ENV_PROXY === '1' || `${NODE_OPTIONS} ${process.execArgv}`.includes('--use-env-proxy');
}

/** Gives a stream up because its client is closed. */
export function endStream(exchange: Exchange): void {
  exchange.fail('aborted', new Error('The client was closed.'));
}
