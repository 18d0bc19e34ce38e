import { adoptDeferredStyles, completeBanner } from '../first-layer/complete-banner.ts';
import { keepFocusClear, returnFocus, shieldEvents } from '../first-layer/focus.ts';
import { mountOptionalElements, type OptionalElements } from '../optional-elements/load-elements.ts';
import { keepPage } from '../page/keep-page.ts';
import type { Page } from '../page/page.ts';
import { fail, open } from '../page/page-state.ts';
import { mountPanel } from './panel.ts';

/** Mounts everything that a page with the banner needs after its first paint. */
export function mountPanelScript(page: Page, optional: OptionalElements): void {
  keepPage(page);
  adoptDeferredStyles(page);
  keepFocusClear(page);
  returnFocus(page);
  shieldEvents();
  completeBanner(page);
  mountPanel(page, optional.details);
  openPanel(page);
  mountOptionalElements(page, optional);
}

/** Opens the panel when the visitor asks for it: at once if the notice is there. */
function openPanel(page: Page): void {
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
