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

const GRAMMAR = /^(\s*[^\s:;]+\s*:\s*[^\s:;][^:;]*(;\s*|$))+$/;

/**
 * Tells vendors by their own consent APIs what is granted: at once that nothing is, then each decision. On a server it
 * does nothing. What it does not understand it tells on the console, and grants nothing for it.
 * @returns the way to stop it; what was told last stays.
 */
export function sendConsentSignals({ signals }: SignalOptions): () => void {
  if (!globalThis.document) return () => {};
  const mapping = readMapping(signals);
  const names = new Set(mapping.flatMap(([, name]) => findVendor(name) ?? reportVendor(name)));
  const told = new Map<VendorName, string>();
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

  function tellVendor(name: VendorName): boolean {
    const { hold, tell }: Vendor = vendors[name];
    if (hold && !purposes && !told.has(name)) return true;
    const granted = decideSignals(name, mapping, purposes ?? {});
    const text = JSON.stringify(granted);
    if (told.get(name) === text) return true;
    if (callVendor(name, () => tell(granted)) === false) return false;
    told.set(name, text);
    return true;
  }

  /** The tag of a vendor adds the script of its code to the page: that is seen before the code is there. */
  function watch(isWaiting: boolean): void {
    observer.disconnect();
    if (isWaiting) observer.observe(document, { childList: true, subtree: true });
    for (const [target, isCaptured] of [[document, true] as const, [window, false] as const]) {
      const change = isWaiting ? addEventListener : removeEventListener;
      change.call(target, 'load', tellVendors, isCaptured);
    }
  }

  const observer = new MutationObserver(tellVendors);
  for (const name of names) callVendor(name, () => (vendors[name] as Vendor).hold?.());
  const stop = followConsent(
    (state) => {
      purposes = state.purposes;
      reportUnknownPurposes('data-signals', mapping, purposes);
      tellVendors();
    },
    () => {
      purposes = null;
      tellVendors();
    },
  );
  tellVendors();
  return () => {
    stop();
    watch(false);
  };
}

/** What throws or rejects is told, and stops no other vendor. */
function callVendor(name: VendorName, call: () => unknown): unknown {
  const report = (cause: unknown): void => reportProblem(`data-signals: ${name} could not be told (${cause}).`);
  try {
    const answer = call();
    // The promise of another script may be of its own making.
    if (typeof (answer as { then?: unknown } | null | undefined)?.then === 'function')
      Promise.resolve(answer).catch(report);
    return answer;
  } catch (cause) {
    report(cause);
    return undefined;
  }
}

function reportVendor(name: string): readonly VendorName[] {
  reportProblem(`data-signals: there is no ${name}. There are ${Object.keys(vendors).join(', ')}.`);
  return [];
}
