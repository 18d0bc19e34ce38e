import type { Page } from './page.ts';
import { reportProblem } from './report-problem.ts';

/** The server refuses records from other hosts than those of the notice's domain: the console says so before anyone decides. */
export function checkHost(page: Page): void {
  const { hostname } = location;
  const update = (): void => {
    const { notice } = page.view;
    if (notice && !`.${hostname}`.endsWith(`.${notice.domain}`))
      reportProblem(
        `the notice is for ${notice.domain}: decisions on ${hostname} are not recorded. Change its domain.`,
      );
  };
  page.subscribe(update);
  update();
}
