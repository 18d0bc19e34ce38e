import { SvcConsentElement } from './consent-banner.ts';
import type { SvcConsent } from './consent-state.ts';
import { pageConsent } from './page-consent.ts';

const TAG = 'svc-consent';

/** Defines the element and `window.SvcConsent`, both together and once. Without a DOM (on a server) it does nothing. */
export function registerSvcConsent(): void {
  if (typeof document === 'undefined' || customElements.get(TAG)) return;
  const api: SvcConsent = {
    get: () => pageConsent.get(),
    onDecision: (listener) => pageConsent.onDecision(listener),
    open: () => pageConsent.open(),
  };
  // First the global: elements that are on the page already start, and dispatch, while they are being defined.
  Object.defineProperty(window, 'SvcConsent', { value: Object.freeze(api), configurable: true, enumerable: true });
  customElements.define(TAG, SvcConsentElement);
}
