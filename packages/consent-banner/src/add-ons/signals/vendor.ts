/** The names of a vendor's signals, and whether each is granted. */
export type Signals = Readonly<Record<string, boolean>>;

/** How a vendor is notified of what is granted, by its documented API. */
export interface Vendor {
  /** The signals it distinguishes, in the vendor's own names; a single switch for everything is `consent`. */
  readonly signals: readonly string[];
  /**
   * Holds it back as long as there is no decision: called once, first, whether its code is loaded or not. A vendor without
   * this function is sent a denial of everything.
   */
  readonly hold?: () => void;
  /**
   * Sends it what is granted.
   * @returns false if its code is not on the page yet: it is sent when the code loads. A promise may reject.
   */
  readonly send: (signals: Signals) => unknown;
}

/** What vendors leave on `window`: a function, often with the queue of what was called before their code came. */
export interface VendorFunction {
  (...args: readonly unknown[]): unknown;
  queue?: unknown;
}

/** What vendors leave on `window` as an object: its methods, or other objects with methods. */
export interface VendorObject {
  readonly [name: string]: unknown;
}

/** A list of commands that a vendor's code runs when it loads, and then replaces with its own object. */
export interface VendorQueue extends VendorObject {
  push(...commands: readonly unknown[]): unknown;
}

const page = (): Record<string, unknown> => window as unknown as Record<string, unknown>;

/** The function of that name on the page, or undefined: an element of that name is none. */
export function findFunction(name: string): VendorFunction | undefined {
  const found = page()[name];
  return typeof found === 'function' && !(found instanceof Element) ? (found as VendorFunction) : undefined;
}

/** The method of a vendor's object, bound to it, or undefined as long as there is none. */
export function findMethod(name: string, method: string, holder: unknown = page()[name]): VendorFunction | undefined {
  const found = (Object(holder) as VendorObject)[method];
  return typeof found === 'function' && !(holder instanceof Element) ? found.bind(holder) : undefined;
}

/** The vendor's queue of that name, made if there is nothing yet, as the vendor's own tag would make it. */
export function takeQueue(name: string): VendorQueue {
  const found = page()[name];
  if (found === undefined || found instanceof Element) page()[name] = [];
  return page()[name] as VendorQueue;
}

/** Puts a command before all that the page has called already, or after it where the vendor's code is loaded. */
export function putFirst(queue: VendorQueue, ...command: readonly unknown[]): void {
  if (Array.isArray(queue)) queue.unshift(...command);
  else queue.push(...command);
}

/**
 * Calls a vendor's function; a denial also before all calls in its queue, because the vendor's tag may have called already what
 * needs consent.
 * @returns false if there is no such function.
 */
export function callFunction(name: string, args: readonly unknown[], isDenial: boolean): unknown {
  const call = findFunction(name);
  if (!call) return false;
  if (isDenial && Array.isArray(call.queue)) call.queue.unshift(args);
  return call(...args);
}
