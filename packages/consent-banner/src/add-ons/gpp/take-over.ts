import { attempt } from '../../page/browser.ts';
import type { Gpp } from './gpp-api.ts';

type Listener = (data: unknown, isSuccess: boolean) => void;

/** What the page's stub has kept for us: https://github.com/InteractiveAdvertisingBureau/Global-Privacy-Platform (stub code). */
export interface StubRemains {
  /** The calls that wait, in their order. */
  readonly queue: readonly (readonly unknown[])[];
  readonly listeners: ReadonlyMap<number, Listener>;
  /** Whether the stub answers the messages of frames already, by way of `__gpp`. */
  readonly hasMessages: boolean;
}

interface Stub {
  (...args: readonly unknown[]): unknown;
  readonly queue?: unknown;
  readonly events?: unknown;
}

/**
 * What was there as `__gpp` before us.
 * @returns null where that is no stub but a whole consent platform: there must be one only.
 */
export function readStub(): StubRemains | null {
  const { __gpp: stub, __gpp_msghandler: handler } = window as { __gpp?: Stub; __gpp_msghandler?: unknown };
  if (typeof stub !== 'function') return { queue: [], listeners: new Map(), hasMessages: false };
  if (!isStub(stub)) return null;
  const queue = readList(stub.queue) ?? readList(attempt(() => stub())) ?? [];
  const events = readList(stub.events) ?? readList(attempt(() => stub('events'))) ?? [];
  const listeners = new Map<number, Listener>();
  for (const event of events) {
    const { id, callback } = Object(event) as { readonly id?: unknown; readonly callback?: unknown };
    if (Number.isSafeInteger(id) && typeof callback === 'function') listeners.set(id as number, callback as Listener);
  }
  return { queue: queue.filter(Array.isArray), listeners, hasMessages: typeof handler === 'function' };
}

function readList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** A stub says so when it is asked; the oldest ones return what the later ones call back with. */
function isStub(stub: Stub): boolean {
  let reply: unknown;
  const returned = attempt(() =>
    stub('ping', (data: unknown) => {
      reply = data;
    }),
  );
  const { cmpStatus } = Object(reply ?? returned) as { readonly cmpStatus?: unknown };
  return cmpStatus === undefined || cmpStatus === 'stub';
}

/** Puts the API in the place of the stub, and works off what waited there. */
export function takeOver(call: Gpp, { queue }: StubRemains): void {
  Object.defineProperty(window, '__gpp', { value: call, configurable: true, writable: true, enumerable: true });
  for (const args of queue) call(...(args as Parameters<Gpp>));
}
