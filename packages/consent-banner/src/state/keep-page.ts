import { keepRecords } from '../records/keep-records.ts';
import { checkVersion } from './check-version.ts';
import { followTabs } from './follow-tabs.ts';
import { keepRegion } from './keep-region.ts';
import { namePurposes } from './name-purposes.ts';
import type { Page } from './page.ts';
import { reloadPage } from './reload-page.ts';
import { reportProblem } from './report-problem.ts';

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
