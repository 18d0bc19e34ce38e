import { hasPrivacySignal } from '../consent-session.ts';
import type { ConsentState, PageView } from '../stub/consent-state.ts';
import { readNeeds } from '../stub/held-tags.ts';

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
