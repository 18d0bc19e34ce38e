import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Browser, type BrowserContext, chromium as launcher, type Page } from 'playwright-core';
import { chromium } from '../../tools/test/chromium.ts';
import { assertAccessible, ColourCheck, loadAxe } from './accessibility.ts';
import { ensureBuilt } from './ensure-built.ts';
import { listPages, startStaticHost } from './site-pages.ts';

const narrow = { width: 320, height: 640 };
const wide = { width: 1440, height: 900 };
// 1280 × 1024 at 400 % (WCAG 2.2, 1.4.10).
const zoomed = { width: 320, height: 256 };

ensureBuilt();
const pages = [...listPages(), 'nothing/'];

describe('every page of the documentation', { concurrency: 2 }, () => {
  let host: Awaited<ReturnType<typeof startStaticHost>>;
  let browser: Browser;
  let context: BrowserContext;
  // A tab walks from page to page: a new one for each would cost more than the page.
  const idle: Tab[] = [];
  const colours = new ColourCheck();
  before(async () => {
    host = await startStaticHost('/somewhere/deep/');
    browser = await launcher.launch(chromium());
    context = await browser.newContext();
  });
  after(async () => {
    await browser?.close();
    await host?.[Symbol.asyncDispose]();
  });

  for (const address of pages)
    test(`is accessible, fits every window, and sends no request to other hosts: ${address || 'the first page'}`, async () => {
      const tab = idle.pop() ?? (await openTab(context));
      const { page } = tab;
      const complaints = tab.listen();
      await page.setViewportSize(wide);
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(host.url + address, { waitUntil: 'load' });
      assert.ok((await page.evaluate(measureShift)) < 0.01, 'moves while it loads');
      await assertFits(page);
      await page.setViewportSize(wide);
      await loadAxe(page);
      await page.evaluate(unfold, true);
      await colours.assertReadable(page, 'in light');
      await page.emulateMedia({ colorScheme: 'dark' });
      await colours.assertReadable(page, 'in dark');
      await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' });
      await colours.assertReadable(page, 'in forced colours');
      await page.emulateMedia({ forcedColors: 'none' });
      await page.setViewportSize(narrow);
      await colours.assertReadable(page, 'at 320 pixels');
      await page.setViewportSize(wide);
      await page.evaluate(unfold, false);
      await page.evaluate(lighten);
      await assertAccessible(page, 'whole');
      // The operations of a page are written alike: the further look is at the first ones, unfolded.
      await page.evaluate(keepBeginning);
      await page.evaluate(unfold, true);
      await page.setViewportSize(narrow);
      await assertAccessible(page, 'unfolded, at 320 pixels');
      assert.deepEqual(address === 'nothing/' ? complaints.filter((text) => !text.includes('404')) : complaints, []);
      idle.push(tab);
    });

  test('can be read whole without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: wide });
    const page = await context.newPage();
    for (const address of pages) {
      await page.goto(host.url + address, { waitUntil: 'load' });
      const seen = await page.evaluate(() => {
        const find = (selector: string) => [...document.querySelectorAll(selector)];
        const isSeen = (element: Element) => element.checkVisibility({ visibilityProperty: true });
        return {
          titles: find('h1').filter(isSeen).length,
          menus: find('nav[aria-label="Documentation"]').filter(isSeen).length,
          dead: find('.needs-script').filter(isSeen).length,
          hidden: find('main pre').filter((block) => !isSeen(block)).length,
        };
      });
      assert.deepEqual(seen, { titles: 1, menus: 1, dead: 0, hidden: 0 }, address);
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

/** A tab of the browser, and whatever the browser complains of in it, with every request that leaves the host. */
interface Tab {
  readonly page: Page;
  /** Begins a new list of complaints. */
  listen(): readonly string[];
}

async function openTab(context: BrowserContext): Promise<Tab> {
  const page = await context.newPage();
  let complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
  page.on('request', (request) => {
    if (!request.url().startsWith('http://127.0.0.1:')) complaints.push(`requested: ${request.url()}`);
  });
  const listen = () => {
    complaints = [];
    return complaints;
  };
  return { page, listen };
}

async function assertFits(page: Page): Promise<void> {
  for (const width of [320, 700, 1000, 1320, 1920]) {
    await page.setViewportSize({ width, height: 800 });
    const size = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(size <= width, `is ${size} wide at ${width}`);
  }
}

function unfold(open: boolean): void {
  for (const details of document.querySelectorAll('details')) details.open = open;
}

/** Takes out what costs time and shows nothing: the colors of code, and what stays folded in the later operations. */
function lighten(): void {
  for (const code of document.querySelectorAll('pre code')) code.textContent = `${code.textContent}`;
  for (const part of document.querySelectorAll('article > section:nth-of-type(n + 3) details > :not(summary)'))
    part.remove();
}

/** Keeps the beginning of a long page. */
function keepBeginning(): void {
  for (const section of [...document.querySelectorAll('article > section')].slice(2)) section.remove();
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
