import { checkedKey, DAY } from '../decision/stored-decision.ts';
import { fetchNotice } from './load-notice.ts';
import type { Page } from './page.ts';
import { askAgain } from './page-state.ts';

/** Whether the notice asks for something new, or the visitor is in another region: checked once a day after a decision. */
export function checkVersion(page: Page): void {
  let address = '';
  let isChecked = false;
  page.subscribe(() => {
    const { view } = page;
    isChecked &&= view.address === address;
    address = view.address;
    if (!view.state || isChecked) return;
    isChecked = true;
    void check(page).catch(() => {});
  });
}

async function check(page: Page): Promise<void> {
  const { stored, noticeId } = page.view;
  const key = checkedKey(noticeId);
  if (Math.abs(Date.now() - localStorage[key]) < DAY) return;
  localStorage[key] = Date.now();
  const loaded = await fetchNotice(page.writeUrl(), noticeId);
  const { view } = page;
  if (!stored || stored !== view.stored) return;
  const isNew = loaded.notice.asksSince > stored.noticeVersion;
  if (isNew) {
    delete localStorage[key]; // Until the visitor has answered, the next page asks, too.
    page.dispatch(askAgain);
  }
  // The element's region wins.
  if (isNew || (!view.element?.getAttribute('region') && loaded.region !== view.region)) page.renew(loaded);
}
