import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { puppeteerCore } from '@web/test-runner-chrome';
import { chromium } from '../../../tools/test/chromium.ts';
import { type GatedSite, startGatedSite } from './banner/gated-site.ts';

const noteReturn = `<script>addEventListener('pageshow', ({ persisted }) => { window.isRestored = persisted })</script>`;
const banner = '>>> .banner:popover-open';
const accept = '>>> .banner [data-choice=accept]';

// Kinds of visits that only Chromium itself produces; puppeteer leaves these features enabled.
describe('a visit that starts in the browser’s memory', () => {
  let site: GatedSite;
  let browser: Awaited<ReturnType<typeof puppeteerCore.launch>>;
  before(async () => {
    site = await startGatedSite();
    browser = await puppeteerCore.launch({ ...chromium(), headless: true });
  });
  after(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  /** Two pages with the same notice. */
  async function addPages(): Promise<readonly [string, string]> {
    const body = `<svc-consent notice-id="${await site.publish()}"></svc-consent><h1>A page</h1>`;
    const add = () => site.originOf('localhost') + site.addPage({ head: noteReturn + site.writeTag(), body });
    return [add(), add()];
  }

  const isRestored = () => (window as unknown as { readonly isRestored?: boolean }).isRestored === true;

  test('by the back button restores the page, which still asks and records the answer', async () => {
    const [first, next] = await addPages();
    const page = await browser.newPage();
    await page.goto(first);
    await page.waitForSelector(banner);
    await page.goto(next);
    await page.evaluate(() => history.back());
    await page.waitForFunction(isRestored);
    await page.$eval(accept, (button) => (button as HTMLElement).click());
    await page.waitForFunction(() => window.SvcConsent?.get()?.purposes.marketing === true);
    await page.close();
  });

  test('by the back button applies a decision that was made meanwhile', async () => {
    const [first, next] = await addPages();
    const page = await browser.newPage();
    await page.goto(first);
    await page.waitForSelector(banner);
    await page.goto(next);
    await page.waitForSelector(banner);
    await page.$eval(accept, (button) => (button as HTMLElement).click());
    await page.evaluate(() => history.back());
    await page.waitForFunction((path) => location.pathname === path, {}, new URL(first).pathname);
    await page.waitForFunction(() => window.SvcConsent?.get()?.purposes.marketing === true);
    assert.equal(await page.$(banner), null);
    await page.close();
  });

  // The page reports to the gate, because puppeteer loses track when a prerendered page is activated.
  test('that was prerendered sends no request before it is visible, and shows the banner then', async () => {
    const noticeId = await site.publish();
    const [loaded, shown] = [`/loaded-${noticeId}`, `/shown-${noticeId}`];
    const report = `
      const report = (path) => fetch('${site.gate.url}' + path, { mode: 'no-cors' });
      const reportBanner = () => {
        const banner = document.querySelector('svc-consent').shadowRoot?.querySelector('.banner:popover-open');
        if (!banner) return requestAnimationFrame(reportBanner);
        const [{ activationStart }] = performance.getEntriesByType('navigation');
        report(activationStart > 0 ? '${shown}' : '/not-prerendered');
      };
      addEventListener('load', () => setTimeout(() => report('${loaded}')));
      requestAnimationFrame(reportBanner);`;
    const body = `<svc-consent notice-id="${noticeId}"></svc-consent><script>${report}</script>`;
    const path = site.addPage({ head: site.writeTag(), body });
    const rules = JSON.stringify({ prerender: [{ urls: [path], eagerness: 'immediate' }] });
    const head = `<script type="speculationrules">${rules}</script>`;
    const start = site.addPage({ head, body: `<a href="${path}">Next</a>` });
    const page = await browser.newPage();
    await page.goto(site.originOf('localhost') + start);
    await site.gate.waitFor(loaded);
    const isAboutNotice = (line: string) => line.includes(`consent/${noticeId}`);
    assert.equal(site.gate.asked.some(isAboutNotice), false);
    await page.$eval('a', (link) => void setTimeout(() => link.click()));
    await site.gate.waitFor(shown);
    assert.equal(site.gate.asked.filter(isAboutNotice).length, 1);
    // The page is not closed: its target was replaced at activation. It goes with the browser.
  });
});
