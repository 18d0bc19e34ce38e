// The entry of the script tag. It defines only the global `SvcConsent`.
import { shared } from './shared.ts';
import { currentScript } from './state/current-script.ts';
import { loadScript } from './state/load-script.ts';
import type { Page } from './state/page.ts';
import { registerSvcConsent } from './state/register.ts';

/** Set by the build. */
declare const SVC_PANEL_INTEGRITY: string;

const script = currentScript();

registerSvcConsent({
  script,
  source: script?.src ?? '',
  loadFurther: () => loadScript<(page: Page) => void>(script, 'panel', SVC_PANEL_INTEGRITY, shared),
});
