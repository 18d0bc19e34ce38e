import { DAY } from './find-decision.ts';
import { fetchNotice } from './load-notice.ts';
import type { Page } from './page.ts';
import { checkedKey } from './stored-decision.ts';

/** Whether the notice asks for something new: checked once a day for visitors who have decided. */
export function checkVersion(page: Page): void {
  let address = '';
  let isChecked = false;
  const update = (): void => {
    const { view } = page;
    isChecked &&= view.address === address;
    address = view.address;
    if (!view.state || isChecked) return;
    isChecked = true;
    void check(page).catch(() => {});
  };
  page.subscribe(update);
  update();
}

async function check(page: Page): Promise<void> {
  const { stored, noticeId } = page.view;
  const key = checkedKey(noticeId);
  if (Math.abs(Date.now() - localStorage[key]) < DAY) return;
  localStorage[key] = Date.now();
  const loaded = await fetchNotice(page.writeUrl(), noticeId);
  if (!stored || stored !== page.view.stored || loaded.notice.asksSince <= stored.noticeVersion) return;
  delete localStorage[key]; // Until the visitor has answered, the next page asks, too.
  page.askAgain(loaded);
}
