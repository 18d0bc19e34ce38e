import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type Browser, chromium as launcher, type Page } from 'playwright-core';
import { chromium } from '../../../tools/test/chromium.ts';
import { type GatedSite, type SitePage, startGatedSite } from './banner/gated-site.ts';

const shown = 'svc-consent .banner:popover-open';
const accept = `${shown} [data-choice=accept]`;
const reject = `${shown} [data-choice=reject]`;
const article = `<main><h1>A page</h1><p style="font-size: 32px">${'Some words of it. '.repeat(100)}</p></main>`;

/** Measurements that the page records about itself from its start. */
interface Notes {
  readonly shifts: readonly number[];
  readonly largest: readonly { readonly text: string; readonly time: number }[];
  readonly violations: readonly string[];
}

const takeNotes = `<script>
  window.notes = { shifts: [], largest: [], violations: [] };
  const observe = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  observe('layout-shift', ({ value }) => notes.shifts.push(value));
  observe('largest-contentful-paint', ({ element, startTime }) =>
    notes.largest.push({ text: element?.textContent.slice(0, 10) ?? '', time: startTime }));
  addEventListener('securitypolicyviolation', ({ violatedDirective }) => notes.violations.push(violatedDirective));
</script>`;

const readNotes = (page: Page): Promise<Notes> =>
  page.evaluate(() => (window as unknown as { readonly notes: Notes }).notes);

/** Two frames: changes have been rendered by then. */
const nextPaint = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

describe('the banner on a page of a site', () => {
  let site: GatedSite;
  let browser: Browser;
  before(async () => {
    site = await startGatedSite();
    browser = await launcher.launch(chromium());
  });
  after(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  /** Adds a page with the banner on it. @returns its address. */
  async function addPage({ head = '', body = article, headers = {} }: SitePage = {}, attributes = ''): Promise<string> {
    const noticeId = await site.publish();
    const element = `<svc-consent notice-id="${noticeId}" ${attributes}></svc-consent>`;
    return site.originOf('localhost') + site.addPage({ head: head + site.writeTag(), body: element + body, headers });
  }

  async function openPage(url: string): Promise<Page> {
    const page = await browser.newPage();
    await page.goto(url);
    return page;
  }

  test('is never the largest contentful paint of a page with an article, and does not delay it', async () => {
    const url = await addPage({ head: takeNotes });
    await using page = await openPage(url);
    await page.locator(shown).waitFor();
    await nextPaint(page);
    const { largest } = await readNotes(page);
    assert.equal(largest.at(-1)?.text, 'Some words');
    const [first] = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint'));
    assert.equal(largest.at(-1)?.time, first?.startTime, 'it is painted with the first of the page');
  });

  test('causes no layout shift from the first visit to the last choice', async () => {
    const url = await addPage({ head: takeNotes });
    await using page = await openPage(url);
    await page.locator(shown).waitFor();
    await page.evaluate(() => window.SvcConsent?.open());
    await page.locator('svc-consent dialog[open] .save').press('Enter');
    await page.locator(shown).waitFor({ state: 'detached' });
    await nextPaint(page);
    assert.deepEqual((await readNotes(page)).shifts, []);
  });

  test('is clickable above a layer of the greatest z-index that covers the page', async () => {
    const cover = '<div style="position: fixed; inset: 0; z-index: 2147483647; background: #eee">An advert</div>';
    await using page = await openPage(await addPage({ body: article + cover }));
    await page.locator(accept).click(); // A real press, which Playwright makes only where nothing lies above.
    assert.equal(await page.evaluate(() => window.SvcConsent?.get()?.purposes.marketing), true);
  });

  test('lets the page be drawn before a released script runs, or waits 200 ms for it', async () => {
    // Timers of one delay run in order, so this one runs behind the frame and before those that the banner sets in it.
    const watchFrame = `<script>
      window.frame = { pressed: 0, isDrawn: false };
      addEventListener('click', () => {
        frame.pressed = performance.now();
        requestAnimationFrame(() => setTimeout(() => (frame.isDrawn = true)));
      }, { capture: true });
    </script>`;
    const released = `<script type="text/plain" data-svc-purpose="marketing">
      frame.ran = { isDrawn: frame.isDrawn, waited: performance.now() - frame.pressed };
    </script>`;
    await using page = await openPage(await addPage({ head: watchFrame, body: article + released }));
    await page.locator(accept).click();
    interface Ran {
      readonly isDrawn: boolean;
      readonly waited: number;
    }
    const ran = await page.waitForFunction(
      () => (window as unknown as { readonly frame: { readonly ran?: Ran } }).frame.ran,
    );
    const { isDrawn, waited } = (await ran.jsonValue()) as Ran;
    assert.ok(isDrawn || waited >= 199, `it ran ${waited} ms after the press, without a frame`);
  });

  test('works completely under a policy of only its own origin, with Trusted Types', async () => {
    const { url } = site.gate;
    const policy = [
      "default-src 'none'",
      `script-src ${url} 'sha256-${hash('sha256', takeNotes.replace(/<\/?script>/g, ''), 'base64')}'`,
      `connect-src ${url}`,
      'img-src data:',
      "require-trusted-types-for 'script'",
      'trusted-types svc-consent svc-consent-panel',
    ];
    const headers = { 'Content-Security-Policy': policy.join('; ') };
    const page = await openPage(
      await addPage({ head: takeNotes, body: '<h1>A page</h1>', headers }, 'language="de" trigger="bottom-left"'),
    );
    await using _ = page;
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.locator(reject).click();
    await page.locator('svc-consent .trigger').click();
    await page.locator('svc-consent dialog[open] summary').click();
    await page.locator('svc-consent dialog[open] code').last().waitFor(); // The receipt has the answer of the server.
    assert.deepEqual((await readNotes(page)).violations, []);
    assert.deepEqual(complaints, []);
    const banner = page.locator('svc-consent dialog[open]');
    assert.equal(await banner.evaluate((dialog) => getComputedStyle(dialog).borderTopLeftRadius), '16px');
  });

  test('denies all Consent Mode signals before Google’s first tag, by the attribute of its script tag', async () => {
    const noticeId = await site.publish();
    const mapping = 'analytics: analytics_storage; marketing: ad_storage ad_user_data';
    const tag = site.writeTag(`data-notice-id="${noticeId}" data-consent-mode="${mapping}"`);
    const googleTag = `<script>window.atStart = [...window.dataLayer].map((command) => [...command])</script>`;
    const body = `<svc-consent notice-id="${noticeId}"></svc-consent>`;
    const path = site.addPage({ head: tag + googleTag, body });
    await using page = await openPage(site.originOf('localhost') + path);
    const signals = (value: string) => ({ analytics_storage: value, ad_storage: value, ad_user_data: value });
    const commands = () =>
      page.evaluate(() =>
        (window as unknown as { readonly dataLayer: IArguments[] }).dataLayer
          .filter((entry) => !Object.hasOwn(entry, 'event'))
          .map((command) => [...command]),
      );
    const atStart = await page.evaluate(() => (window as unknown as { readonly atStart: unknown }).atStart);
    assert.deepEqual(atStart, [['consent', 'default', { ...signals('denied'), wait_for_update: 500 }]]);
    await page.locator(accept).click();
    assert.deepEqual((await commands()).slice(1), [['consent', 'update', signals('granted')]]);

    await page.reload();
    const stored = await page.evaluate(() => (window as unknown as { readonly atStart: unknown }).atStart);
    assert.deepEqual(stored, [['consent', 'default', signals('granted')]], 'the default of a returning visitor');
  });
});
