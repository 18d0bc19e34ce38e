import type { Purposes } from '../../decision/stored-decision.ts';
import { type Mapped, readMapping } from '../../page/attributes.ts';
import { reportProblem, toJson } from '../../page/browser.ts';
import type { PageView } from '../../page/consent-page.ts';
import { followConsent, reportInvalidMapping, reportUnknownPurposes } from '../follow-consent.ts';
import { isVendor, type Signals, type Vendor, type VendorName, vendors } from './vendors.ts';

export type { VendorName } from './vendors.ts';

export interface SignalOptions {
  /** Purposes to vendors, as `data-signals` has them: `statistics: matomo; marketing: meta tiktok`. */
  readonly signals: string | null | undefined;
}

/** How often one decision is sent to a vendor that fails: a busy page must not call a broken one forever. */
const MOST_FAILURES = 5;

/** Message that was last sent to a vendor, in one call. */
interface Message {
  /** The signals as JSON; empty if the call failed, because its effect is unknown. */
  readonly text: string;
}

/**
 * Notifies vendors of what is granted, by their own consent APIs: immediately that nothing is, then each decision. On a server
 * it does nothing. Invalid settings are logged, and grant nothing.
 * @returns a function that stops it; what was last sent stays in force.
 */
export function sendConsentSignals({ signals }: SignalOptions): () => void {
  if (!globalThis.document) return () => {};
  const mapping = readMapping(signals);
  const names = new Set(mapping.flatMap(([, name]) => findVendor(name) ?? reportVendor(name)));
  const sent = new Map<VendorName, Message>();
  const blocked = new Set<VendorName>();
  const failures = new Map<VendorName, number>();
  let isStopped = false;
  let purposes: Purposes | null = null;
  reportInvalidMapping('data-signals', signals, 'statistics: matomo');

  /** Sends what has changed. A vendor that is not loaded yet receives it before its code can run: see `watch`. */
  function notifyVendors(): void {
    let isWaiting = false;
    for (const name of names) isWaiting = !notifyVendor(name) || isWaiting;
    watch(isWaiting);
  }

  /** @returns whether the vendor is up to date, or given up. */
  function notifyVendor(name: VendorName): boolean {
    const { send }: Vendor = vendors[name];
    if (blocked.has(name) && !purposes && !sent.has(name)) return true;
    const granted = decideSignals(name, mapping, purposes ?? {});
    const message: Message = { text: toJson(granted) };
    const before = sent.get(name);
    if (before?.text === message.text || Number(failures.get(name)) >= MOST_FAILURES) return true;
    sent.set(name, message);
    const answer = callVendor(
      name,
      () => send(granted),
      () => {
        failures.set(name, (failures.get(name) ?? 0) + 1);
        if (sent.get(name) !== message) return;
        sent.set(name, { text: '' });
        watch(true);
      },
    );
    if (answer === false) {
      if (before) sent.set(name, before);
      else sent.delete(name);
    }
    return sent.get(name) === message;
  }

  function block(name: VendorName): void {
    const { block: call }: Vendor = vendors[name];
    if (!call) return;
    blocked.add(name);
    callVendor(name, call, () => blocked.delete(name));
  }

  /** The tag of a vendor adds the script of its code to the page, which is observed before the code runs. */
  function watch(isWanted: boolean): void {
    const isWaiting = isWanted && !isStopped;
    observer.disconnect();
    if (isWaiting) observer.observe(document, { childList: true, subtree: true });
    for (const [target, isCaptured] of [[document, true] as const, [window, false] as const]) {
      const change = isWaiting ? addEventListener : removeEventListener;
      change.call(target, 'load', notifyVendors, isCaptured);
    }
  }

  const observer = new MutationObserver(notifyVendors);
  for (const name of names) block(name);
  let state: PageView['state'] = null;
  const stop = followConsent((view) => {
    // Before a decision a vendor is notified only of what is on by its basis: otherwise it is blocked.
    const isKnown = view.state !== null || Object.values(view.allowed).includes(true);
    purposes = isKnown ? view.allowed : null;
    if (view.state && view.state !== state) {
      failures.clear();
      reportUnknownPurposes('data-signals', mapping, view.allowed);
    }
    state = view.state;
    notifyVendors();
  });
  notifyVendors();
  return () => {
    isStopped = true;
    stop();
    watch(false);
  };
}

/** An exception or a rejection is logged, and does not stop the other vendors. */
function callVendor(name: VendorName, call: () => unknown, onFailure: () => void): unknown {
  const fail = (cause: unknown): void => {
    reportProblem(`data-signals: ${name} could not be notified (${cause}).`);
    onFailure();
  };
  try {
    const answer = call();
    // Another script may have replaced the promise.
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

/**
 * Returns the signals to send to a vendor. The name of a vendor means all its signals, `vendor.signal` one of them. A signal
 * that several purposes name needs all of them; one that none names is denied.
 */
function decideSignals(vendor: VendorName, mapping: readonly Mapped[], purposes: Purposes): Signals {
  const decided = vendors[vendor].signals.map((signal) => {
    const pairs = mapping.filter(([, name]) => name === vendor || name === `${vendor}.${signal}`);
    return [signal, pairs.length > 0 && pairs.every(([key]) => purposes[key] === true)];
  });
  return Object.fromEntries(decided);
}

/** The vendor that a name of the mapping refers to; undefined for an unknown vendor or signal. */
function findVendor(name: string): VendorName | undefined {
  const [vendor = '', signal] = name.split(/\.(.*)/s);
  if (!isVendor(vendor)) return undefined;
  const signals: readonly string[] = vendors[vendor].signals;
  return signal === undefined || signals.includes(signal) ? vendor : undefined;
}
