import type { SvcCookieListElement } from './optional-elements/cookie-list.ts';
import type { Parts } from './optional-elements/load-elements.ts';
import type { SvcPrivacyChoicesElement } from './optional-elements/privacy-choices-element.ts';
import { registerSvcConsent, type SvcConsentElement } from './page/consent-element.ts';
import type { ConsentState, SvcConsent } from './page/consent-page.ts';

export type { SvcCookieListElement } from './optional-elements/cookie-list.ts';
export { SvcPrivacyChoicesElement } from './optional-elements/privacy-choices-element.ts';
export { SvcConsentElement } from './page/consent-element.ts';
export type { ConsentState, DecisionListener, SvcConsent } from './page/consent-page.ts';

declare global {
  interface Window {
    readonly SvcConsent: SvcConsent;
  }
  interface HTMLElementTagNameMap {
    'svc-consent': SvcConsentElement;
    'svc-cookie-list': SvcCookieListElement;
    'svc-privacy-choices': SvcPrivacyChoicesElement;
  }
  interface DocumentEventMap {
    'svc-consent': CustomEvent<ConsentState>;
  }
}

const parts: Parts = {
  details: async () => (await import('./panel/details.ts')).details,
  extras: async () => (await import('./optional-elements/optional-elements.ts')).mountExtras,
  placeholders: async () => (await import('./blocked-content/cover-frames.ts')).coverFrames,
};

registerSvcConsent({
  script: null,
  loadContent: async () => (await import('./blocked-content/blocked-tags.ts')).mountContent,
  source: /^http/.test(import.meta.url) ? import.meta.url : '',
  loadFurther: async () => {
    const { mountFurther } = await import('./panel/panel-script.ts');
    return (page) => mountFurther(page, parts);
  },
});
