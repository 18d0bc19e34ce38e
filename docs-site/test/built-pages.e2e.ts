import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import axe from 'axe-core';
import { type Browser, chromium as launcher, type Page } from 'playwright-core';
import { chromium } from '../../chromium.ts';
import { ensureBuilt } from './ensure-built.ts';
import { listPages, startStaticHost } from './site-pages.ts';

const narrow = { width: 320, height: 640 };
const wide = { width: 1440, height: 900 };
// 1280 × 1024 at 400 % (WCAG 2.2, 1.4.10).
const zoomed = { width: 320, height: 256 };
/** What is found by looking at the colours alone: a page is made of the same in all of them. */
const colourRules = ['color-contrast', 'link-in-text-block'];

ensureBuilt();
const pages = [...listPages(), 'nothing/'];

describe('every page of the documentation', { concurrency: 2 }, () => {
  let host: Awaited<ReturnType<typeof startStaticHost>>;
  let browser: Browser;
  before(async () => {
    host = await startStaticHost('/somewhere/deep/');
    browser = await launcher.launch(chromium());
  });
  after(async () => {
    await browser?.close();
    await host?.[Symbol.asyncDispose]();
  });

  for (const address of pages)
    test(`is accessible to everybody, fits every window, and asks nobody else: ${address || 'the first page'}`, async () => {
      const page = await browser.newPage({ viewport: wide, colorScheme: 'light' });
      const complaints = listen(page);
      await page.goto(host.url + address, { waitUntil: 'load' });
      assert.ok((await page.evaluate(measureShift)) < 0.01, 'moves while it loads');
      await assertFits(page);
      await page.setViewportSize(wide);
      await page.evaluate(axe.source);
      await assertAccessible(page, null, 'in light');
      // The operations of a page are written alike: the further looks are at the first ones, unfolded.
      await page.evaluate(keepBeginning);
      await assertAccessible(page, null, 'unfolded');
      await page.emulateMedia({ colorScheme: 'dark' });
      await assertAccessible(page, colourRules, 'in dark');
      await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' });
      await assertAccessible(page, colourRules, 'in forced colours');
      await page.emulateMedia({ forcedColors: 'none' });
      await page.setViewportSize(narrow);
      await assertAccessible(page, null, 'at 320 pixels');
      await page.close();
      assert.deepEqual(address === 'nothing/' ? complaints.filter((text) => !text.includes('404')) : complaints, []);
    });

  test('can be read whole without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: wide });
    const page = await context.newPage();
    for (const address of pages) {
      await page.goto(host.url + address, { waitUntil: 'load' });
      assert.equal(await page.locator('h1').count(), 1, address);
      assert.equal(await page.getByRole('navigation', { name: 'Documentation' }).isVisible(), true, address);
      assert.equal(await page.locator('.needs-script:visible').count(), 0, address);
      assert.equal(await page.locator('pre:visible').count(), await page.locator('main pre').count(), address);
    }
    await context.close();
  });

  test('gives its menu to narrow windows without scripts too', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: narrow });
    const page = await context.newPage();
    await page.goto(host.url);
    const menu = page.getByRole('navigation', { name: 'Documentation' });
    assert.equal(await menu.isVisible(), false);
    await page.getByRole('button', { name: 'Menu' }).click();
    assert.equal(await menu.isVisible(), true);
    await page.keyboard.press('Escape');
    assert.equal(await menu.isVisible(), false);
    await context.close();
  });

  test('leaves the window to its text at 400 % zoom', async () => {
    const page = await browser.newPage({ viewport: zoomed });
    await page.goto(`${host.url}reference/`);
    const bottom = await page.evaluate(() => {
      scrollTo({ top: 400, behavior: 'instant' });
      return document.querySelector('.top')?.getBoundingClientRect().bottom ?? 0;
    });
    assert.ok(bottom <= 0);
    await page.close();
  });
});

/** Whatever the browser complains of, and every request that leaves the host. */
function listen(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
  page.on('request', (request) => {
    if (!request.url().startsWith('http://127.0.0.1:')) complaints.push(`asked: ${request.url()}`);
  });
  return complaints;
}

async function assertFits(page: Page): Promise<void> {
  for (const width of [320, 700, 1000, 1320, 1920]) {
    await page.setViewportSize({ width, height: 800 });
    const size = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(size <= width, `is ${size} wide at ${width}`);
  }
}

async function assertAccessible(page: Page, rules: readonly string[] | null, look: string): Promise<void> {
  const violations = await page.evaluate(async (wanted) => {
    const { axe: inPage } = window as unknown as { axe: typeof axe };
    const found = await inPage.run(document, {
      resultTypes: ['violations'],
      preload: false,
      ...(wanted === null
        ? { rules: { 'target-size': { enabled: true } } }
        : { runOnly: { type: 'rule' as const, values: [...wanted] } }),
    });
    return found.violations.map(({ id, nodes }) => {
      const parts = nodes.slice(0, 3).map(({ html, failureSummary }) => `${html} ${failureSummary}`);
      return `${id}: ${parts.join('\n')}`;
    });
  }, rules);
  assert.deepEqual(violations, [], look);
}

/** Keeps the beginning of a long page and opens what is folded there. */
function keepBeginning(): void {
  for (const section of [...document.querySelectorAll('article > section')].slice(2)) section.remove();
  for (const details of document.querySelectorAll('details')) details.open = true;
}

/** Cumulative layout shift from the beginning of the page on. */
function measureShift(): Promise<number> {
  return new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) sum += (entry as unknown as { readonly value: number }).value;
    }).observe({ type: 'layout-shift', buffered: true });
    requestAnimationFrame(() => setTimeout(() => resolve(sum)));
  });
}
