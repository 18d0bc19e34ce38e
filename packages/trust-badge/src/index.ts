import type { mountSvcTrustBadge } from './mount.ts';
import { registerSvcTrustBadge } from './register.ts';
import type { SvcTrustBadgeElement } from './trust-badge.ts';

export type { Position, Radius, Size, Theme, Variant } from './choices.ts';
export { mountSvcTrustBadge, type TrustBadgeOptions } from './mount.ts';
export { SvcTrustBadgeElement } from './trust-badge.ts';

declare global {
  interface Window {
    /** Set by the script tag; the module exports it instead. */
    readonly mountSvcTrustBadge: typeof mountSvcTrustBadge;
  }
  interface HTMLElementTagNameMap {
    'svc-trust-badge': SvcTrustBadgeElement;
  }
}

registerSvcTrustBadge();
