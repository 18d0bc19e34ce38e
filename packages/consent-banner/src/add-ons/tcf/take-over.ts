import { attempt } from '../../stub/attempt.ts';

/** The one global that the TCF prescribes. */
export type TcfApiFunction = (command?: unknown, version?: unknown, callback?: unknown, parameter?: unknown) => unknown;

export const NAME = '__tcfapi';

/** What a stub on the page has kept for us. */
export interface StubRemains {
  /** The calls that wait, in their order. */
  readonly queue: readonly (readonly unknown[])[];
  /** Whether it answers the messages of frames already. */
  readonly hasBridge: boolean;
}

/**
 * What was there as `__tcfapi` before us: by the answer to its `ping`, a stub has the status `stub` or none ("CMP API v2",
 * section "PingReturn").
 * @returns null where that is no stub but a whole consent platform: there must be one only.
 */
export function readStub(): StubRemains | null {
  const other = (window as { [NAME]?: TcfApiFunction })[NAME];
  if (typeof other !== 'function') return { queue: [], hasBridge: false };
  let told: unknown;
  attempt(() =>
    other('ping', 2, (answer: unknown) => {
      told = answer;
    }),
  );
  const { cmpStatus = 'stub', cmpLoaded } = Object(told) as {
    readonly cmpStatus?: unknown;
    readonly cmpLoaded?: unknown;
  };
  if (cmpStatus !== 'stub' || cmpLoaded === true) return null;
  const queue = attempt(() => other());
  return { queue: Array.isArray(queue) ? queue.filter(Array.isArray) : [], hasBridge: true };
}

/** Puts the API in the place of the stub. */
export function takePlace(answer: TcfApiFunction): void {
  Object.defineProperty(window, NAME, { value: answer, configurable: true, enumerable: true, writable: true });
}
