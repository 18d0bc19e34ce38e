import { mountFirstLayer } from '../first-layer/mount-first-layer.ts';
import { joinPage, SvcConsentElement } from './consent-element.ts';
import { Page, type PageOptions } from './page.ts';
import { publishApi, publishPage } from './publish-api.ts';

/** Defines the element and `window.SvcConsent`, both together and once. Without a DOM (on a server) it does nothing. */
export function registerSvcConsent(options: PageOptions): void {
  if (!globalThis.document || customElements.get('svc-consent')) return;
  const page = new Page(options);
  joinPage(page);
  mountFirstLayer(page);
  // First the global: elements that are on the page already start, and dispatch, while they are being defined.
  publishApi(page.api);
  publishPage(page);
  customElements.define('svc-consent', SvcConsentElement);
}
