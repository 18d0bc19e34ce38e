import type { Page } from '../page/page.ts';
import { fail, open } from '../page/page-state.ts';

/** Opens the panel when the visitor asks for it: at once if the notice is there. */
export function openPanel(page: Page): void {
  let wish: readonly string[] | undefined;
  page.subscribe(() => {
    const { isOpening, isFailed, switchedOn, notice, isRecalled } = page.view;
    const next = isOpening && !isFailed ? switchedOn : undefined;
    if (wish === next) return;
    wish = next;
    if (!wish) return;
    if (notice && !isRecalled) page.dispatch(open);
    else void load(page);
  });
}

async function load(page: Page): Promise<void> {
  const { address } = page.view;
  await page.loadNotice();
  const { view } = page;
  if (address === view.address && view.isOpening) page.dispatch(view.notice ? open : fail);
}
