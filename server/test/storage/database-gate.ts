import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy to PostgreSQL that a test can close: as if the database were stopped, or did not respond. */
export class DatabaseGate implements AsyncDisposable {
  readonly #target: URL;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #server: Server;
  #port = 0;
  #isFrozen = false;

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = this.#createServer();
  }

  /** Opens a proxy to a database. */
  static async open(target: string): Promise<DatabaseGate> {
    const gate = new DatabaseGate(target);
    await gate.start();
    return gate;
  }

  /** The address of the database behind the proxy. */
  get url(): string {
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${this.#port}`;
    return url.href;
  }

  /** Closes all connections and refuses new ones. */
  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of [...this.#pairs].flat()) socket.destroy();
    await closed;
  }

  /** Accepts connections again after `stop`. */
  async start(): Promise<void> {
    this.#server = this.#createServer().listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Accepts connections and requests, but forwards no response. */
  freeze(): void {
    this.#isFrozen = true;
    for (const [, database] of this.#pairs) database.pause();
  }

  /** Forwards responses again. */
  thaw(): void {
    this.#isFrozen = false;
    for (const [, database] of this.#pairs) database.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.stop();
  }

  #createServer(): Server {
    // A hung machine does not respond to the end of a connection either.
    return createServer({ allowHalfOpen: true }, (client) => {
      const database = connect({ port: Number(this.#target.port), host: this.#target.hostname, allowHalfOpen: true });
      const pair = [client, database] as const;
      this.#pairs.add(pair);
      client.on('data', (bytes) => database.write(bytes));
      database.on('data', (bytes) => client.write(bytes));
      if (this.#isFrozen) database.pause();
      for (const [one, other] of [pair, pair.toReversed() as [Socket, Socket]]) {
        one.on('end', () => {
          if (!this.#isFrozen) other.end();
        });
        one.on('error', () => undefined);
        one.on('close', () => {
          this.#pairs.delete(pair);
          other.destroy();
        });
      }
    });
  }
}
