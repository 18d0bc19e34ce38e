import { completeBanner } from './first-layer/complete-banner.ts';
import { keepFocusClear } from './first-layer/focus-clearance.ts';
import { adoptFurtherStyles } from './first-layer/further.styles.ts';
import { returnFocus } from './first-layer/return-focus.ts';
import { shieldEvents } from './first-layer/shield-events.ts';
import { keepPage } from './page/keep-page.ts';
import type { Page } from './page/page.ts';
import { mountPanel } from './panel/mount-panel.ts';
import { mountParts, type Parts } from './parts.ts';
import { openPanel } from './state/open-panel.ts';

/** What a page with the banner needs after its first paint. */
export function mountFurther(page: Page, parts: Parts): void {
  keepPage(page);
  adoptFurtherStyles(page);
  keepFocusClear(page);
  returnFocus(page);
  shieldEvents();
  completeBanner(page);
  mountPanel(page, parts.details);
  openPanel(page);
  mountParts(page, parts);
}
