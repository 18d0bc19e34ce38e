import { decisionKey, type StoredDecision } from '../decision/stored-decision.ts';
import { attempt } from './attempt.ts';
import type { Page } from './page.ts';

/**
 * Shares decisions with the other tabs directly. Where the browser stores them, tabs also follow through storage events; where
 * storage is blocked or full, this is the only way.
 */
export function followTabs(page: Page): void {
  let noticeId = '';
  let known: StoredDecision | null = null;
  let tabs: BroadcastChannel | undefined;
  page.subscribe(() => {
    const { view } = page;
    if (view.noticeId !== noticeId) {
      noticeId = view.noticeId;
      known = view.stored;
      tabs?.close();
      // A browser that forbids storage may also forbid this.
      tabs = attempt(() => new BroadcastChannel(decisionKey(noticeId)));
      if (tabs) tabs.onmessage = ({ data }) => page.follow(data);
    }
    // What came from another tab is known there, and is ignored.
    if (view.stored && view.stored !== known) tabs?.postMessage(view.stored);
    known = view.stored;
  });
}
