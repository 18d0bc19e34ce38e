import { callFunction, findMethod, type Signals, takeQueue, type Vendor } from './vendor.ts';

/** Shopify's Customer Privacy API: https://shopify.dev/docs/api/customer-privacy */
export const shopify: Vendor = {
  signals: ['analytics', 'marketing', 'preferences', 'sale_of_data'],
  tell: (signals) => {
    if (setTrackingConsent(signals)) return;
    const load = findMethod('Shopify', 'loadFeatures');
    if (!load) return false;
    // Shopify loads them in the order of the calls: the last decision is the last that is told.
    load([{ name: 'consent-tracking-api', version: '0.1' }], (error: unknown) => error || setTrackingConsent(signals));
  },
};

function setTrackingConsent(signals: Signals): boolean {
  const { Shopify } = window as { readonly Shopify?: { readonly customerPrivacy?: unknown } };
  const call = findMethod('Shopify', 'setTrackingConsent', Shopify?.customerPrivacy);
  call?.({ ...signals }, () => {});
  return call !== undefined;
}

/** HubSpot: https://developers.hubspot.com/docs/api-reference/latest/account/settings/consent-banner/consent-banner-api */
export const hubspot: Vendor = {
  signals: ['analytics', 'advertisement', 'functionality'],
  tell: (signals) => takeQueue('_hsp').push(['setHubSpotConsent', { ...signals }]),
};

/**
 * Adobe Experience Platform Web SDK: https://experienceleague.adobe.com/en/docs/experience-platform/collection/js/commands/setconsent.
 * Being told "out" it writes a cookie, so it is held back by its own setting, `defaultConsent: "pending"`.
 */
export const adobe: Vendor = {
  signals: ['consent'],
  hold: () => {},
  tell: ({ consent }) => {
    const value = { general: consent ? 'in' : 'out' };
    return callFunction('alloy', ['setConsent', { consent: [{ standard: 'Adobe', version: '1.0', value }] }], false);
  },
};

/** Zendesk's Web Widget (messaging): https://developer.zendesk.com/api-reference/widget-messaging/web/core/#set-cookies */
export const zendesk: Vendor = {
  signals: ['consent'],
  tell: ({ consent }) => callFunction('zE', ['messenger:set', 'cookies', consent ? 'all' : 'none'], false),
};
