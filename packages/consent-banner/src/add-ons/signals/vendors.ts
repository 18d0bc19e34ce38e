import { meta, microsoftAds, pinterest, tiktok } from './advertising-vendors.ts';
import {
  amplitude,
  fullstory,
  matomo,
  matomoCookies,
  microsoftClarity,
  mixpanel,
  piano,
  posthog,
} from './analytics-vendors.ts';
import { adobe, hubspot, shopify, zendesk } from './platform-vendors.ts';
import type { Vendor } from './vendor.ts';

/** Every supported vendor, by its name in `data-signals`. */
export const vendors = {
  adobe,
  amplitude,
  fullstory,
  hubspot,
  matomo,
  'matomo-cookies': matomoCookies,
  meta,
  'microsoft-ads': microsoftAds,
  'microsoft-clarity': microsoftClarity,
  mixpanel,
  piano,
  pinterest,
  posthog,
  shopify,
  tiktok,
  zendesk,
} as const satisfies Readonly<Record<string, Vendor>>;

export type VendorName = keyof typeof vendors;

/** Whether a vendor has that name. */
export function isVendor(name: string): name is VendorName {
  return Object.hasOwn(vendors, name);
}
