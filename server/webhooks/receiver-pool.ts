import { DeliveryFailure } from './delivery-outcome.ts';
import { type Receiver, ReceiverConnection } from './receiver-connection.ts';
import type { ConnectorOptions } from './receiver-connector.ts';

export interface PoolOptions extends ConnectorOptions {
  readonly connectionsPerOrigin: number;
  /** Kept over all origins; the one that was unused longest is closed for another. */
  readonly keptConnections: number;
}

interface Origin {
  /** Connections in use, and turns that are about to use one. */
  busy: number;
  /** Unused ones, the one that was used last at the end: the others may become old and close. */
  readonly kept: ReceiverConnection[];
  /** In the order in which they came. */
  readonly waiting: Set<() => void>;
}

/** Lends connections: so many at once to an origin, kept alive between two deliveries, bounded over all origins. */
export class ReceiverPool {
  readonly #options: PoolOptions;
  readonly #origins = new Map<string, Origin>();
  /** Unused ones of all origins, that of the longest time first. */
  readonly #kept = new Set<ReceiverConnection>();
  #undici: typeof import('undici') | null = null;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Origins with a connection in use or kept. */
  get originCount(): number {
    return this.#origins.size;
  }

  get keptCount(): number {
    return this.#kept.size;
  }

  /**
   * Lends a connection, kept or new, when it is one's turn.
   * @throws {DeliveryFailure} when the signal comes first.
   */
  async borrow(receiver: Receiver, signal: AbortSignal | undefined): Promise<ReceiverConnection> {
    // Loaded with the first delivery: a server that sends none starts sooner and is smaller.
    const undici = this.#undici ?? (await import('undici'));
    this.#undici = undici;
    const origin = this.#origins.get(receiver.origin) ?? { busy: 0, kept: [], waiting: new Set() };
    this.#origins.set(receiver.origin, origin);
    if (origin.busy < this.#options.connectionsPerOrigin) origin.busy += 1;
    else await waitForTurn(origin, signal);
    const kept = origin.kept.pop();
    if (kept !== undefined) {
      this.#kept.delete(kept);
      return kept;
    }
    const connection = new ReceiverConnection(undici, receiver, this.#options);
    connection.onDisconnect(() => this.#forget(connection));
    return connection;
  }

  /** Takes a connection back, to keep it or to close it. */
  giveBack(connection: ReceiverConnection, isReusable: boolean): void {
    const { origin: name } = connection.receiver;
    const origin = this.#origins.get(name);
    if (origin === undefined) return;
    if (isReusable) {
      origin.kept.push(connection);
      this.#kept.add(connection);
    } else {
      void connection.destroy();
    }
    const [next] = origin.waiting;
    if (next === undefined) origin.busy -= 1;
    // The turn passes on as it is.
    else next();
    const [oldest] = this.#kept;
    if (oldest !== undefined && this.#kept.size > this.#options.keptConnections) this.#forget(oldest);
    this.#dropWhenUnused(name, origin);
  }

  /** Closes what is kept; what is in use is for its users to end. */
  async close(): Promise<void> {
    const kept = [...this.#kept];
    for (const connection of kept) this.#forget(connection);
    await Promise.all(kept.map((connection) => connection.destroy()));
  }

  /** Lets go of a connection that is kept; one in use is left alone. */
  #forget(connection: ReceiverConnection): void {
    if (!this.#kept.delete(connection)) return;
    void connection.destroy();
    const { origin: name } = connection.receiver;
    const origin = this.#origins.get(name);
    if (origin === undefined) return;
    origin.kept.splice(origin.kept.indexOf(connection), 1);
    this.#dropWhenUnused(name, origin);
  }

  #dropWhenUnused(name: string, origin: Origin): void {
    if (origin.busy === 0 && origin.kept.length === 0) this.#origins.delete(name);
  }
}

function waitForTurn({ waiting }: Origin, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const take = () => {
    waiting.delete(take);
    resolve();
  };
  const onAbort = () => {
    if (waiting.delete(take)) reject(new DeliveryFailure('aborted', 'The delivery was given up.'));
  };
  waiting.add(take);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  return promise.finally(() => signal?.removeEventListener('abort', onAbort));
}
