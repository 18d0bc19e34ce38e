import { checkOptions, type TcfOptions } from './settings.ts';
import { TcfApi } from './tcf-api.ts';
import { TcfSession } from './tcf-session.ts';
import { SvcConsentVendorsElement, VENDORS_TAG } from './vendors-element.ts';

/**
 * Makes the page speak IAB Europe's Transparency and Consent Framework: `window.__tcfapi`, the line about the partners in the
 * banner, and the vendors' layer behind it. Once on a page; without a DOM (on a server) it does nothing. Options that cannot
 * be used are told in the console, and no TC string is given out then.
 */
export function startTcf(options: TcfOptions): void {
  if (!globalThis.document || customElements.get(VENDORS_TAG)) return;
  customElements.define(VENDORS_TAG, SvcConsentVendorsElement);
  const settings = checkOptions(options);
  let session: TcfSession | undefined;
  const api = new TcfApi(settings, () => session?.loadList());
  if (!settings?.gdprApplies) return;
  session = new TcfSession(settings, api);
  session.start();
}
