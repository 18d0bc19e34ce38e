import { WebhookVerificationError } from './error.ts';
import { createMemoryReplayStore } from './replay-memory.ts';

export { createMemoryReplayStore, type MemoryReplayOptions } from './replay-memory.ts';

/**
 * Where it stands which events were handled. Several processes need a store that they share; each call must then be
 * one atomic step, as `SET … NX` is in Redis.
 */
export interface ReplayStore {
  /**
   * Takes an id for `leaseSeconds`. `claimed`: it was free. `running`: somebody has taken it and not finished.
   * `done`: it is finished.
   */
  claim(id: string, leaseSeconds: number): ReplayClaim | Promise<ReplayClaim>;
  /** Marks an id as done for `ttlSeconds`. */
  complete(id: string, ttlSeconds: number): unknown;
  /** Frees an id: its handler failed, and the next delivery may try again. */
  release(id: string): unknown;
}

export type ReplayClaim = 'claimed' | 'running' | 'done';

export interface ReplayGuardOptions {
  /** Default: in the memory of this process. */
  readonly store?: ReplayStore | undefined;
  /** How long an event counts as handled. Default: 25 hours; the server tries again for 24. */
  readonly ttlSeconds?: number | undefined;
  /** After this a handler counts as dead, and another delivery may start it anew. Default: 300. */
  readonly leaseSeconds?: number | undefined;
  /** The time in milliseconds. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** Lets a handler succeed once for each id. */
export interface ReplayGuard {
  /**
   * Runs the handler unless it has succeeded before (`done`) or is running just now (`running`: have the sender come
   * again later). When it throws, the id is free again and the error goes on.
   */
  run(id: string, handler: () => unknown): Promise<'handled' | 'running' | 'done'>;
}

/** Makes a guard. Give it the id of the event: that is signed, while anybody can change the `Svc-Delivery` header. */
export function createReplayGuard({
  now = Date.now,
  store = createMemoryReplayStore({ now }),
  ttlSeconds = 90_000,
  leaseSeconds = 300,
}: ReplayGuardOptions = {}): ReplayGuard {
  if (!(ttlSeconds > 0) || !(leaseSeconds > 0))
    throw new WebhookVerificationError('options_invalid', 'ttlSeconds and leaseSeconds must be more than 0.');
  return {
    run: async (id, handler) => {
      const claim = await store.claim(id, leaseSeconds);
      if (claim !== 'claimed') return claim;
      const leaseEnds = now() + leaseSeconds * 1000;
      try {
        await handler();
      } catch (error) {
        // After the lease the id may belong to another delivery.
        if (now() < leaseEnds) await store.release(id);
        throw error;
      }
      await store.complete(id, ttlSeconds);
      return 'handled';
    },
  };
}
