/** The names of a vendor's signals, and whether each is granted. */
export type Signals = Readonly<Record<string, boolean>>;

/** How a vendor is notified of what is granted, by its documented API. */
export interface Vendor {
  /** The signals it distinguishes, in the vendor's own names; a single switch for everything is `consent`. */
  readonly signals: readonly string[];
  /**
   * Blocks it as long as there is no decision: called once, first, whether its code is loaded or not. A vendor without
   * this function is sent a denial of everything.
   */
  readonly block?: () => void;
  /**
   * Sends it what is granted.
   * @returns false if its code is not on the page yet: it is sent when the code loads. A promise may reject.
   */
  readonly send: (signals: Signals) => unknown;
}

/** Function that vendors leave on `window`, often with the queue of what was called before their code came. */
interface VendorFunction {
  (...args: readonly unknown[]): unknown;
  queue?: unknown;
}

/** Object that vendors leave on `window`: its methods, or other objects with methods. */
interface VendorObject {
  readonly [name: string]: unknown;
}

/** A list of commands that a vendor's code runs when it loads, and then replaces with its own object. */
interface VendorQueue extends VendorObject {
  push(...commands: readonly unknown[]): unknown;
}

const page = (): Record<string, unknown> => window as unknown as Record<string, unknown>;

/** The function of that name on the page, or undefined: an element of that name is none. */
function findFunction(name: string): VendorFunction | undefined {
  const found = page()[name];
  return typeof found === 'function' && !(found instanceof Element) ? (found as VendorFunction) : undefined;
}

/** The method of a vendor's object, bound to it, or undefined as long as there is none. */
function findMethod(name: string, method: string, holder: unknown = page()[name]): VendorFunction | undefined {
  const found = (Object(holder) as VendorObject)[method];
  return typeof found === 'function' && !(holder instanceof Element) ? found.bind(holder) : undefined;
}

/** The vendor's queue of that name, made if there is nothing yet, as the vendor's own tag would make it. */
function takeQueue(name: string): VendorQueue {
  const found = page()[name];
  if (found === undefined || found instanceof Element) page()[name] = [];
  return page()[name] as VendorQueue;
}

/** Puts a command before all that the page has called already, or after it where the vendor's code is loaded. */
function putFirst(queue: VendorQueue, ...command: readonly unknown[]): void {
  if (Array.isArray(queue)) queue.unshift(...command);
  else queue.push(...command);
}

/**
 * Calls a vendor's function; a denial also before all calls in its queue, because the vendor's tag may have called already what
 * needs consent.
 * @returns false if there is no such function.
 */
function callFunction(name: string, args: readonly unknown[], isDenial: boolean): unknown {
  const call = findFunction(name);
  if (!call) return false;
  if (isDenial && Array.isArray(call.queue)) call.queue.unshift(args);
  return call(...args);
}

/** Matomo, nothing sent without consent: https://developer.matomo.org/guides/tracking-consent */
const matomo = createMatomo('Consent');

/** Matomo, sent without cookies as long as there is no consent: same address. */
const matomoCookies = createMatomo('CookieConsent');

/** The banner remembers the decision, so it is sent to Matomo on every page, and Matomo remembers nothing itself. */
function createMatomo(kind: 'Consent' | 'CookieConsent'): Vendor {
  return {
    signals: ['consent'],
    block: () => putFirst(takeQueue('_paq'), [`require${kind}`]),
    send: ({ consent }) => takeQueue('_paq').push([`${consent ? 'set' : 'forget'}${kind}Given`]),
  };
}

/** Microsoft Clarity: https://learn.microsoft.com/en-us/clarity/setup-and-installation/clarity-consent-api-v2 */
const microsoftClarity: Vendor = {
  signals: ['ad_Storage', 'analytics_Storage'],
  send: (signals) => {
    if (!findFunction('clarity')) queueClarity();
    const values = Object.entries(signals).map(([name, isGranted]) => [name, isGranted ? 'granted' : 'denied']);
    return callFunction('clarity', ['consentv2', Object.fromEntries(values)], false);
  },
};

/** The function that Clarity's own tag makes, or uses if there is one. */
function queueClarity(): void {
  const calls: unknown[] = [];
  const clarity = Object.assign((...args: readonly unknown[]) => void calls.push(args), { q: calls });
  (window as { clarity?: unknown }).clarity = clarity;
}

/** Piano Analytics: https://developers.atinternet-solutions.com/piano-analytics/data-collection/how-to-send-events/consent */
const piano: Vendor = {
  signals: ['consent'],
  send: ({ consent }) => {
    const { consent: module } = Object((window as { pa?: unknown }).pa) as { readonly consent?: unknown };
    const setMode = findMethod('pa', 'setMode', module);
    return setMode ? setMode(consent ? 'opt-in' : 'opt-out') : false;
  },
};

