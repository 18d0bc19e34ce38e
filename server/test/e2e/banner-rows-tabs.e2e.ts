import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Browser, type BrowserContext, chromium as launcher, type Page } from 'playwright-core';
import { chromium } from '../../../tools/test/chromium.ts';
import { type GatedSite, startGatedSite } from './banner/gated-site.ts';

const shown = 'svc-consent .banner:popover-open';
const readPurposes = () => window.SvcConsent?.get()?.purposes ?? null;
const allowed = { necessary: true, analytics: true, marketing: true };
const refused = { necessary: true, analytics: false, marketing: false };

describe('one decision of one visitor', () => {
  let site: GatedSite;
  let browser: Browser;
  let context: BrowserContext;
  before(async () => {
    site = await startGatedSite();
    browser = await launcher.launch(chromium());
    context = await browser.newContext();
  });
  after(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  async function open(host: string, path: string): Promise<Page> {
    const page = await context.newPage();
    await page.goto(site.originOf(host) + path);
    return page;
  }

  async function addPage(noticeId: string, attributes = ''): Promise<string> {
    const body = `<svc-consent notice-id="${noticeId}" ${attributes}></svc-consent><h1>A page</h1>`;
    return site.addPage({ head: site.writeTag(), body });
  }

  const press = (page: Page, choice: 'accept' | 'reject'): Promise<void> =>
    page
      .locator(`svc-consent [data-choice=${choice}]:visible`)
      .first()
      .evaluate((button) => (button as HTMLElement).click());

  test('closes the banner in another real tab immediately', async () => {
    const path = await addPage(await site.publish());
    const [one, other] = [await open('localhost', path), await open('localhost', path)];
    for (const page of [one, other]) await page.locator(shown).waitFor();
    await press(one, 'accept');
    await other.waitForFunction(readPurposes);
    assert.deepEqual(await other.evaluate(readPurposes), allowed);
    assert.equal(await other.locator(shown).count(), 0);
    await Promise.all([one.close(), other.close()]);
  });

  test('applies on every host below its cookie-domain, and on no other', async () => {
    const path = await addPage(await site.publish('localhost'), 'cookie-domain="shop.localhost"');
    const www = await open('www.shop.localhost', path);
    await www.locator(shown).waitFor();
    await press(www, 'accept');

    const blog = await open('blog.shop.localhost', path);
    await blog.waitForFunction(readPurposes);
    assert.deepEqual(await blog.evaluate(readPurposes), allowed);
    assert.equal(await blog.locator(shown).count(), 0);

    const stranger = await open('news.localhost', path);
    await stranger.locator(shown).waitFor();
    assert.equal(await stranger.evaluate(readPurposes), null);

    await blog.evaluate(() => window.SvcConsent?.open());
    await blog.locator('svc-consent dialog[open]').waitFor();
    await press(blog, 'reject');
    assert.deepEqual(await blog.evaluate(readPurposes), refused);
    await www.reload();
    await www.waitForFunction(readPurposes);
    assert.deepEqual(await www.evaluate(readPurposes), refused);
    const names = (await context.cookies()).map(({ name, domain }) => `${domain} ${name.replace(/%3A.*/, '')}`);
    assert.deepEqual(names, ['.shop.localhost svc-consent']);
    await Promise.all([www.close(), blog.close(), stranger.close()]);
  });

  test('survives a router that replaces the body with that of the next page', async () => {
    const path = await addPage(await site.publish());
    const page = await open('router.localhost', path);
    await page.locator(shown).waitFor();
    /** As Turbo does it: the next page is fetched, parsed, and its body adopted. */
    const visit = () =>
      page.evaluate(async (address) => {
        const next = new DOMParser().parseFromString(await (await fetch(address)).text(), 'text/html');
        document.body.replaceWith(document.adoptNode(next.body));
      }, path);
    await visit();
    await page.locator(shown).waitFor();
    await press(page, 'reject');
    await visit();
    assert.deepEqual(await page.evaluate(readPurposes), refused);
    await page.evaluate(() => window.SvcConsent?.open());
    await page.locator('svc-consent dialog[open]').waitFor();
    assert.equal(await page.locator(shown).count(), 0);
    await page.close();
  });
});
