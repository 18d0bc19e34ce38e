import type { Bench, Finding } from './benchmark.ts';
import { spreadOf } from './slices.ts';
import type { Visits } from './visits.ts';

type Listening = Window & { heard: Promise<number> };

/**
 * From the press on "Accept all" in one tab to the decision's event in another of the same browser, by the clock that both
 * share. @param path of a page with the banner.
 */
export async function measureSecondTab({ pace }: Bench, visits: Visits, path: string): Promise<Finding> {
  const figures: number[] = [];
  for (let round = -pace.warmups; round < 2 * pace.pairs; round++) {
    const took = await visits.visit({ path, slowdown: 1 }, async (page) => {
      const other = await page.context().newPage();
      await other.goto(visits.origin + path);
      const accept = 'svc-consent .banner [data-choice=accept]';
      for (const tab of [page, other]) await tab.locator(accept).waitFor();
      await other.evaluate(listen);
      const decided = await page.locator(accept).evaluate(press);
      return (await other.evaluate(() => (window as unknown as Listening).heard)) - decided;
    });
    if (round >= 0) figures.push(took);
  }
  return {
    what: 'banner: press in one tab to decision event in the other',
    ours: '',
    floor: '',
    value: spreadOf(figures),
    unit: 'ms',
    budget: { atMost: 50 },
  };
}

/** Runs in the page that hears. */
function listen(): void {
  (window as unknown as Listening).heard = new Promise((resolve) => {
    document.addEventListener('svc-consent', () => resolve(performance.timeOrigin + performance.now()));
  });
}

/** Runs in the page that is pressed. */
function press(button: Element): number {
  const time = performance.timeOrigin + performance.now();
  (button as HTMLElement).click();
  return time;
}
