import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Themes and widths in which every page must be accessible. */
const looks = [
  { colorScheme: 'dark', forcedColors: 'none', width: 320, height: 256 },
  { colorScheme: 'light', forcedColors: 'active', width: 1280, height: 800 },
  { colorScheme: 'light', forcedColors: 'none', width: 1280, height: 800 },
] as const;

/** The rules of axe whose answer depends on the look; the others are asked once, in the look that the page has. */
const rulesOfLook = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size'];

/**
 * Asserts that axe finds nothing in light, dark and forced colours, and that nothing is wider than the window, which is
 * 320 × 256 px in one of them: 1280 × 1024 px at 400 % (WCAG 2.2, 1.4.10). There, nothing that stays in place while the
 * page scrolls may cover half of it.
 */
export async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  assert.deepEqual(await findViolations(page, null), [], page.url());
  for (const { colorScheme, forcedColors, width, height } of looks) {
    await page.emulateMedia({ colorScheme, forcedColors });
    await page.setViewportSize({ width, height });
    assert.deepEqual(
      await findViolations(page, rulesOfLook),
      [],
      `${page.url()}: ${colorScheme}, ${forcedColors}, ${width} px`,
    );
    await assertFits(page);
    assert.deepEqual(await page.evaluate(findCovers), [], `${width} × ${height} px`);
  }
}

/** Finds what stays in place while the page scrolls and covers half of the window; a dialog has the page behind it. */
function findCovers(): readonly string[] {
  return [...document.body.querySelectorAll<HTMLElement>('*:not(dialog)')]
    .filter((element) => /fixed|sticky/.test(getComputedStyle(element).position))
    .filter(({ offsetWidth, offsetHeight }) => offsetWidth * offsetHeight > (innerWidth * innerHeight) / 2)
    .map(({ outerHTML }) => outerHTML.slice(0, 200));
}

/** Asserts that nothing is wider than the window. */
export async function assertFits(page: Page): Promise<void> {
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wider <= 0, `${page.url()}: ${wider} px wider than the window`);
}

function findViolations(page: Page, rules: readonly string[] | null): Promise<readonly string[]> {
  return page.evaluate(async (only) => {
    const { axe: inPage } = window as unknown as { axe: typeof axe };
    const options = only === null ? { rules: { 'target-size': { enabled: true } } } : { runOnly: [...only] };
    const found = await inPage.run(document, options);
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, rules);
}
