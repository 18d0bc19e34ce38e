import { reportProblem } from './report-problem.ts';
import { attempt } from './stub/attempt.ts';
import { AGE } from './stub/attribute-values.ts';
import type { ConsentState } from './stub/consent-state.ts';
import { cookieName, isInForce, isNext } from './stub/find-decision.ts';
import type { StoredDecision } from './stub/stored-decision.ts';

export type { ConsentState } from './stub/consent-state.ts';

/** The headers of a request: those of the Fetch API, or an object by name, as Node's `request.headers`. */
export type RequestHeaders =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface ConsentQuestion {
  /** As the element's `notice-id` has it. */
  readonly noticeId: string;
  readonly headers: RequestHeaders;
  /** Days, as the element's `max-age`. Default: 365. */
  readonly maxAge?: number;
  /** Days, as the element's `refusal-max-age`. Default: `maxAge`. */
  readonly refusalMaxAge?: number;
}

/**
 * Reads on a server what the visitor of a request has decided, from the cookie that `<svc-consent cookie-domain="…">`
 * keeps. Pure but for the clock; it never throws.
 *
 * @returns the decision in force, by the rules of the page: the newest of the cookies, not too old, and no grant from
 *   before a browser began to send Global Privacy Control (`Sec-GPC: 1`, https://www.w3.org/TR/gpc/). Null when there is
 *   none, and for whatever is not understood. An age that is no number of days above 0 is told in the console, and counts
 *   as not given.
 */
export function readConsent({ noticeId, headers, maxAge, refusalMaxAge }: ConsentQuestion): ConsentState | null {
  const ages = { 'max-age': writeAge('maxAge', maxAge), 'refusal-max-age': writeAge('refusalMaxAge', refusalMaxAge) };
  const decision = findNewest(noticeId, readHeader(headers, 'cookie'));
  if (!decision || isSignalled(decision, headers)) return null;
  // Where a server has no `navigator` nothing is granted.
  if (!attempt(() => isInForce(decision, (name) => ages[name as keyof typeof ages]))) return null;
  return Object.freeze({ decided: true, purposes: Object.freeze({ ...decision.purposes }) });
}

/** Two cookies may have one name: of a host, and of a domain above it. */
function findNewest(noticeId: string, cookies: string): StoredDecision | null {
  const start = `${cookieName(noticeId)}=`;
  let newest: StoredDecision | null = null;
  for (const cookie of cookies.split(/; ?/)) {
    if (!cookie.startsWith(start)) continue;
    const found = attempt<unknown>(() => JSON.parse(decodeURIComponent(cookie.slice(start.length))));
    if (isNext(found, newest)) newest = found;
  }
  return newest;
}

function isSignalled({ decision, signal }: StoredDecision, headers: RequestHeaders): boolean {
  return readHeader(headers, 'sec-gpc').trim() === '1' && decision !== 'rejected' && signal !== true;
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