/** PostHog: https://posthog.com/docs/privacy/data-collection. The choice is not counted as an event. */
const posthog: Vendor = {
  signals: ['consent'],
  send: ({ consent }) => {
    const call = findMethod('posthog', consent ? 'opt_in_capturing' : 'opt_out_capturing');
    return call ? call(...(consent ? [{ captureEventName: null }] : [])) : false;
  },
};

/** Amplitude, Browser SDK 2: https://amplitude.com/docs/sdks/analytics/browser/cookies-and-consent-management */
const amplitude: Vendor = {
  signals: ['consent'],
  send: ({ consent }) => {
    const setOptOut = findMethod('amplitude', 'setOptOut');
    return setOptOut ? setOptOut(!consent) : false;
  },
};

/** Mixpanel: https://docs.mixpanel.com/docs/tracking/how-tos/privacy-friendly-tracking. Opting in twice is two events. */
const mixpanel: Vendor = {
  signals: ['consent'],
  send: ({ consent }) => {
    const call = findMethod('mixpanel', consent ? 'opt_in_tracking' : 'opt_out_tracking');
    if (!call) return false;
    return consent && findMethod('mixpanel', 'has_opted_in_tracking')?.() === true ? undefined : call();
  },
};

/** Fullstory: https://developer.fullstory.com/browser/fullcapture/capture-data/ */
const fullstory: Vendor = {
  signals: ['consent'],
  block: () => {
    (window as { _fs_capture_on_startup?: boolean })._fs_capture_on_startup = false;
  },
  send: ({ consent }) => callFunction('FS', [consent ? 'start' : 'shutdown'], false),
};

/** Meta Pixel: https://developers.facebook.com/docs/meta-pixel/implementation/gdpr (its own tag must make the queue). */
const meta: Vendor = {
  signals: ['consent'],
  send: ({ consent }) => callFunction('fbq', ['consent', consent ? 'grant' : 'revoke'], !consent),
};

/** Microsoft Advertising, UET: https://help.ads.microsoft.com/apex/index/3/en/60119 */
const microsoftAds: Vendor = {
  signals: ['ad_storage'],
  block: () => putFirst(takeQueue('uetq'), 'consent', 'default', { ad_storage: 'denied' }),
  send: ({ ad_storage }) =>
    takeQueue('uetq').push('consent', 'update', { ad_storage: ad_storage ? 'granted' : 'denied' }),
};

/** Pinterest Tag: https://help.pinterest.com/en/business/article/install-the-base-code */
const pinterest: Vendor = {
  signals: ['consent'],
  send: ({ consent }) => callFunction('pintrk', ['setconsent', consent], !consent),
};

/** TikTok Pixel: https://business-api.tiktok.com/portal/docs/pixel-cookie-consent-mode/v1.3 */
const tiktok: Vendor = {
  signals: ['consent'],
  block: () => {
    const queue = takeQueue('ttq');
    if (Array.isArray(queue)) queue.unshift(['holdConsent']);
    findMethod('ttq', 'holdConsent')?.();
  },
  send: ({ consent }) => {
    const command = consent ? 'grantConsent' : 'revokeConsent';
    const call = findMethod('ttq', command);
    return call ? call() : takeQueue('ttq').push([command]);
  },
};

/** Signals for Shopify: a call that waits for its code must not send an older decision then. */
let latest: Signals = {};

/** Shopify's Customer Privacy API: https://shopify.dev/docs/api/customer-privacy */
const shopify: Vendor = {
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
const hubspot: Vendor = {
  signals: ['analytics', 'advertisement', 'functionality'],
  send: (signals) => takeQueue('_hsp').push(['setHubSpotConsent', { ...signals }]),
};

/**
 * Adobe Experience Platform Web SDK: https://experienceleague.adobe.com/en/docs/experience-platform/collection/js/commands/setconsent.
 * When it receives "out" it writes a cookie, so it is blocked by its own setting, `defaultConsent: "pending"`.
 */
const adobe: Vendor = {
  signals: ['consent'],
  block: () => {},
  send: ({ consent }) => {
    const value = { general: consent ? 'in' : 'out' };
    return callFunction('alloy', ['setConsent', { consent: [{ standard: 'Adobe', version: '1.0', value }] }], false);
  },
};

/** Zendesk's Web Widget (messaging): https://developer.zendesk.com/api-reference/widget-messaging/web/core/#set-cookies */
const zendesk: Vendor = {
  signals: ['consent'],
  send: ({ consent }) => callFunction('zE', ['messenger:set', 'cookies', consent ? 'all' : 'none'], false),
};

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

/** Checks whether a vendor has that name. */
export function isVendor(name: string): name is VendorName {
  return Object.hasOwn(vendors, name);
}
