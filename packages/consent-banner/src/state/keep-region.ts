import { regionKey } from '../decision/stored-decision.ts';
import type { Page } from './page.ts';
import { readItem, writeItem } from './safe-storage.ts';

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
