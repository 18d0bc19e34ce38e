import { keepRecords } from '../records/keep-records.ts';
import { checkHost } from './check-host.ts';
import { checkVersion } from './check-version.ts';
import { followTabs } from './follow-tabs.ts';
import { keepRegion } from './keep-region.ts';
import { namePurposes } from './name-purposes.ts';
import type { Page } from './page.ts';
import { reloadPage } from './reload-page.ts';

/** What a page needs after its first paint, whatever interface it has. */
export function keepPage(page: Page): void {
  keepRecords(page);
  keepRegion(page);
  followTabs(page);
  namePurposes(page);
  checkVersion(page);
  checkHost(page);
  reloadPage(page);
}
