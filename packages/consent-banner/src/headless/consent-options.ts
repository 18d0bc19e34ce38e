import type { ConsentMethod } from '../records/consent-record.ts';

/** Purpose key to the names that it maps to. */
export type PurposeNames = Readonly<Record<string, readonly string[]>>;

/** Options of a page: the attributes of `<svc-consent>`, as a typed object. */
export interface ConsentOptions {
  /** Id of the published notice. */
  readonly noticeId: string;
  /** Address of the API, with or without a path. */
  readonly apiBase: string;
  /** BCP 47 tag of the texts of the notice. Default: the notice's own language. */
  readonly language?: string | undefined;
  /** ISO 3166 code of the visitor's region. Default: what your server's proxy says. */
  readonly region?: string | undefined;
  /** Days until the visitor is asked again. Default: 365. */
  readonly maxAge?: number | undefined;
  /** The same after a refusal of everything; half a year at least. Default: `maxAge`. */
  readonly refusalMaxAge?: number | undefined;
  /** Domain whose hosts share one decision, stored in a cookie. */
  readonly cookieDomain?: string | undefined;
  /** Cookies to delete when a purpose is not granted; a name may end in an asterisk: `{ statistics: ['_ga', '_ga_*'] }`. */
  readonly clearCookies?: PurposeNames | undefined;
  /** Signals of Google Consent Mode for each purpose: `{ statistics: ['analytics_storage'] }`. */
  readonly consentMode?: PurposeNames | undefined;
  /** The array that Consent Mode and the event `svc_consent` go to. Default: the one of the page's Google tag, else `dataLayer`. */
  readonly dataLayer?: string | undefined;
  /** Reloads the page when a consent is withdrawn on it, because scripts that have run cannot be undone. */
  readonly reloadOnWithdrawal?: boolean | undefined;
  /** How your interface asks, for the record. Default: `banner`. */
  readonly method?: ConsentMethod | undefined;
  /** What `SvcConsent.open()` does: shows your preferences. */
  readonly openPreferences?: (() => void) | undefined;
}

/**
 * A detached element with the options as attributes, which `Page` reads like the banner's.
 * @throws TypeError if a name contains a separator.
 */
export function writeElement(options: ConsentOptions): HTMLElement {
  const element = document.createElement('div');
  const attributes = {
    'notice-id': options.noticeId,
    'api-base': options.apiBase,
    language: options.language,
    region: options.region,
    'max-age': options.maxAge,
    'refusal-max-age': options.refusalMaxAge,
    'cookie-domain': options.cookieDomain,
    'clear-cookies': writeMapping(options.clearCookies),
    'consent-mode': writeMapping(options.consentMode),
    'data-layer': options.dataLayer,
    'reload-on-withdrawal': options.reloadOnWithdrawal ? '' : undefined,
  };
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, String(value));
  }
  return element;
}

function writeMapping(names: PurposeNames | undefined): string | undefined {
  const wrong = Object.entries(names ?? {})
    .flat(2)
    .find((name) => !/^[^\s:;]+$/.test(name));
  if (wrong !== undefined)
    throw new TypeError(`createConsent(): "${wrong}" must be a name without blanks, ":" and ";".`);
  return (
    names &&
    Object.entries(names)
      .map(([key, list]) => `${key}: ${list.join(' ')}`)
      .join('; ')
  );
}
