import type { SvcConsentElement } from './stub/consent-element.ts';
import type { ConsentState, SvcConsent } from './stub/consent-state.ts';
import { registerSvcConsent } from './stub/register.ts';

export { SvcConsentElement } from './stub/consent-element.ts';
export type { ConsentState, DecisionListener, SvcConsent } from './stub/consent-state.ts';

declare global {
  interface Window {
    readonly SvcConsent: SvcConsent;
  }
  interface HTMLElementTagNameMap {
    'svc-consent': SvcConsentElement;
  }
  interface DocumentEventMap {
    'svc-consent': CustomEvent<ConsentState>;
  }
}

registerSvcConsent({
  script: null,
  source: /^http/.test(import.meta.url) ? import.meta.url : '',
  loadInterface: async () => {
    const [{ mountInterface }, { importWords }] = await Promise.all([
      import('./mount-interface.ts'),
      import('./import-words.ts'),
    ]);
    const loadPanel = async () => (await import('./mount-panel.ts')).mountPanel;
    return (actions) => mountInterface(actions, { loadLanguage: importWords, loadPanel });
  },
});
