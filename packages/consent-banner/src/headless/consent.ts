import type { Notice, Purposes } from '../notice/notice.ts';
import type { AttributeName } from '../page/attributes.ts';
import type { ConsentState } from '../page/consent-page.ts';
import type { RecordReceipt } from '../panel/receipt.ts';
import type { ConsentMethod } from '../records/consent-record.ts';
import type { ConsentSnapshot } from './headless-page.ts';

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
  /** Called by `SvcConsent.open()`: shows your preferences. */
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
  } satisfies Partial<Record<AttributeName, unknown>>;
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

export interface DecideOptions {
  /** How the visitor was asked this time. Default: the `method` of `createConsent()`. */
  readonly method?: ConsentMethod | undefined;
}

/** Everything that the banner does, for a custom interface. */
export interface Consent {
  /** The notice to show; null if it cannot be loaded, which is logged. Fetched once, and again after a failure. */
  loadNotice(): Promise<Notice | null>;
  /** The decision in force, or null. Required purposes are always true in it. */
  get(): ConsentState | null;
  /** Checks whether to ask the visitor: undecided, decided too long ago, or about an older version of the notice. */
  isAsking(): boolean;
  /** Calls back immediately and on every change. Returns a function that unsubscribes. */
  subscribe(listener: (snapshot: ConsentSnapshot) => void): () => void;
  /** Grants every purpose. Resolves to the decision in force then; null if nothing was recorded. */
  acceptAll(options?: DecideOptions): Promise<ConsentState | null>;
  /**
   * Refuses every optional purpose. If there was a decision before, it works without the notice; it waits for the notice
   * only while the visitor is to be asked.
   */
  rejectAll(options?: DecideOptions): Promise<ConsentState | null>;
  /** Grants exactly the purposes that are `true`. Unknown keys are logged in the console. */
  decide(purposes: Purposes, options?: DecideOptions): Promise<ConsentState | null>;
  /**
   * Withdraws these purposes and keeps the others; without purposes, withdraws all optional ones. It applies to the version of
   * the last decision and needs no server: a newer version is still asked about. Null before a decision.
   */
  withdraw(keys?: readonly string[], options?: DecideOptions): Promise<ConsentState | null>;
  /** The purposes that the visitor granted before and chose themselves: the initial state of switches. */
  carryOver(notice: Notice): Purposes;
  /** The receipt of the latest decision in this browser, with its proof once the server has responded. */
  readReceipt(): RecordReceipt | null;
  /** Ends this object: it neither calls back nor records decisions. Blocked content follows the visitor's decision. */
  destroy(): void;
}
