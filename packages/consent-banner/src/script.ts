// The entry of the script tag. It defines only the global `SvcConsent`.
import { shared } from './shared.ts';
import { loadScript, script } from './state/load-script.ts';
import type { Page } from './state/page.ts';
import { registerSvcConsent } from './state/register.ts';

/** Set by the build. */
declare const SVC_INTEGRITY: Readonly<Record<'panel', string>>;

registerSvcConsent({
  script,
  source: script?.src ?? '',
  loadFurther: () => loadScript<(page: Page) => void>('panel', SVC_INTEGRITY.panel, shared),
});
