import { decisionKey, regionKey, type StoredDecision } from '../decision/stored-decision.ts';
import { checkVersion, namePurposes } from '../notice/follow-notice.ts';
import { keepRecords } from '../records/keep-records.ts';
import { attempt, readItem, reportProblem, writeItem } from './browser.ts';
import type { Page } from './page.ts';

/**
 * Keeps the region that the server named since the decision: the next page starts with it. Where the decision grants something
 * that needs consent there, the notice is loaded, which says so and asks.
 */
export function keepRegion(page: Page): void {
  page.subscribe(() => {
    const { element, noticeId, notice, isRecalled, isFailed, isNarrowed, stored, region } = page.view;
    if (isNarrowed && !isFailed && (isRecalled || !notice)) void page.loadNotice();
    const isNamed = notice && !isRecalled && element?.getAttribute('region') === null;
    // Nothing is stored before a decision.
    if (!isNamed || !stored || (readItem(regionKey(noticeId)) ?? stored.region ?? '') === (region ?? '')) return;
    writeItem(regionKey(noticeId), region ?? '');
  });
}

/** Reloads the page when consent is withdrawn on it, if the element asks for it: a script that ran cannot be undone. */
export function reloadPage(page: Page): void {
  let { allowed, stored } = page.view;
  page.subscribe(() => {
    const { view } = page;
    const before = allowed;
    const isNew = stored !== view.stored;
    allowed = view.allowed;
    stored = view.stored;
    // Other tabs are not reloaded: the visitor may be typing there.
    if (!isNew || !stored || stored !== page.decided) return;
    // A purpose that the notice no longer has was not withdrawn, unless the visitor refused everything.
    const names = Object.keys(stored.decision === 'rejected' ? before : stored.purposes);
    const isLess = names.some((key) => before[key] && stored?.purposes[key] !== true);
    const wish = view.element?.getAttribute('reload-on-withdrawal') ?? 'false';
    // After the other listeners. The record is queued, and is sent when the page is left.
    if (isLess && /^(true)?$/.test(wish)) queueMicrotask(() => location.reload());
  });
}

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
    // A decision that came from another tab is known there, and is ignored.
    if (view.stored && view.stored !== known) tabs?.postMessage(view.stored);
    known = view.stored;
  });
}

/** Starts everything that a page needs after its first paint, whatever interface it has. */
export function keepPage(page: Page): void {
  keepRecords(page);
  keepRegion(page);
  followTabs(page);
  namePurposes(page);
  checkVersion(page);
  checkHost(page);
  reloadPage(page);
}

/** The server refuses records from other hosts than those of the notice's domain: the console says so before anyone decides. */
function checkHost(page: Page): void {
  const { hostname } = location;
  page.subscribe(() => {
    const { notice } = page.view;
    if (notice && !`.${hostname}`.endsWith(`.${notice.domain}`))
      reportProblem(
        `the notice is for ${notice.domain}: decisions on ${hostname} are not recorded. Change its domain.`,
      );
  });
}
