import { reportProblem } from '../../report-problem.ts';
import { readMapping } from '../../stub/mapping.ts';
import type { Purposes } from '../../stub/stored-decision.ts';
import { followConsent } from '../follow-consent.ts';
import { reportUnknownPurposes } from '../report-purposes.ts';
import { decideSignals, findVendor } from './decide-signals.ts';
import type { Vendor } from './vendor.ts';
import { type VendorName, vendors } from './vendors.ts';

export interface SignalOptions {
  /** Purposes to vendors, as `data-signals` has them: `statistics: matomo; marketing: meta tiktok`. */
  readonly signals: string | null | undefined;
}

/** How often a vendor that fails is told one decision: a busy page must not call one that is broken for ever. */
const MOST_FAILURES = 5;

/** What a vendor was told last, in one call. */
interface Telling {
  /** The signals as JSON; empty where the call failed, and nobody knows what it has done. */
  readonly text: string;
}

const GRAMMAR = /^\s*[^\s:;]+\s*:\s*[^\s:;][^:;]*(;\s*[^\s:;]+\s*:\s*[^\s:;][^:;]*)*(;\s*)?$/;

/**
 * Tells vendors by their own consent APIs what is granted: at once that nothing is, then each decision. On a server it
 * does nothing. What it does not understand it tells on the console, and grants nothing for it.
 * @returns the way to stop it; what was told last stays.
 */
export function sendConsentSignals({ signals }: SignalOptions): () => void {
  if (!globalThis.document) return () => {};
  const mapping = readMapping(signals);
  const names = new Set(mapping.flatMap(([, name]) => findVendor(name) ?? reportVendor(name)));
  const told = new Map<VendorName, Telling>();
  const held = new Set<VendorName>();
  const failures = new Map<VendorName, number>();
  let isStopped = false;
  let purposes: Purposes | null = null;
  if (!GRAMMAR.test(signals ?? '')) {
    reportProblem(`data-signals="${signals ?? ''}" is not understood. It must be pairs such as "statistics: matomo".`);
  }

  /** Tells what has changed. Whoever is not there yet is told before its code can run: see `watch`. */
  function tellVendors(): void {
    let isWaiting = false;
    for (const name of names) isWaiting = !tellVendor(name) || isWaiting;
    watch(isWaiting);
  }

  /** @returns whether it knows what is granted, or is given up. */
  function tellVendor(name: VendorName): boolean {
    const { tell }: Vendor = vendors[name];
    if (held.has(name) && !purposes && !told.has(name)) return true;
    const granted = decideSignals(name, mapping, purposes ?? {});
    const telling: Telling = { text: JSON.stringify(granted) };
    const before = told.get(name);
    if (before?.text === telling.text || Number(failures.get(name)) >= MOST_FAILURES) return true;
    told.set(name, telling);
    const answer = callVendor(
      name,
      () => tell(granted),
      () => {
        failures.set(name, (failures.get(name) ?? 0) + 1);
        if (told.get(name) !== telling) return;
        told.set(name, { text: '' });
        watch(true);
      },
    );
    if (answer === false) {
      if (before) told.set(name, before);
      else told.delete(name);
    }
    return told.get(name) === telling;
  }

  function hold(name: VendorName): void {
    const { hold: call }: Vendor = vendors[name];
    if (!call) return;
    held.add(name);
    callVendor(name, call, () => held.delete(name));
  }

  /** The tag of a vendor adds the script of its code to the page: that is seen before the code is there. */
  function watch(isWanted: boolean): void {
    const isWaiting = isWanted && !isStopped;
    observer.disconnect();
    if (isWaiting) observer.observe(document, { childList: true, subtree: true });
    for (const [target, isCaptured] of [[document, true] as const, [window, false] as const]) {
      const change = isWaiting ? addEventListener : removeEventListener;
      change.call(target, 'load', tellVendors, isCaptured);
    }
  }

  const observer = new MutationObserver(tellVendors);
  for (const name of names) hold(name);
  const stop = followConsent(
    (state) => {
      purposes = state.purposes;
      failures.clear();
      reportUnknownPurposes('data-signals', mapping, purposes);
      tellVendors();
    },
    () => {
      purposes = null;
      failures.clear();
      tellVendors();
    },
  );
  tellVendors();
  return () => {
    isStopped = true;
    stop();
    watch(false);
  };
}

/** What throws or rejects is told, and stops no other vendor. */
function callVendor(name: VendorName, call: () => unknown, onFailure: () => void): unknown {
  const fail = (cause: unknown): void => {
    reportProblem(`data-signals: ${name} could not be told (${cause}).`);
    onFailure();
  };
  try {
    const answer = call();
    // The promise of another script may be of its own making.
    if (typeof (answer as { then?: unknown } | null | undefined)?.then === 'function')
      Promise.resolve(answer).catch(fail);
    return answer;
  } catch (cause) {
    fail(cause);
    return undefined;
  }
}

function reportVendor(name: string): readonly VendorName[] {
  reportProblem(`data-signals: there is no ${name}. There are ${Object.keys(vendors).join(', ')}.`);
  return [];
}
