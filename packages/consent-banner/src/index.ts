import type { SvcConsentElement } from './consent-banner.ts';
import type { ConsentState, SvcConsent } from './consent-state.ts';
import { registerSvcConsent } from './register.ts';

export { SvcConsentElement } from './consent-banner.ts';
export type { ConsentState, DecisionListener, SvcConsent } from './consent-state.ts';

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

registerSvcConsent();
