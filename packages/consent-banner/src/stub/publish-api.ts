import type { SvcConsent } from './consent-state.ts';

/** Puts `SvcConsent` on the window: read-only, lest a script of the page writes over it unawares, and whatever stood there. */
export function publishApi(value: SvcConsent): void {
  Object.defineProperty(window, 'SvcConsent', { value, configurable: true });
}
