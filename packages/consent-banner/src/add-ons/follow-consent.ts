import { attempt } from '../stub/attempt.ts';
import type { ConsentState, DecisionListener, SvcConsent } from '../stub/consent-state.ts';

const EVENT = 'svc-consent';

/**
 * Calls back on each decision, at once if there is one already. The tag of an add-on may stand before or after the
 * banner's own, so it listens to the document. The event is but a bell, for anybody can dispatch one of that name: what is
 * decided says `window.SvcConsent`, which is there before the banner dispatches anything.
 * @param onUndecided called when a decision counts no more, for the page now asks about another notice.
 * @returns the way to unsubscribe.
 */
export function followConsent(listener: DecisionListener, onUndecided?: () => void): () => void {
  let told: ConsentState | null = null;
  const hear = (): void => {
    const state = findSvcConsent()?.get();
    // Each decision is an object of its own. What has no purposes is none.
    if (!state || state === told || typeof state.purposes !== 'object' || state.purposes === null) return;
    told = state;
    listener(state);
  };
  // The banner dispatches no event then: the page changed an attribute, or put another element in its place.
  const observer = new MutationObserver(() => {
    if (!told || findSvcConsent()?.get() !== null) return;
    told = null;
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

/** What the page's banner, or an interface of its own, has put on `window`; an image of that name is none. */
export function findSvcConsent(): SvcConsent | undefined {
  const found = attempt(() => (window as { SvcConsent?: SvcConsent }).SvcConsent);
  return typeof found?.get === 'function' ? found : undefined;
}
