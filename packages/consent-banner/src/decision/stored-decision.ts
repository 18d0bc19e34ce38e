import { AGE, type AttributeName } from '../page/attributes.ts';
import { attempt } from '../page/browser.ts';
import type { Basis } from './region.ts';

/** Decisions by purpose key. */
export type Purposes = Readonly<Record<string, boolean>>;

/** Value that `localStorage` keeps under `svc-consent:{noticeId}`, as JSON. */
export interface StoredDecision {
  /** Every optional purpose, none of them, or some. */
  readonly decision: 'accepted' | 'rejected' | 'custom';
  readonly purposes: Purposes;
  /** The version of the notice that the visitor saw. */
  readonly noticeVersion: number;
  /** ISO 8601, UTC, the moment of the click. */
  readonly decidedAt: string;
  /** Made at the first decision and kept with the later ones. */
  readonly subjectId: string;
  /** True if the browser sent Global Privacy Control at that moment. */
  readonly signal?: boolean;
  /** Why each purpose is allowed. Only `consent` was chosen by the visitor, and `required` could not be refused anywhere. */
  readonly basis?: Readonly<Record<string, Basis | 'required'>>;
  /** The region of the decision, whose basis counted; undefined if it was unknown, and everything was asked for. */
  readonly region?: string | undefined;
}

/** Where the decision on a notice is kept; other keys of the same notice begin with it. */
export function decisionKey(noticeId: string): string {
  return `svc-consent:${noticeId}`;
}

/** When the notice was last checked for a new version. */
export function checkedKey(noticeId: string): string {
  return `${decisionKey(noticeId)}:checked`;
}

/** The region that the server has named since the decision; empty if it names none any more. */
export function regionKey(noticeId: string): string {
  return `${decisionKey(noticeId)}:region`;
}

/** Checks whether a value is a whole decision. Any other value means undecided: garbage never grants. */
export function isDecision(value: unknown): value is StoredDecision {
  const { decision, purposes, noticeVersion, decidedAt, subjectId } = Object(value) as StoredDecision;
  const granted: readonly unknown[] = Array.isArray(purposes) ? [] : Object.values(Object(purposes));
  return (
    /^(accepted|rejected|custom)$/.test(decision) &&
    granted.length > 0 &&
    granted.every((one) => one === !!one) &&
    Number.isSafeInteger(noticeVersion) &&
    [decidedAt, subjectId].every((text) => text && typeof text === 'string')
  );
}

/** Milliseconds. */
export const DAY = 86_400_000;
/** Days. */
const HALF_YEAR = 183;
/** The tolerated clock difference, in days: five minutes. */
const LEEWAY = 0.0035;

/** The name of the cookie that shares the decision between the hosts of a domain. */
export function cookieName(noticeId: string): string {
  return encodeURIComponent(decisionKey(noticeId));
}

/**
 * The newest stored decision: in this host's storage, and in cookies if a domain shares them. Two cookies may have the same
 * name. A decision from the future is invalid, because its clock was wrong and its age is unknown.
 */
export function findDecision(noticeId: string, isShared: boolean): StoredDecision | null {
  const start = `${cookieName(noticeId)}=`;
  const texts = [attempt(() => localStorage[decisionKey(noticeId)])];
  for (const cookie of (isShared && attempt(() => document.cookie.split('; '))) || []) {
    if (cookie.startsWith(start)) texts.push(attempt(() => decodeURIComponent(cookie.slice(start.length))));
  }
  let newest: StoredDecision | null = null;
  for (const text of texts) {
    if (!text) continue; // Most visitors have none, and an exception is slow.
    const found = attempt<unknown>(() => JSON.parse(text));
    if (isNext(found, newest)) newest = found;
  }
  return newest;
}

/** Checks whether a value is a decision that replaces another. */
export function isNext(decision: unknown, than: StoredDecision | null): decision is StoredDecision {
  return (
    isDecision(decision) &&
    countDays(decision) > -LEEWAY &&
    !(than && Date.parse(decision.decidedAt) <= Date.parse(than.decidedAt))
  );
}

/** Checks whether a decision withdraws something and grants nothing new. */
export function isLess({ purposes }: StoredDecision, { purposes: than }: StoredDecision): boolean {
  const hasMore = (one: Purposes, other: Purposes): boolean =>
    Object.keys(one).some((key) => one[key] && other[key] !== true);
  return hasMore(than, purposes) && !hasMore(purposes, than);
}

/**
 * Checks whether a decision still counts: it is not too old, and its grants were given in spite of the signal that the browser
 * sends now (Global Privacy Control, https://www.w3.org/TR/gpc/). A refusal counts for half a year at least: asking again
 * sooner presses the visitor (Garante, guidelines on cookies of 10 June 2021; CNIL, recommendation of 17 September 2020).
 */
export function isInForce(
  decision: StoredDecision,
  read: (name: AttributeName) => string | null | undefined,
  hasSignal: boolean,
): boolean {
  const isRefusal = decision.decision === 'rejected';
  const ages = [isRefusal && read('refusal-max-age'), read('max-age')];
  const longest = Number(ages.find((age) => age && AGE.test(age)) ?? 365);
  return (
    countDays(decision) < (isRefusal ? Math.max(longest, HALF_YEAR) : longest) &&
    (isRefusal || !hasSignal || decision.signal === true)
  );
}

function countDays({ decidedAt }: StoredDecision): number {
  return (Date.now() - Date.parse(decidedAt)) / DAY;
}
