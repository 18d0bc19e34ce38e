import { callFunction, findFunction, findMethod, putFirst, takeQueue, type Vendor } from './vendor.ts';

/** Matomo, nothing sent without consent: https://developer.matomo.org/guides/tracking-consent */
export const matomo = createMatomo('Consent');

/** Matomo, sent without cookies as long as there is no consent: same address. */
export const matomoCookies = createMatomo('CookieConsent');

/** The banner remembers the decision, so it is sent to Matomo on every page, and Matomo remembers nothing itself. */
function createMatomo(kind: 'Consent' | 'CookieConsent'): Vendor {
  return {
    signals: ['consent'],
    hold: () => putFirst(takeQueue('_paq'), [`require${kind}`]),
    send: ({ consent }) => takeQueue('_paq').push([`${consent ? 'set' : 'forget'}${kind}Given`]),
  };
}

/** Microsoft Clarity: https://learn.microsoft.com/en-us/clarity/setup-and-installation/clarity-consent-api-v2 */
export const microsoftClarity: Vendor = {
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
export const piano: Vendor = {
  signals: ['consent'],
  send: ({ consent }) => {
    const { consent: module } = Object((window as { pa?: unknown }).pa) as { readonly consent?: unknown };
    const setMode = findMethod('pa', 'setMode', module);
    return setMode ? setMode(consent ? 'opt-in' : 'opt-out') : false;
  },
};

/** PostHog: https://posthog.com/docs/privacy/data-collection. The choice is not counted as an event. */
export const posthog: Vendor = {
  signals: ['consent'],
  send: ({ consent }) => {
    const call = findMethod('posthog', consent ? 'opt_in_capturing' : 'opt_out_capturing');
    return call ? call(...(consent ? [{ captureEventName: null }] : [])) : false;
  },
};

/** Amplitude, Browser SDK 2: https://amplitude.com/docs/sdks/analytics/browser/cookies-and-consent-management */
export const amplitude: Vendor = {
  signals: ['consent'],
  send: ({ consent }) => {
    const setOptOut = findMethod('amplitude', 'setOptOut');
    return setOptOut ? setOptOut(!consent) : false;
  },
};

/** Mixpanel: https://docs.mixpanel.com/docs/tracking/how-tos/privacy-friendly-tracking. Opting in twice is two events. */
export const mixpanel: Vendor = {
  signals: ['consent'],
  send: ({ consent }) => {
    const call = findMethod('mixpanel', consent ? 'opt_in_tracking' : 'opt_out_tracking');
    if (!call) return false;
    return consent && findMethod('mixpanel', 'has_opted_in_tracking')?.() === true ? undefined : call();
  },
};

/** Fullstory: https://developer.fullstory.com/browser/fullcapture/capture-data/ */
export const fullstory: Vendor = {
  signals: ['consent'],
  hold: () => {
    (window as { _fs_capture_on_startup?: boolean })._fs_capture_on_startup = false;
  },
  send: ({ consent }) => callFunction('FS', [consent ? 'start' : 'shutdown'], false),
};
