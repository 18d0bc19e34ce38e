// The entry of the script tag. It defines only the global `SvcConsent`.

import { registerSvcConsent } from './page/consent-element.ts';
import { loadScript, script } from './page/load-script.ts';
import type { Page } from './page/page.ts';
import { shared } from './shared.ts';

/** Set by the build. */
declare const SVC_INTEGRITY: Readonly<Record<'content' | 'panel', string>>;

registerSvcConsent({
  script,
  source: script?.src ?? '',
  loadContent: (address) => loadScript('content', SVC_INTEGRITY.content, shared, address),
  loadPanel: (address) => loadScript<(page: Page) => void>('panel', SVC_INTEGRITY.panel, shared, address),
});
