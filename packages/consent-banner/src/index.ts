import type { SvcCookieListElement } from './optional-elements/cookie-list.ts';
import type { OptionalElements } from './optional-elements/load-elements.ts';
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

const optional: OptionalElements = {
  details: async () => (await import('./panel/details.ts')).details,
  elements: async () => (await import('./optional-elements/optional-elements.ts')).mountElements,
  placeholders: async () => (await import('./blocked-content/cover-frames.ts')).coverFrames,
};

registerSvcConsent({
  script: null,
  loadContent: async () => (await import('./blocked-content/blocked-tags.ts')).mountContent,
  source: /^http/.test(import.meta.url) ? import.meta.url : '',
  loadPanel: async () => {
    const { mountPanelScript } = await import('./panel/panel-script.ts');
    return (page) => mountPanelScript(page, optional);
  },
});
