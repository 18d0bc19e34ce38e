import { callFunction, findMethod, type Signals, takeQueue, type Vendor, type VendorFunction } from './vendor.ts';

/** What Shopify shall know: what waits for its code must not bring an older decision then. */
let latest: Signals = {};

/** Shopify's Customer Privacy API: https://shopify.dev/docs/api/customer-privacy */
export const shopify: Vendor = {
  signals: ['analytics', 'marketing', 'preferences', 'sale_of_data'],
  send: (signals) => {
    latest = signals;
    const call = findTrackingConsent();
    if (call) return setTrackingConsent(call);
    const load = findMethod('Shopify', 'loadFeatures');
    return load ? loadPrivacy(load).then(setTrackingConsent) : false;
  },
};

function findTrackingConsent(): VendorFunction | undefined {
  const { Shopify } = window as { readonly Shopify?: { readonly customerPrivacy?: unknown } };
  return findMethod('Shopify', 'setTrackingConsent', Object(Shopify).customerPrivacy);
}

function loadPrivacy(load: VendorFunction): Promise<VendorFunction> {
  return new Promise((done, fail) => {
    load([{ name: 'consent-tracking-api', version: '0.1' }], (error: unknown) => {
      const call = findTrackingConsent();
      if (error || !call) fail(error || 'there is no customerPrivacy');
      else done(call);
    });
  });
}

/** It calls back with an error, or with nothing. */
function setTrackingConsent(call: VendorFunction): Promise<void> {
  return new Promise((done, fail) => {
    call({ ...latest }, (answer: unknown) => {
      const { error } = Object(answer) as { readonly error?: unknown };
      if (error) fail(error);
      else done();
    });
  });
}

/** HubSpot: https://developers.hubspot.com/docs/api-reference/latest/account/settings/consent-banner/consent-banner-api */
export const hubspot: Vendor = {
  signals: ['analytics', 'advertisement', 'functionality'],
  send: (signals) => takeQueue('_hsp').push(['setHubSpotConsent', { ...signals }]),
};

/**
 * Adobe Experience Platform Web SDK: https://experienceleague.adobe.com/en/docs/experience-platform/collection/js/commands/setconsent.
 * When it receives "out" it writes a cookie, so it is held back by its own setting, `defaultConsent: "pending"`.
 */
export const adobe: Vendor = {
  signals: ['consent'],
  hold: () => {},
  send: ({ consent }) => {
    const value = { general: consent ? 'in' : 'out' };
    return callFunction('alloy', ['setConsent', { consent: [{ standard: 'Adobe', version: '1.0', value }] }], false);
  },
};

/** Zendesk's Web Widget (messaging): https://developer.zendesk.com/api-reference/widget-messaging/web/core/#set-cookies */
export const zendesk: Vendor = {
  signals: ['consent'],
  send: ({ consent }) => callFunction('zE', ['messenger:set', 'cookies', consent ? 'all' : 'none'], false),
};
