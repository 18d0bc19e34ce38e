import type { ConsentPage } from './consent-page.ts';
import type { SvcConsent } from './consent-state.ts';

/** Sets `SvcConsent` on the window: read-only, so that no script of the page overwrites it by accident. */
export function publishApi(value: SvcConsent): void {
  publish('SvcConsent', value);
}

/** Gives the page to the add-ons, which need to know what is allowed before a decision. */
export function publishPage(value: ConsentPage): void {
  publish(Symbol.for('svc-consent'), value);
  dispatchEvent.call(document, new Event('svc-consent-page'));
}

function publish(name: string | symbol, value: unknown): void {
  // Without a prototype, because an inherited `get` would make the descriptor invalid.
  Object.defineProperty(window, name, { __proto__: null, value, configurable: true } as PropertyDescriptor);
}
