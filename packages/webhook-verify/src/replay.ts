import { decodeSecret, importBytes, joinSigned, type MacKey, readBase64, readBytes } from './check.ts';
import { fail, type Names, requireObject, requireOptions } from './error.ts';
import type { NamedSecret, SignedDelivery } from './options.ts';

/**
 * Stores which events were handled. Several processes need a store that they share; each call must then be
 * one atomic step, as `SET … NX` is in Redis.
 */
export interface ReplayStore {
  /**
   * Takes an id for `leaseSeconds`. `claimed`: it was free. `running`: it is claimed and not finished.
   * `done`: it is finished.
   */
  claim(id: string, leaseSeconds: number): ReplayClaim | Promise<ReplayClaim>;
  /** Marks an id as done for `ttlSeconds`. */
  complete(id: string, ttlSeconds: number): unknown;
  /** Frees an id: its handler failed, and the next delivery may try again. */
  release(id: string): unknown;
}

/** Result of claiming a delivery. Only `claimed` allows it to be handled. */
export type ReplayClaim = 'claimed' | 'running' | 'done';

export interface ReplayGuardOptions {
  /**
   * The duplicates to skip. `delivery` (default): each delivery is handled once over all its tries, and an event that
   * is sent again on purpose is handled again. `event`: each event once, whatever is sent again; for proxies that
   * remove the `webhook-signature` header, which proves the id of a delivery.
   */
  readonly by?: 'delivery' | 'event' | undefined;
  /** Prefix of each id in the store. Handlers that share a store and must both get the same id need one each. */
  readonly scope?: string | undefined;
  /** Default: in the memory of this process. */
  readonly store?: ReplayStore | undefined;
  /** How long an id counts as handled. Default: 25 hours; the server tries again for 24. */
  readonly ttlSeconds?: number | undefined;
  /** After this a handler counts as dead, and another delivery may start it again. Default: 300. */
  readonly leaseSeconds?: number | undefined;
  /** The time in milliseconds. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

const optionNames: Names<ReplayGuardOptions> = { by: 1, scope: 1, store: 1, ttlSeconds: 1, leaseSeconds: 1, now: 1 };

/** Lets a handler succeed once for each id. */
export interface ReplayGuard {
  /** The kind of id that adapters pass to it. Default: `delivery`. */
  readonly by?: 'delivery' | 'event' | undefined;
  /** Lets adapters verify the id of a delivery, if `by` is `delivery`. */
  readonly createIdReader?: CreateDeliveryIdReader | undefined;
  /**
   * Runs the handler unless it has succeeded before (`done`) or is running just now (`running`: have the sender come
   * again later). When it throws, the id is free again and the error goes on.
   */
  run(id: string, handler: () => unknown): Promise<'handled' | 'running' | 'done'>;
}

/**
 * Makes a guard. Adapters take it as it is. If you call it yourself, pass an id that is signed: that of the event, since
 * the `Svc-Delivery` header can be changed on the way.
 */
export function createReplayGuard(options: ReplayGuardOptions = {}): ReplayGuard {
  requireOptions(options, optionNames);
  const { now = Date.now, by = 'delivery', scope = '', ttlSeconds = 90_000, leaseSeconds = 300 } = options;
  const { store = createMemoryReplayStore({ now }) } = options;
  if (!(ttlSeconds > 0) || !(leaseSeconds > 0) || typeof now !== 'function')
    fail('options_invalid', 'ttlSeconds and leaseSeconds must be more than 0, now a function.');
  if ((by !== 'delivery' && by !== 'event') || typeof scope !== 'string')
    fail('options_invalid', 'by must be "delivery" or "event", scope a text.');
  checkStore(store);
  return {
    by,
    createIdReader: by === 'delivery' ? createDeliveryIdReader : undefined,
    run: async (id, handler) => {
      // All that have none would be the same.
      if (typeof id !== 'string' || id === '') fail('options_invalid', 'run needs an id that is proven.');
      const key = scope + id;
      const claim = await store.claim(key, leaseSeconds);
      if (claim === 'running' || claim === 'done') return claim;
      // An unknown result must not count as handled.
      if (claim !== 'claimed') fail('store_invalid', 'claim of the store must give "claimed", "running" or "done".');
      const leaseEnds = now() + leaseSeconds * 1000;
      try {
        await handler();
      } catch (error) {
        // After the lease the id may belong to another delivery.
        if (now() < leaseEnds) await release(store, key);
        throw error;
      }
      await store.complete(key, ttlSeconds);
      return 'handled';
    },
  };
}

/** The error of the handler matters more than one of the store: the id is free when its lease ends. */
async function release(store: ReplayStore, key: string): Promise<void> {
  try {
    await store.release(key);
  } catch {
    // As above.
  }
}

function checkStore(store: ReplayStore): void {
  const methods = requireObject(store) as unknown as Readonly<Record<string, unknown>>;
  for (const name of ['claim', 'complete', 'release'])
    if (typeof methods[name] !== 'function') fail('options_invalid', `The store must have a function "${name}".`);
}

export interface MemoryReplayOptions {
  /** Default: 10,000 ids, of some 100 bytes each. */
  readonly maxEntries?: number | undefined;
  /** The time in milliseconds. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

const memoryNames: Names<MemoryReplayOptions> = { maxEntries: 1, now: 1 };

interface Entry {
  readonly isDone: boolean;
  readonly endsAt: number;
}

/** A store in memory, for one process. When it is full it forgets what was done first; what runs is never forgotten. */
export function createMemoryReplayStore(options: MemoryReplayOptions = {}): ReplayStore {
  const { maxEntries = 10_000, now = Date.now } = requireOptions(options, memoryNames);
  if (!(maxEntries >= 1) || typeof now !== 'function')
    fail('options_invalid', 'maxEntries must be 1 or more, now a function.');
  const entries = new Map<string, Entry>();
  const put = (id: string, isDone: boolean, seconds: number) => {
    // Last in the order of the map, which is the order of forgetting.
    entries.delete(id);
    entries.set(id, { isDone, endsAt: now() + seconds * 1000 });
  };
  return {
    claim: (id, leaseSeconds) => {
      const entry = entries.get(id);
      if (entry !== undefined && entry.endsAt > now()) return entry.isDone ? 'done' : 'running';
      entries.delete(id);
      // As if it ran already: the sender comes again.
      if (entries.size >= maxEntries && !forgetOne(entries, now())) return 'running';
      put(id, false, leaseSeconds);
      return 'claimed';
    },
    complete: (id, ttlSeconds) => put(id, true, ttlSeconds),
    release: (id) => entries.delete(id),
  };
}

function forgetOne(entries: Map<string, Entry>, now: number): boolean {
  for (const [id, { isDone, endsAt }] of entries) if (isDone || endsAt <= now) return entries.delete(id);
  return false;
}

/** Eleven signatures, of ten rotations one after the other, are 527 characters; the rest is room for schemes to come. */
const maxLength = 1024;

/** The id of a delivery, with the data that proves it. */
interface DeliveryIdClaim extends Pick<SignedDelivery, 'body'> {
  readonly id: string | null | undefined;
  /** Of the `Svc-Signature`, which was verified. */
  readonly timestamp: number;
  /** The `webhook-signature` header. */
  readonly signature: string | null | undefined;
}

type CreateDeliveryIdReader = typeof createDeliveryIdReader;

/**
 * Makes what gives the id of a delivery, once that is proven: `Svc-Signature` does not cover it, `webhook-signature`
 * (Standard Webhooks 1.0: `v1,<base64>` over `<id>.<t>.<body>`, one a secret) does. The work is bounded.
 * @param given the secrets, of which one must have signed.
 * @throws {WebhookVerificationError} `secret_invalid`: when the program starts.
 */
function createDeliveryIdReader(given: readonly Pick<NamedSecret, 'secret'>[]) {
  const secrets = given.flatMap(({ secret }) => decodeSecret(secret) ?? []);
  if (given.length > 0 && secrets.length === 0)
    fail('secret_invalid', 'With a replay guard, what follows whsec_ must be base64, as the server makes it.');
  let keys: readonly MacKey[] | undefined;
  return async ({ id, timestamp, body, signature }: DeliveryIdClaim): Promise<string> => {
    if (id && /^[!-~]{1,128}$/.test(id) && signature && signature.length <= maxLength) {
      const signed = joinSigned(`${id}.${timestamp}`, readBytes(body));
      // The keys are kept and not the promise of them, because a promise may belong to one request.
      keys ??= await Promise.all(secrets.map((secret) => importBytes(secret, 'verify')));
      for (const item of signature.split(' ')) {
        const mac = /^v1,.{44}$/.test(item) ? readBase64(item.slice(3)) : undefined;
        if (mac !== undefined)
          for (const key of keys) if (await crypto.subtle.verify('HMAC', key, mac, signed)) return id;
      }
    }
    return fail(
      'delivery_id_unsigned',
      'webhook-signature does not prove Svc-Delivery: a proxy must let both through, or let the guard go by the event (by: "event").',
    );
  };
}
