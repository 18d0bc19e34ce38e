// The entry of the script tag: it registers the element and leaves no name behind but `mountSvcTrustBadge`.
import { mountSvcTrustBadge } from './index.ts';

Object.defineProperty(window, 'mountSvcTrustBadge', {
  value: Object.freeze(mountSvcTrustBadge),
  configurable: true,
  enumerable: true,
});
