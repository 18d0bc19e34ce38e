import type { Purposes } from '../decision/stored-decision.ts';
import { readNeeds } from '../held-content/held-content.ts';
import { toJson } from '../page/browser.ts';
import type { ConsentState, PageView } from '../page/consent-page.ts';

/** A blocked frame, image or video with a place in the page, to be covered by your placeholder. */
export interface HeldTag {
  readonly tag: HTMLElement;
  /** The keys of the purposes that it needs, all of them. */
  readonly purposes: readonly string[];
}

/** Everything that an interface shows, at one moment. */
export interface ConsentSnapshot {
  /** The decision in force, or null. */
  readonly state: ConsentState | null;
  /** What is allowed now: by decision, or before one by the basis of each purpose in the visitor's region. */
  readonly allowed: Purposes;
  /** ISO 3166 code of the visitor's region; null if it is unknown: then every purpose needs consent. */
  readonly region: string | null;
  /** Whether to ask the visitor: undecided, decided too long ago, or about an older version of the notice. */
  readonly isAsking: boolean;
  /** When the visitor last decided, in force or not: ISO 8601. */
  readonly decidedAt: string | null;
  /** The version of the notice of that decision. */
  readonly decidedVersion: number | null;
  /** Whether the browser sends Global Privacy Control, which you should show. It is not a decision. */
  readonly hasPrivacySignal: boolean;
  readonly heldTags: readonly HeldTag[];
}

/** The state of a page to show. */
export function takeSnapshot(view: PageView, isAsking: boolean): ConsentSnapshot {
  const { state, allowed, region, stored, hasSignal, frames } = view;
  return Object.freeze({
    state,
    allowed,
    region,
    isAsking,
    decidedAt: stored?.decidedAt ?? null,
    decidedVersion: stored?.noticeVersion ?? null,
    hasPrivacySignal: hasSignal,
    heldTags: Object.freeze(frames.map((tag) => Object.freeze({ tag, purposes: readNeeds(tag) }))),
  });
}

/** Whether two snapshots show the same. */
export function isSame(one: ConsentSnapshot, other: ConsentSnapshot): boolean {
  const hasSameTags =
    one.heldTags.length === other.heldTags.length &&
    one.heldTags.every(({ tag }, at) => tag === other.heldTags[at]?.tag);
  const write = ({ heldTags, state, ...plain }: ConsentSnapshot): string => toJson(plain);
  return hasSameTags && one.state === other.state && write(one) === write(other);
}
