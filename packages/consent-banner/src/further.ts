import { completeBanner } from './first-layer/complete-banner.ts';
import { keepFocusClear } from './first-layer/focus-clearance.ts';
import { adoptFurtherStyles } from './first-layer/further.styles.ts';
import { returnFocus } from './first-layer/return-focus.ts';
import { shieldEvents } from './first-layer/shield-events.ts';
import { mountPanel } from './panel/mount-panel.ts';
import { mountParts, type Parts } from './parts.ts';
import { keepPage } from './state/keep-page.ts';
import { openPanel } from './state/open-panel.ts';
import type { Page } from './state/page.ts';

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
