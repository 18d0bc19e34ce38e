import type { mountSvcTrustBadge } from './mount.ts';
import { SvcTrustBadgeElement, shieldKeys } from './trust-badge.ts';

export type { Position, Radius, Size, Theme, Variant } from './attributes.ts';
export { mountSvcTrustBadge, type TrustBadgeOptions } from './mount.ts';
export { SvcTrustBadgeElement };

declare global {
  interface Window {
    /** Set by the script tag; the module exports it instead. */
    readonly mountSvcTrustBadge: typeof mountSvcTrustBadge;
  }
  interface HTMLElementTagNameMap {
    'svc-trust-badge': SvcTrustBadgeElement;
  }
}

// Once, and only with a DOM: not on a server.
if (globalThis.document && !customElements.get('svc-trust-badge')) {
  customElements.define('svc-trust-badge', SvcTrustBadgeElement);
  shieldKeys();
}
