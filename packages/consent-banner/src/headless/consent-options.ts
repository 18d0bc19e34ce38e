import type { ConsentMethod } from '../record-queue.ts';

/** Purpose key to the names that stand for it. */
export type PurposeNames = Readonly<Record<string, readonly string[]>>;

/** What a page wants of its consent: the attributes of `<svc-consent>`, as a typed object. */
export interface ConsentOptions {
  /** Id of the published notice. */
  readonly noticeId: string;
  /** Address of the API, with or without a path. */
  readonly apiBase: string;
  /** Days until a decision is asked for again. Default: 365. */
  readonly maxAge?: number | undefined;
  /** The same for a refusal. Default: `maxAge`. */
  readonly refusalMaxAge?: number | undefined;
  /** Domain whose hosts share one decision, kept in a cookie. */
  readonly cookieDomain?: string | undefined;
  /** Cookies to delete when a purpose is not granted; a name may end in an asterisk: `{ statistics: ['_ga', '_ga_*'] }`. */
  readonly clearCookies?: PurposeNames | undefined;
  /** Signals of Google Consent Mode for each purpose: `{ statistics: ['analytics_storage'] }`. */
  readonly consentMode?: PurposeNames | undefined;
  /** Loads the page anew when a consent is taken back on it: a script that ran has run. */
  readonly reloadOnWithdrawal?: boolean | undefined;
  /** How your interface asks, for the record. Default: `banner`. */
  readonly method?: ConsentMethod | undefined;
  /** What `SvcConsent.open()` does: shows your preferences. */
  readonly openPreferences?: (() => void) | undefined;
}

/**
 * An element, on no page, that says by attributes what the options say: so stage one reads them as it reads the banner's.
 * @throws TypeError when a name has a character that separates names.
 */
export function writeElement(options: ConsentOptions): HTMLElement {
  const element = document.createElement('div');
  const attributes = {
    'notice-id': options.noticeId,
    'api-base': options.apiBase,
    'max-age': options.maxAge,
    'refusal-max-age': options.refusalMaxAge,
    'cookie-domain': options.cookieDomain,
    'clear-cookies': writeMapping(options.clearCookies),
    'consent-mode': writeMapping(options.consentMode),
    'reload-on-withdrawal': options.reloadOnWithdrawal ? '' : undefined,
    // There is always somebody who wants to know: the one who draws.
    trigger: 'bottom-left',
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
