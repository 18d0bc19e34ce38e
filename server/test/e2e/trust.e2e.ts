import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium as launcher, type Page } from 'playwright-core';
import { chromium } from '../../../tools/test/chromium.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { publishTrust, putTrust, trustCenter } from '../site/trust/helpers.ts';
import { assertAccessible } from './accessible.ts';

const narrow = { width: 320, height: 640 };
const wide = { width: 1280, height: 900 };
/** Texts that overflow their containers if the page lets them. */
const long = 'Unbreakable'.repeat(14).slice(0, 100);
const hostile = {
  headline: `<b>${long}</b> \u05d0\u05d1\u05d2\u05d3`,
  description: `${long}${long}\n\n<script>alert(1)</script>`,
  links: [{ label: long, url: `https://${'a'.repeat(60)}.${'b'.repeat(60)}.example/` }],
  subprocessors: [
    { name: long, purpose: `${long}${long}`, country: long.slice(0, 80) },
    { name: 'Short', purpose: '\u0627\u0644\u062a\u062e\u0632\u064a\u0646', country: 'Egypt' },
  ],
  contactEmail: `${'a'.repeat(64)}@${'b'.repeat(60)}.example.com`,
};

// The page as visitors see it, in a real browser.
describe('the trust page in a browser', () => {
  let server: TestServer;
  let browser: Browser;
  let pages: Readonly<Record<'full' | 'hostile' | 'missing', string>>;

  before(async () => {
    server = await startTestServer();
    browser = await launcher.launch(chromium());
    const full = await publishTrust(server);
    await server.request('POST', '/v1/ledgers/audit/checkpoints', { key: full.key });
    const odd = await publishTrust(server, { published: false });
    await server.request('PATCH', '/v1/tenant', { key: odd.key, body: { name: `${long}\u202E <i>` } });
    const put = await putTrust(server, odd, { ...trustCenter, ...hostile });
    assert.equal(put.status, 200, put.text);
    pages = { full: full.slug, hostile: odd.slug, missing: 'missing' };
  });
  after(async () => {
    await browser?.close();
    await server[Symbol.asyncDispose]();
  });

  /** Opens a page and runs a step on it; any complaint of the browser fails the test. */
  async function visit(
    name: keyof typeof pages,
    options: BrowserContextOptions,
    step: (page: Page) => Promise<void>,
  ): Promise<void> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
    const response = await page.goto(`${server.url}/trust/${pages[name]}`, { waitUntil: 'load' });
    assert.equal(response?.status(), name === 'missing' ? 404 : 200);
    await step(page);
    await context.close();
    // Chromium logs this for every missing page.
    assert.deepEqual(
      complaints.filter((text) => !text.includes('status of 404')),
      [],
    );
  }

  const openAll = async (page: Page) => {
    for (const summary of await page.locator('summary').all()) await summary.click();
  };

  for (const look of [
    { colorScheme: 'light', viewport: wide },
    { colorScheme: 'dark', viewport: narrow },
  ] as const)
    test(`is accessible, opened ${look.colorScheme} and ${look.viewport.width} px wide`, async () => {
      for (const one of ['full', 'hostile', 'missing'] as const) {
        await visit(one, look, async (page) => {
          await assertAccessible(page);
          await openAll(page);
          await assertAccessible(page);
        });
      }
    });

  test('follows the colour scheme of the visitor', async () => {
    const background = async (colorScheme: 'light' | 'dark') => {
      let color = '';
      await visit('full', { colorScheme }, async (page) => {
        color = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      });
      return color;
    };
    assert.notEqual(await background('light'), await background('dark'));
  });

  test('never scrolls horizontally, from 320 pixels on, with any texts', async () => {
    for (const one of ['full', 'hostile', 'missing'] as const) {
      await visit(one, {}, async (page) => {
        await openAll(page);
        for (const width of [320, 360, 640, 768, 1280, 1600]) {
          await page.setViewportSize({ width, height: 800 });
          const size = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(size <= width, `${one} is ${size} wide at ${width}`);
          const beyond = await page.evaluate(() =>
            [...document.querySelectorAll('body *')]
              .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
              .map(({ outerHTML }) => outerHTML.slice(0, 80)),
          );
          assert.deepEqual(beyond, []);
        }
      });
    }
  });

  test('is reachable by keyboard in reading order', async () => {
    await visit('full', { viewport: narrow }, async (page) => {
      const expected = await page.evaluate(() =>
        [...document.querySelectorAll('a[href], summary')].map(({ textContent }) => textContent),
      );
      assert.equal(expected.length, 11);
      const reached: (string | null)[] = [];
      for (const _ of expected) {
        await page.keyboard.press('Tab');
        const focused = await page.evaluate(() => {
          const element = document.activeElement as HTMLElement;
          const { outlineStyle, outlineWidth } = getComputedStyle(element);
          const { top, bottom } = element.getBoundingClientRect();
          const isSeen = outlineStyle === 'solid' && outlineWidth === '3px' && top >= 0 && bottom <= innerHeight;
          return { text: element.textContent, isSeen };
        });
        assert.ok(focused.isSeen, `${focused.text} has the focus, and one sees it`);
        reached.push(focused.text);
      }
      assert.deepEqual(reached, expected);
    });
  });

  test('opens collapsed sections by keyboard', async () => {
    await visit('full', { viewport: wide }, async (page) => {
      const text = page.getByText('It is no SOC 2 report');
      assert.equal(await text.isVisible(), false);
      await page.getByText('What this does not mean: SOC 2').focus();
      await page.keyboard.press('Enter');
      await text.waitFor({ state: 'visible' });
    });
  });

  test('works without JavaScript', async () => {
    await visit('full', { javaScriptEnabled: false, viewport: wide }, async (page) => {
      assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), pages.full);
      assert.equal(await page.getByRole('link', { name: 'Privacy policy' }).isVisible(), true);
      await page.getByText('What this does not mean: GDPR').click();
      await page.getByText('certification exists only through bodies').waitFor({ state: 'visible' });
    });
  });

  test('is a table for screen readers even when rendered as stacked blocks', async () => {
    for (const viewport of [narrow, wide]) {
      await visit('full', { viewport }, async (page) => {
        const table = page.getByRole('table', { name: 'Subprocessors' });
        assert.deepEqual(await table.getByRole('columnheader').allTextContents(), [
          'Name',
          'Purpose',
          'Location',
          'Since',
        ]);
        assert.equal(await table.getByRole('rowheader', { name: 'Example Cloud GmbH' }).count(), 1);
        assert.equal(await table.getByRole('cell', { name: 'Germany', exact: true }).count(), 1);
      });
    }
  });

  test('prints collapsed sections', async () => {
    await visit('full', { viewport: wide }, async (page) => {
      const height = () =>
        page.getByText('It is no SOC 2 report').evaluate((text) => text.getBoundingClientRect().height);
      assert.equal(await height(), 0);
      await page.emulateMedia({ media: 'print' });
      assert.ok((await height()) > 0);
    });
  });
});
