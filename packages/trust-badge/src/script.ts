// The entry of the script tag: it registers the element and defines only the global `mountSvcTrustBadge`.
import { mountSvcTrustBadge } from './index.ts';

Object.defineProperty(window, 'mountSvcTrustBadge', {
  value: Object.freeze(mountSvcTrustBadge),
  configurable: true,
  enumerable: true,
});
