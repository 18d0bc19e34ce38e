import { attempt } from '../stub/attempt.ts';
import type { ConsentState, DecisionListener, SvcConsent } from '../stub/consent-state.ts';

const EVENT = 'svc-consent';

/**
 * Calls back on each decision, at once if there is one already. The tag of an add-on may stand before or after the
 * banner's own, so it takes `window.SvcConsent` where that is there, and otherwise hears of the decision on the document.
 * @param onUndecided called when a decision counts no more, for the page now asks about another notice.
 * @returns the way to unsubscribe.
 */
export function followConsent(listener: DecisionListener, onUndecided?: () => void): () => void {
  let isDecided = false;
  const hear = (state: ConsentState | null | undefined): void => {
    // Anybody can dispatch an event of this name; what has no purposes is no decision.
    if (typeof state?.purposes !== 'object' || state.purposes === null) return;
    isDecided = true;
    listener(state);
  };
  const tell = ({ detail }: Event & { readonly detail?: ConsentState }): void => hear(detail);
  // The banner dispatches no event then: the page changed an attribute, or put another element in its place.
  const observer = new MutationObserver(() => {
    if (!isDecided || readConsent() !== null) return;
    isDecided = false;
    onUndecided?.();
  });
  addEventListener.call(document, EVENT, tell);
  if (onUndecided)
    observer.observe(document, { subtree: true, childList: true, attributeFilter: ['notice-id', 'api-base'] });
  hear(readConsent());
  return () => {
    removeEventListener.call(document, EVENT, tell);
    observer.disconnect();
  };
}

/** The decision in force, null without one, undefined without the banner; an image of its name answers nothing. */
function readConsent(): ConsentState | null | undefined {
  return attempt(() => (window as { SvcConsent?: SvcConsent }).SvcConsent?.get());
}
