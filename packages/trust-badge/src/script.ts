// The entry of the script tag: it registers the element and defines only the global `mountSvcTrustBadge`.
import { mountSvcTrustBadge } from './index.ts';

Object.defineProperty(window, 'mountSvcTrustBadge', {
  // Without a prototype, because an inherited `get` would make the descriptor invalid.
  __proto__: null,
  value: Object.freeze(mountSvcTrustBadge),
  configurable: true,
  enumerable: true,
} as PropertyDescriptor);
