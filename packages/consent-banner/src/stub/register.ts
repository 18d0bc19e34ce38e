import { joinPage, SvcConsentElement } from './consent-element.ts';
import { createPageConsent, type PageOptions } from './page-consent.ts';
import { publishApi } from './publish-api.ts';

/** Defines the element and `window.SvcConsent`, both together and once. Without a DOM (on a server) it does nothing. */
export function registerSvcConsent(options: PageOptions): void {
  if (!globalThis.document || customElements.get('svc-consent')) return;
  const page = createPageConsent(options);
  joinPage(page);
  // First the global: elements that are on the page already start, and dispatch, while they are being defined.
  publishApi(page.api);
  customElements.define('svc-consent', SvcConsentElement);
}
