import { basisIn } from '../signals/basis.ts';
import type { Page } from './page.ts';
import { rebase } from './page-state.ts';
import { readItem, writeItem } from './safe-storage.ts';
import { decisionKey } from './stored-decision.ts';

/**
 * Stores a decision with the basis of its purposes in the region where the visitor is now: on the next page, nothing that
 * needs consent there runs, and the notice is needed only to ask for it. Purposes that the notice no longer has are dropped.
 */
export function rebaseDecisions(page: Page): void {
  const update = (): void => {
    const { element, noticeId, notice, isRecalled, isFailed, isNarrowed, inForce, stored, region } = page.view;
    // The current notice says what needs consent here.
    if (isNarrowed && !isFailed && (isRecalled || !notice)) void page.loadNotice();
    // Between two elements the region is not known.
    if (!element || !notice || isRecalled || inForce?.region === undefined || inForce !== stored) return;
    const decided = notice.purposes.filter(({ key }) => key in inForce.purposes);
    const basis = decided.map((purpose) => {
      const [before, now] = [inForce.basis?.[purpose.key], basisIn(purpose, region)];
      const isChosen = before === 'consent' || before === 'required';
      return [purpose.key, isChosen ? before : now === 'consent' ? undefined : now];
    });
    const purposes = Object.fromEntries(decided.map(({ key }) => [key, inForce.purposes[key] === true]));
    const moved = { ...inForce, purposes, basis: Object.fromEntries(basis), region: region ?? '' };
    const [before, after] = [JSON.stringify(inForce), JSON.stringify(moved)];
    const key = decisionKey(noticeId);
    // Another tab may have stored a newer decision, or know the region better.
    if (before === after || (readItem(key) ?? before) !== before) return;
    writeItem(key, after);
    page.dispatch(rebase(moved));
  };
  page.subscribe(update);
  update();
}
