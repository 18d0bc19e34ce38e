import { reportProblem } from '../../report-problem.ts';
import { type LoadedList, loadVendorList } from './load-vendor-list.ts';
import { checkOptions, type TcfOptions } from './settings.ts';
import { readStub } from './take-over.ts';
import { TcfApi } from './tcf-api.ts';
import { TcfSession } from './tcf-session.ts';
import { SvcConsentVendorsElement, VENDORS_TAG } from './vendors-element.ts';

/**
 * Makes the page speak IAB Europe's Transparency and Consent Framework: `window.__tcfapi`, the line about the partners in the
 * banner, and the vendors' layer behind it. Once on a page; without a DOM (on a server) it does nothing. Options that cannot
 * be used are logged, and no TC string is provided then. If another consent platform already answers `__tcfapi`, it is kept
 * and a warning is logged.
 */
export function startTcf(options: TcfOptions): void {
  if (!globalThis.document || customElements.get(VENDORS_TAG)) return;
  customElements.define(VENDORS_TAG, SvcConsentVendorsElement);
  const stub = readStub();
  if (!stub) {
    reportProblem(
      'TCF: another consent platform answers __tcfapi on this page. There can be one: remove it, or the tag of this add-on.',
    );
    return;
  }
  const settings = checkOptions(options);
  let session: TcfSession | undefined;
  let loading: Promise<LoadedList | null> | undefined;
  const api = new TcfApi(settings, () => {
    if (session) return session.loadList();
    loading ??= settings ? loadVendorList(settings) : Promise.resolve(null);
    return loading;
  });
  if (settings?.gdprApplies) session = new TcfSession(settings, api);
  // What waited in the stub may need the session.
  api.publish(stub);
  session?.start();
}
