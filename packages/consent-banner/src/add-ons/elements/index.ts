import type { SvcConsentViewElement } from './consent-view-element.ts';

export type { ConsentState, SvcConsent } from '../../index.ts';
export { SvcConsentViewElement } from './consent-view-element.ts';
export { type ConsentViewOptions, defineConsentView } from './define-consent-view.ts';

declare global {
  interface HTMLElementTagNameMap {
    'svc-consent-view': SvcConsentViewElement;
  }
}
