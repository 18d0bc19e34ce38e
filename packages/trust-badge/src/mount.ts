import { nameProperty } from './attribute-element.ts';
import { attributes } from './attributes.ts';
import type { Position, Radius, Size, Theme, Variant } from './choices.ts';
import type { SvcTrustBadgeElement } from './trust-badge.ts';

/** The attributes of the element, and where it goes. */
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
  /** Default: the body of the document. */
  readonly target?: Element | undefined;
}

/** Appends a badge to the target and returns it at once; its data comes later. */
export function mountSvcTrustBadge({ target = document.body, ...options }: TrustBadgeOptions): SvcTrustBadgeElement {
  if (target?.nodeType !== Node.ELEMENT_NODE) {
    throw new TypeError('mountSvcTrustBadge: target must be an element on the page');
  }
  const badge = document.createElement('svc-trust-badge');
  for (const attribute of attributes) {
    const name = nameProperty(attribute);
    Reflect.set(badge, name, Reflect.get(options, name));
  }
  return target.appendChild(badge);
}
