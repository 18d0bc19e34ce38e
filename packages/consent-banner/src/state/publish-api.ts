import type { ConsentPage } from './consent-page.ts';
import type { SvcConsent } from './consent-state.ts';

/** Sets `SvcConsent` on the window: read-only, so that no script of the page overwrites it by accident. */
export function publishApi(value: SvcConsent): void {
  Object.defineProperty(window, 'SvcConsent', { value, configurable: true });
}

/** Gives the page to the add-ons, which need to know what is allowed before a decision. */
export function publishPage(value: ConsentPage): void {
  Object.defineProperty(window, Symbol.for('svc-consent'), { value, configurable: true });
  dispatchEvent.call(document, new Event('svc-consent-page'));
}
