import { attempt } from '../stub/attempt.ts';
import type { ConsentState, DecisionListener, SvcConsent } from '../stub/consent-state.ts';

const EVENT = 'svc-consent';

/**
 * Calls back on each decision, immediately if there already is one. The tag of an add-on may come before or after the
 * banner's own, so it listens on the document. The event is only a trigger, because any script can dispatch it: the decision
 * is read from `window.SvcConsent`, which is set before the banner dispatches anything.
 * @param onUndecided called when a decision no longer counts, because the page now asks about another notice.
 * @returns a function that unsubscribes.
 */
export function followConsent(listener: DecisionListener, onUndecided?: () => void): () => void {
  let reported: ConsentState | null = null;
  const hear = (): void => {
    const state = findSvcConsent()?.get();
    // Each decision is a new object. Without purposes it is not a decision.
    if (!state || state === reported || typeof state.purposes !== 'object' || state.purposes === null) return;
    reported = state;
    listener(state);
  };
  // The banner dispatches no event then: the page changed an attribute, or replaced the element.
  const observer = new MutationObserver(() => {
    if (!reported || findSvcConsent()?.get() !== null) return;
    reported = null;
    onUndecided?.();
  });
  addEventListener.call(document, EVENT, hear);
  if (onUndecided)
    observer.observe(document, { subtree: true, childList: true, attributeFilter: ['notice-id', 'api-base'] });
  hear();
  return () => {
    removeEventListener.call(document, EVENT, hear);
    observer.disconnect();
  };
}

/** What the page's banner, or its own interface, has set on `window`; an image of that name does not count. */
export function findSvcConsent(): SvcConsent | undefined {
  const found = attempt(() => (window as { SvcConsent?: SvcConsent }).SvcConsent);
  return typeof found?.get === 'function' ? found : undefined;
}
