import { SvcTrustBadgeElement } from './trust-badge.ts';

/** Defines the element, once. Without a DOM (on a server) it does nothing. */
export function registerSvcTrustBadge(): void {
  if (!globalThis.document || customElements.get('svc-trust-badge')) return;
  customElements.define('svc-trust-badge', SvcTrustBadgeElement);
}
