// The entry of the script tag. It defines only the global `SvcConsent`.
import { shared } from './shared.ts';
import { loadScript, script } from './state/load-script.ts';
import type { Page } from './state/page.ts';
import { registerSvcConsent } from './state/register.ts';

/** Set by the build. */
declare const SVC_INTEGRITY: Readonly<Record<'content' | 'panel', string>>;

registerSvcConsent({
  script,
  source: script?.src ?? '',
  loadContent: (address) => loadScript('content', SVC_INTEGRITY.content, shared, address),
  loadFurther: (address) => loadScript<(page: Page) => void>('panel', SVC_INTEGRITY.panel, shared, address),
});
