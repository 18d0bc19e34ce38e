import { hasPrivacySignal } from '../consent-session.ts';
import type { ConsentState, PageView } from '../stub/consent-state.ts';
import { readNeeds } from '../stub/held-tags.ts';

/** A frame, image or video that waits for consent and has a place in the page, to be covered by a box of yours. */
export interface HeldTag {
  readonly tag: HTMLElement;
  /** The keys of the purposes that it needs, all of them. */
  readonly purposes: readonly string[];
}

/** All that an interface shows, at one moment. */
export interface ConsentSnapshot {
  /** The decision in force, or null. */
  readonly state: ConsentState | null;
  /** Whether the visitor is to be asked: undecided, decided too long ago, or about an older version of the notice. */
  readonly isAsking: boolean;
  /** When the visitor decided last, in force or not: ISO 8601. */
  readonly decidedAt: string | null;
  /** The version of the notice that they decided on then. */
  readonly decidedVersion: number | null;
  /** Whether the browser sends Global Privacy Control: to be told to the visitor. It is no decision. */
  readonly hasPrivacySignal: boolean;
  readonly heldTags: readonly HeldTag[];
}

/** What there is to show of a page. */
export function takeSnapshot({ state, isAsking, stored, frames }: PageView): ConsentSnapshot {
  return Object.freeze({
    state,
    isAsking,
    decidedAt: stored?.decidedAt ?? null,
    decidedVersion: stored?.noticeVersion ?? null,
    hasPrivacySignal: hasPrivacySignal(),
    heldTags: Object.freeze(frames.map((tag) => Object.freeze({ tag, purposes: readNeeds(tag) }))),
  });
}
