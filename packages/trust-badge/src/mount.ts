import { nameProperty } from './attribute-element.ts';
import { attributes, type Position, type Radius, type Size, type Theme, type Variant } from './attributes.ts';
import type { SvcTrustBadgeElement } from './trust-badge.ts';

/** The attributes of the element, and its parent. */
export interface TrustBadgeOptions {
  readonly tenant: string;
  readonly apiBase?: string | undefined;
  readonly variant?: Variant | undefined;
  readonly theme?: Theme | undefined;
  readonly accent?: string | undefined;
  readonly radius?: Radius | undefined;
  readonly size?: Size | undefined;
  readonly position?: Position | undefined;
  readonly showFrameworks?: boolean | undefined;
  readonly showUpdated?: boolean | undefined;
  readonly showPoweredBy?: boolean | undefined;
  readonly locale?: string | undefined;
  readonly trustUrl?: string | undefined;
  /** Default: the body of the document. Null, the result of a failed lookup, is rejected. */
  readonly target?: Element | null | undefined;
}

/** Appends a badge to the target and returns it immediately; its data follows. */
export function mountSvcTrustBadge(options: TrustBadgeOptions): SvcTrustBadgeElement {
  const { tenant, target = document.body } = options ?? {};
  if (tenant == null || target?.ownerDocument !== document) {
    throw new TypeError('mountSvcTrustBadge: no tenant, no target element in this document, or no body yet');
  }
  const badge = document.createElement('svc-trust-badge');
  for (const attribute of attributes) {
    const name = nameProperty(attribute) as 'tenant';
    badge[name] = options[name];
  }
  return target.appendChild(badge);
}
