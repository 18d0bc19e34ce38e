import { registerSvcConsent, type SvcConsentElement } from './page/consent-element.ts';
import type { ConsentState, SvcConsent } from './page/consent-page.ts';
import type { SvcCookieListElement } from './panel/cookie-list.ts';
import type { Parts } from './parts.ts';
import type { SvcPrivacyChoicesElement } from './privacy-choices/privacy-choices-element.ts';

export { SvcConsentElement } from './page/consent-element.ts';
export type { ConsentState, DecisionListener, SvcConsent } from './page/consent-page.ts';
export type { SvcCookieListElement } from './panel/cookie-list.ts';
export { SvcPrivacyChoicesElement } from './privacy-choices/privacy-choices-element.ts';

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
  extras: async () => (await import('./extras.ts')).mountExtras,
  placeholders: async () => (await import('./panel/cover-frames.ts')).coverFrames,
};

registerSvcConsent({
  script: null,
  loadContent: async () => (await import('./held-content/mount-content.ts')).mountContent,
  source: /^http/.test(import.meta.url) ? import.meta.url : '',
  loadFurther: async () => {
    const { mountFurther } = await import('./further.ts');
    return (page) => mountFurther(page, parts);
  },
});
