import { DeliveryFailure } from './outcome.ts';
import { type Receiver, ReceiverConnection } from './receiver-connection.ts';
import type { ConnectorOptions } from './receiver-connector.ts';

export interface PoolOptions extends ConnectorOptions {
  readonly connectionsPerOwner: number;
  /** Kept over all owners and origins; the one that was unused longest is closed for another. */
  readonly keptConnections: number;
}

/** What one owner has at one origin. */
interface Share {
  /** Connections in use, and turns that are about to use one. */
  busy: number;
  /** Unused ones, the one that was used last at the end: the others may become old and close. */
  readonly kept: ReceiverConnection[];
  /** In the order in which they came. */
  readonly waiting: Set<() => void>;
}

/**
 * Lends connections: so many at once to an owner at an origin, kept alive between two deliveries, bounded over all. Many
 * endpoints of many tenants may stand at one origin, that of a service for automation: the slow one takes no turn from others.
 */
export class ReceiverPool {
  readonly #options: PoolOptions;
  readonly #shares = new Map<string, Share>();
  /** Unused ones of all shares, that of the longest time first. */
  readonly #kept = new Set<ReceiverConnection>();
  #undici: typeof import('undici') | null = null;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Shares with a connection in use or kept. */
  get shareCount(): number {
    return this.#shares.size;
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
    const name = nameShare(receiver);
    const share = this.#shares.get(name) ?? { busy: 0, kept: [], waiting: new Set() };
    this.#shares.set(name, share);
    if (share.busy < this.#options.connectionsPerOwner) share.busy += 1;
    else await waitForTurn(share, signal);
    const kept = share.kept.pop();
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
    const name = nameShare(connection.receiver);
    const share = this.#shares.get(name);
    if (share === undefined) return;
    if (isReusable) {
      share.kept.push(connection);
      this.#kept.add(connection);
    } else {
      void connection.destroy();
    }
    const [next] = share.waiting;
    if (next === undefined) share.busy -= 1;
    // The turn passes on as it is.
    else next();
    const [oldest] = this.#kept;
    if (oldest !== undefined && this.#kept.size > this.#options.keptConnections) this.#forget(oldest);
    this.#dropWhenUnused(name, share);
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
    const name = nameShare(connection.receiver);
    const share = this.#shares.get(name);
    if (share === undefined) return;
    share.kept.splice(share.kept.indexOf(connection), 1);
    this.#dropWhenUnused(name, share);
  }

  #dropWhenUnused(name: string, share: Share): void {
    if (share.busy === 0 && share.kept.length === 0) this.#shares.delete(name);
  }
}

/** An owner is one word, so no two shares have one name. */
function nameShare({ owner, origin }: Receiver): string {
  return `${owner} ${origin}`;
}

function waitForTurn({ waiting }: Share, signal: AbortSignal | undefined): Promise<void> {
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
