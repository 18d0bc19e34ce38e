import { isOptOut } from '../../decision/grants.ts';
import type { Purposes } from '../../decision/stored-decision.ts';
import { attempt } from '../../page/browser.ts';
import type { PageView } from '../../page/consent-page.ts';
import { followConsent } from '../follow-consent.ts';
import { nameCookie, readCookies } from './list-findings.ts';

/** Known writers of cookies, as long as `document.cookie` is watched. */
export interface CookieWatch {
  /** Name of the cookie to the address of the script. */
  readonly writers: ReadonlyMap<string, string>;
  stop(): void;
}

/**
 * Watches `document.cookie`, whose setter it replaces until it is stopped. The script is the caller's address in the stack,
 * which is all that a browser reveals; cookies of servers, frames and the Cookie Store have none.
 */
export function watchCookies(onWrite: () => void): CookieWatch {
  const writers = new Map<string, string>();
  const native = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
  const { set } = native ?? {};
  if (!native || !set || !native.configurable) return { writers, stop: () => {} };
  const watching = {
    ...native,
    set(this: Document, cookie: string): void {
      const name = nameCookie(String(cookie));
      const wasThere = readCookies().includes(name);
      set.call(this, cookie);
      const caller = readCaller(new Error().stack);
      // Not who changes one that was there, or deletes it.
      if (caller && !wasThere && readCookies().includes(name)) writers.set(name, caller);
      onWrite();
    },
  };
  Object.defineProperty(Document.prototype, 'cookie', watching);
  return {
    writers,
    stop() {
      // If another script has replaced it since, that stays.
      if (Object.getOwnPropertyDescriptor(Document.prototype, 'cookie')?.set === watching.set)
        Object.defineProperty(Document.prototype, 'cookie', native);
    },
  };
}

/** The second address of a stack, without query: the first is this file. */
function readCaller(stack = ''): string | undefined {
  const addresses = stack.split('\n').flatMap((line) => /https?:\/\/[^\s?#)]+/.exec(line) ?? []);
  return addresses[1]?.replace(/(:\d+){1,2}$/, '');
}

/**
 * Watches for scripts that take the focus from a layer that stays open, as the focus trap of a dialog does.
 * @param report called with the problem and its solution.
 * @returns a function that stops watching.
 */
export function watchFocus(report: (problem: string) => void): () => void {
  const listen = (event: FocusEvent): void => {
    const { relatedTarget } = event;
    const from = event.composedPath()[0];
    if (!(from instanceof Element && relatedTarget instanceof Element)) return;
    const { host } = from.getRootNode() as Partial<ShadowRoot>;
    // A layer that closes returns the focus.
    const isOpen = from.closest('.layer')?.matches(':modal,:popover-open');
    if (!isOpen || host?.localName !== 'svc-consent' || host.contains(relatedTarget)) return;
    // After a key or click of the visitor there is only this function on the stack.
    if ((new Error().stack?.match(/:\d+:\d+/g)?.length ?? 0) < 2) return;
    report(
      `A script moves the focus from the banner to <${relatedTarget.localName}>. Exclude <svc-consent> from its focus trap.`,
    );
  };
  // The banner stops the other events of the focus.
  addEventListener('focusout', listen, true);
  return () => removeEventListener('focusout', listen, true);
}

interface Decided {
  /** In milliseconds from the beginning of the page; before everything for what is on by its basis. */
  readonly at: number;
  readonly purposes: Purposes;
}

/** Grants and when they were made, as far as the page knows. */
export class DecisionHistory {
  readonly #decided: Decided[] = [];
  readonly stop: () => void;

  constructor(onChange: () => void) {
    let latest: PageView['state'] = null;
    this.stop = followConsent(({ state, notice, region, allowed }) => {
      if (state && state !== latest) this.#decided.push({ at: readMoment(), purposes: state.purposes });
      else if (!this.#decided[0] && notice && isOptOut(notice.purposes, region))
        this.#decided.push({ at: -Infinity, purposes: allowed });
      else return;
      latest = state;
      onChange();
    });
  }

  /** When the visitor decided first; null before. */
  get decidedAt(): number | null {
    return this.#decided.find(({ at }) => at !== -Infinity)?.at ?? null;
  }

  /** Grants now; null before a decision. */
  get current(): Purposes | null {
    return this.#decided.at(-1)?.purposes ?? null;
  }

  /** Returns the grants at a moment; null before a decision. */
  readAt(moment: number): Purposes | null {
    return this.#decided.findLast(({ at }) => at <= moment)?.purposes ?? null;
  }
}

/** When the newest of the stored decisions was made: the page may hear of it only now. */
function readMoment(): number {
  const keys = attempt(() => Object.keys(localStorage)) ?? [];
  const moments = keys
    .filter((key) => /^svc-consent:[^:]+$/.test(key))
    .map((key) => attempt(() => Date.parse(JSON.parse(localStorage[key]).decidedAt) - performance.timeOrigin) ?? NaN)
    .filter(Number.isFinite);
  // The clock of the wall may have been set since: no decision was made after it was heard of.
  return Math.min(performance.now(), moments.length ? Math.max(...moments) : Infinity);
}
