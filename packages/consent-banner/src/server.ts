import { decidedIn } from './decision/grants.ts';
import {
  cookieName,
  isDecision,
  isInForce,
  isLess,
  isNext,
  type Purposes,
  type StoredDecision,
} from './decision/stored-decision.ts';
import { AGE } from './page/attributes.ts';
import { attempt, reportProblem } from './page/browser.ts';
import type { ConsentState } from './page/consent-page.ts';

export type { ConsentState } from './page/consent-page.ts';

/** The headers of a request: those of the Fetch API, or an object by name, as Node's `request.headers`. */
export type RequestHeaders =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface ConsentQuestion {
  /** The element's `notice-id`. */
  readonly noticeId: string;
  readonly headers: RequestHeaders;
  /** Days, like the element's `max-age`. Default: 365. */
  readonly maxAge?: number;
  /** Days, like the element's `refusal-max-age`; half a year at least. Default: `maxAge`. */
  readonly refusalMaxAge?: number;
  /** The visitor's region, like the element's `region`: ISO 3166, such as DE or US-CA. */
  readonly region?: string | null | undefined;
}

/**
 * Reads the decision of a request's visitor on a server, from the cookie that `<svc-consent cookie-domain="…">` sets. Pure
 * except for the clock; it never throws.
 *
 * @returns the decision in force, by the rules of the page: the newest of the cookies, not too old, and no grant from before
 *   the browser began to send Global Privacy Control (`Sec-GPC: 1`, https://www.w3.org/TR/gpc/). Null if there is none or it
 *   is invalid. A purpose that was on by its basis, without consent, is granted only in the region where that was decided. An
 *   age that is not a positive number of days is logged and ignored.
 */
export function readConsent(question: ConsentQuestion): ConsentState | null {
  return attempt(() => findConsent(question)) ?? null;
}

function findConsent({ noticeId, headers, maxAge, refusalMaxAge, region }: ConsentQuestion): ConsentState | null {
  const ages = { 'max-age': writeAge('maxAge', maxAge), 'refusal-max-age': writeAge('refusalMaxAge', refusalMaxAge) };
  const hasSignal = /^\s*1\s*(,|;|$)/.test(readHeader(headers, 'sec-gpc'));
  const decision = findNewest(listDecisions(noticeId, readHeader(headers, 'cookie')));
  if (!decision || !isInForce(decision, (name) => ages[name as keyof typeof ages], hasSignal)) return null;
  // Has no prototype, so that only decided purposes exist, whatever their names.
  const purposes: Purposes = Object.assign(Object.create(null), decidedIn(decision, region === decision.region));
  return Object.freeze({ decided: true, purposes: Object.freeze(purposes) });
}

/** Two cookies may have the same name: one of the host, and one of a domain above it. */
function listDecisions(noticeId: string, cookies: string): readonly StoredDecision[] {
  const start = `${cookieName(noticeId)}=`;
  const own = cookies.split(/; ?/).filter((cookie) => cookie.startsWith(start));
  return own
    .map((cookie) => attempt<unknown>(() => JSON.parse(decodeURIComponent(cookie.slice(start.length)))))
    .filter(isDecision);
}

/** A withdrawal always counts, even with a clock that is ahead: then nothing is known to be granted. */
function findNewest(decisions: readonly StoredDecision[]): StoredDecision | null {
  let newest: StoredDecision | null = null;
  for (const one of decisions) if (isNext(one, newest)) newest = one;
  const isWithdrawn = decisions.some((one) => newest && !isNext(one, null) && isLess(one, newest));
  return isWithdrawn ? null : newest;
}

function readHeader(headers: RequestHeaders, name: string): string {
  if (typeof headers.get === 'function') return headers.get(name) ?? '';
  const given = Object.entries(headers).filter(([key]) => key.toLowerCase() === name);
  return given.flatMap(([, value]) => value ?? []).join('; ');
}

function writeAge(name: string, days: number | undefined): string {
  const text = String(days ?? '');
  if (text && !AGE.test(text))
    reportProblem(`${name}: ${text} is not understood. It must be a number of days above 0.`);
  return text;
}
