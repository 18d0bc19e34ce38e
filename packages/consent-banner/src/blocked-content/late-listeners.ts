/** The events that a page has once, in their order. */
const EVENTS = ['readystatechange', 'DOMContentLoaded', 'load', 'pageshow'];

interface LateListener<T> {
  readonly type: string;
  readonly target: EventTarget;
  readonly listener: EventListenerOrEventListenerObject | null;
  readonly owner: T;
}

/** Collects the listeners of released scripts for events that the page has had already, and runs them. */
export class LateListeners<T extends object> {
  readonly #listeners: LateListener<T>[] = [];
  readonly #find: () => T | undefined;
  readonly #onCaught: () => void;
  #handlers: readonly unknown[] = [];

  /**
   * @param find the released script that runs now.
   * @param onCaught called for each listener, while its script runs.
   */
  constructor(find: () => T | undefined, onCaught: () => void) {
    this.#find = find;
    this.#onCaught = onCaught;
  }

  /** Watches until the returned function is called. */
  watch(): () => void {
    this.#handlers = listHandlers();
    const catchAdded = (target: EventTarget, type: string, listener: LateListener<T>['listener']): void => {
      const owner = this.#find();
      if (!owner || !hasHappened(type)) return;
      this.#onCaught();
      this.#listeners.push({ type, target, listener, owner });
    };
    const undo = [window, document].map((target: EventTarget) =>
      replaceOwn(
        target,
        'addEventListener',
        (native: EventTarget['addEventListener']) =>
          function addEventListener(this: EventTarget | undefined, ...args: Parameters<typeof native>): void {
            const own = this ?? window;
            if (own === target) catchAdded(target, args[0], args[1]);
            native.apply(own, args);
          },
      ),
    );
    return () => {
      for (const one of undo) one();
    };
  }

  /** `window.onload` and the like, which the script may have set. */
  catchHandlers(owner: T): void {
    const before = this.#handlers;
    this.#handlers = listHandlers();
    for (const [at, listener] of this.#handlers.entries()) {
      const [target, type] = listTargets()[at] as ReturnType<typeof listTargets>[number];
      if (!listener || listener === before[at] || !hasHappened(type)) continue;
      this.#onCaught();
      this.#listeners.push({ type, target, listener: listener as EventListener, owner });
    }
  }

  /** Runs them in the order of their events; those that they add as well. */
  run(call: (owner: T, work: () => void) => void): void {
    for (;;) {
      const [first] = this.#listeners.sort((one, other) => EVENTS.indexOf(one.type) - EVENTS.indexOf(other.type));
      if (!first) return;
      this.#listeners.shift();
      const { type, target, listener, owner } = first;
      const event = new Event(type);
      Object.defineProperties(event, { target: { value: document }, currentTarget: { value: target } });
      call(owner, () => {
        try {
          if (typeof listener === 'function') listener.call(target, event);
          else listener?.handleEvent(event);
        } catch (error) {
          reportError(error); // As of any listener: the others run.
        }
      });
    }
  }
}

/** Their handlers; a function, because a server may import this module. */
const listTargets = () =>
  [
    [document, 'readystatechange'],
    [window, 'load'],
    [window, 'pageshow'],
  ] as const;

function listHandlers(): readonly unknown[] {
  return listTargets().map(([target, type]) => Reflect.get(target, `on${type}`));
}

/** A listener that is added now would never be called. */
function hasHappened(type: string): boolean {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const isComplete = document.readyState === 'complete';
  if (type === 'readystatechange') return isComplete;
  if (type === 'DOMContentLoaded') return isComplete || (page?.domContentLoadedEventStart ?? 0) > 0;
  // Without an entry, the page is a frame without an address.
  return EVENTS.includes(type) && isComplete && (!page || page.loadEventStart > 0);
}

/** Replaces a method of an object, not of its prototype. @returns restores it, unless another script has replaced it since. */
export function replaceOwn<T extends object, K extends keyof T>(
  owner: T,
  name: K,
  write: (native: T[K] & ((...args: never[]) => unknown)) => unknown,
): () => void {
  // An image of that name shadows the method on `document`.
  if (typeof owner[name] !== 'function') return () => {};
  const own = Object.getOwnPropertyDescriptor(owner, name);
  const value = write(owner[name] as never);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true, enumerable: true });
  return () => {
    if (Object.getOwnPropertyDescriptor(owner, name)?.value !== value) return;
    if (own) Object.defineProperty(owner, name, own);
    else Reflect.deleteProperty(owner, name);
  };
}
