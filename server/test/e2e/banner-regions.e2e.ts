import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type Browser, type BrowserContext, type Locator, chromium as launcher, type Page } from 'playwright-core';
import { chromium } from '../../../tools/test/chromium.ts';
import { payload } from '../consent/helpers.ts';
import { type BannerSite, startBannerSite } from './banner/site.ts';

const day = 86_400_000;

const content = {
  controllerName: 'Example Ltd',
  links: { privacyPolicy: 'https://example.com/privacy' },
  purposes: [
    { key: 'necessary', label: 'Necessary', description: 'Keeps the site working.', required: true },
    {
      key: 'statistics',
      label: 'Statistics',
      description: 'Counts visits to improve the site.',
      required: false,
      basisByRegion: { GB: 'object', US: 'object', SG: 'exempt' },
      trackers: [{ name: '_visits', provider: 'Example Ltd', lifetime: 'P13M', thirdParty: false }],
    },
    {
      key: 'marketing',
      label: 'Marketing',
      description: 'Shows offers on other sites.',
      required: false,
      basisByRegion: { US: 'object', SG: 'exempt' },
      trackers: [{ name: '_ad', provider: 'Ads Inc', lifetime: 'session', thirdParty: true }],
    },
  ],
} as const;

/** Blocked content: a script that counts, and a film. */
const held = `
  <script type="text/plain" data-svc-purpose="statistics">
    document.cookie = '_visits=1; path=/';
    document.documentElement.dataset.counted = 'true';
  </script>
  <iframe class="video" title="A film" data-svc-purpose="marketing" data-svc-src="/frame"></iframe>`;

/** A browser of one visitor, and a page with the banner in it. */
interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly noticeId: string;
  readonly firstLayer: Locator;
  readonly panel: Locator;
  /** Loads the page again, as the next visit, some days later. */
  comeBack(days?: number): Promise<void>;
  readRecords(): Promise<readonly Record<string, never>[]>;
}

// Every line of the checklists in docs-site/pages/widgets/regions.md names a test of this file.
describe('the banner in the law of a region', () => {
  let site: BannerSite;
  let browser: Browser;
  before(async () => {
    site = await startBannerSite({ SVC_REGION_HEADER: 'X-Region', SVC_TRUSTED_PROXIES: '1' });
    browser = await launcher.launch(chromium());
  });
  after(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  /** Opens a page in a new browser. @param signal whether the browser sends Global Privacy Control. */
  async function visit(
    region: string | null,
    { signal = false, body = held, attributes = '', notice = {} as object } = {},
  ): Promise<Visit> {
    const noticeId = await site.publish({ ...content, ...notice });
    const address = site.addPage(noticeId, {
      attributes: `${region === null ? '' : `region="${region}"`} ${attributes}`,
      body,
    });
    const context = await browser.newContext();
    const page = await context.newPage();
    if (signal)
      await page.addInitScript(() =>
        Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { get: () => true }),
      );
    await page.goto(address);
    return {
      page,
      context,
      noticeId,
      firstLayer: page.getByRole('region', { name: 'Your privacy, your choice' }),
      panel: page.getByRole('dialog', { name: 'Privacy preferences' }),
      async comeBack(days = 0) {
        await page.clock.setSystemTime((await page.evaluate(() => Date.now())) + days * day);
        await page.goto(address);
      },
      async readRecords() {
        return payload(await site.server.request('GET', `/v1/consent/${noticeId}/records`), 200).data;
      },
      [Symbol.asyncDispose]: () => context.close(),
    };
  }

  const press = (place: Locator, name: string) => place.getByRole('button', { name, exact: true }).click();
  const isCounted = (page: Page) => page.evaluate(() => document.documentElement.dataset.counted === 'true');
  const counted = (page: Page) => page.locator('html[data-counted=true]').waitFor({ state: 'attached' });
  const film = (page: Page) => page.locator('iframe[title="A film"]');
  const loaded = (page: Page) => page.locator('iframe[title="A film"][src]').waitFor({ state: 'attached' });
  const emptied = (page: Page) => page.locator('iframe[title="A film"]:not([src])').waitFor({ state: 'attached' });
  /** The banner has done what it does after a page has loaded. */
  async function settle(page: Page): Promise<void> {
    await page.waitForLoadState('networkidle');
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  }
  const sendsRecord = (page: Page) =>
    page.waitForResponse((response) => response.request().method() === 'POST' && response.url().endsWith('/records'));

  describe('where consent is needed (European Union)', () => {
    test('loads and stores nothing before a choice', async () => {
      await using visitor = await visit('DE');
      await visitor.firstLayer.waitFor();
      await settle(visitor.page);
      assert.equal(await isCounted(visitor.page), false);
      assert.equal(await film(visitor.page).getAttribute('src'), null);
      assert.deepEqual(await visitor.context.cookies(), []);
      assert.equal(await visitor.page.evaluate(() => localStorage.length), 0);
      assert.equal(await visitor.page.evaluate(() => window.SvcConsent?.get()), null);
    });

    test('asks for everything that can be refused while the region is unknown', async () => {
      await using visitor = await visit(null);
      await visitor.firstLayer.waitFor();
      await settle(visitor.page);
      assert.equal(await isCounted(visitor.page), false);
      const recorded = sendsRecord(visitor.page);
      await press(visitor.firstLayer, 'Accept all');
      const { basis, region } = (await (await recorded).json()).data;
      assert.deepEqual([basis.statistics, basis.marketing, region], ['consent', 'consent', null]);
    });

    test('refuses with one press on the first layer, by a button like that of accepting', async () => {
      await using visitor = await visit('FR');
      const [reject, accept] = await Promise.all(
        ['Reject all', 'Accept all'].map((name) =>
          visitor.firstLayer.getByRole('button', { name, exact: true }).evaluate((button) => {
            const { width, height } = button.getBoundingClientRect();
            const { color, backgroundColor, fontSize, fontWeight, borderColor } = getComputedStyle(button);
            return { width, height, color, backgroundColor, fontSize, fontWeight, borderColor };
          }),
        ),
      );
      assert.deepEqual(reject, accept);
      await press(visitor.firstLayer, 'Reject all');
      await visitor.firstLayer.waitFor({ state: 'hidden' });
      await settle(visitor.page);
      assert.equal(await isCounted(visitor.page), false);
      assert.equal(await film(visitor.page).getAttribute('src'), null);
    });

    test('has no switch on beforehand', async () => {
      await using visitor = await visit('NL');
      await press(visitor.firstLayer, 'Preferences');
      for (const name of ['Statistics', 'Marketing'])
        assert.equal(await visitor.panel.getByRole('switch', { name }).isChecked(), false, name);
    });

    test('takes consent for each purpose by itself', async () => {
      await using visitor = await visit('AT');
      await press(visitor.firstLayer, 'Preferences');
      await visitor.panel.getByRole('switch', { name: 'Statistics' }).check();
      const recorded = sendsRecord(visitor.page);
      await press(visitor.panel, 'Save choices');
      await counted(visitor.page);
      const { purposes } = (await (await recorded).json()).data;
      assert.deepEqual(purposes, { necessary: true, statistics: true, marketing: false });
      assert.equal(await film(visitor.page).getAttribute('src'), null);
    });

    test('names the controller, the purposes, the policy, and what is stored for how long by whom', async () => {
      await using visitor = await visit('IE');
      const text = ((await visitor.firstLayer.textContent()) ?? '').replace(/[\u2066-\u2069]/g, '');
      assert.match(text, /Example Ltd .*Statistics and Marketing\. .*change it at any time/);
      const policy = visitor.firstLayer.getByRole('link', { name: 'Privacy policy' });
      assert.equal(await policy.getAttribute('href'), 'https://example.com/privacy');
      await press(visitor.firstLayer, 'Preferences');
      await visitor.panel.getByText('Shows offers on other sites.').waitFor();
      for (const list of await visitor.panel.getByText('Cookies and similar technologies').all()) await list.click();
      await visitor.panel.getByRole('row', { name: /_visits.*Example Ltd.*This site.*13 months/ }).waitFor();
      await visitor.panel
        .getByRole('row', { name: /_ad.*Ads Inc.*Third party.*Until the browser is closed/ })
        .waitFor();
    });

    test('leaves the page usable without a choice, and going on is no consent', async () => {
      await using visitor = await visit('ES');
      await visitor.firstLayer.waitFor();
      await visitor.page.locator('#first').click();
      await visitor.page.mouse.wheel(0, 600);
      await visitor.comeBack();
      await visitor.firstLayer.waitFor();
      await settle(visitor.page);
      assert.equal(await isCounted(visitor.page), false);
      assert.deepEqual(await visitor.readRecords(), []);
    });

    test('takes consent back as easily as it was given', async () => {
      await using visitor = await visit('PL', { attributes: 'trigger="bottom-left"' });
      const given = sendsRecord(visitor.page);
      await press(visitor.firstLayer, 'Accept all');
      const { id } = (await (await given).json()).data;
      await loaded(visitor.page);
      await visitor.page.getByRole('button', { name: 'Privacy choices' }).click();
      const taken = sendsRecord(visitor.page);
      await press(visitor.panel, 'Reject all');
      await emptied(visitor.page);
      const { id: withdrawal } = (await (await taken).json()).data;
      const path = `/v1/consent/${visitor.noticeId}/records/${withdrawal}`;
      const { kind, withdrawsRecordId } = payload(await site.server.request('GET', path), 200);
      assert.deepEqual([kind, withdrawsRecordId], ['withdrawal', id]);
    });

    test('records the words that were shown, their language and their hash', async () => {
      await using visitor = await visit('SE');
      const recorded = sendsRecord(visitor.page);
      await press(visitor.firstLayer, 'Accept all');
      const record = (await (await recorded).json()).data;
      const { text } = await site.server.request('GET', `/v1/public/consent/${visitor.noticeId}`, { key: null });
      assert.deepEqual([record.language, record.shownHash, record.region], ['en', hash('sha256', text), 'SE']);
      assert.deepEqual(record.basis, { necessary: 'exempt', statistics: 'consent', marketing: 'consent' });
      const shown = `/v1/consent/${visitor.noticeId}/shown/${record.shownHash}`;
      assert.equal((await site.server.request('GET', shown)).text, text);
    });

    test('asks no visitor again within six months after a refusal, whatever the page sets', async () => {
      await using visitor = await visit('IT', { attributes: 'refusal-max-age="30" max-age="30"' });
      await press(visitor.firstLayer, 'Reject all');
      await visitor.comeBack(182);
      await settle(visitor.page);
      assert.equal(await visitor.firstLayer.count(), 0);
      await visitor.comeBack(2);
      await visitor.firstLayer.waitFor();
    });

    test('asks again when the purposes change', async () => {
      await using visitor = await visit('BE');
      await press(visitor.firstLayer, 'Reject all');
      const [necessary, statistics] = content.purposes;
      const change = { purposes: [necessary, { ...statistics, description: 'Counts visits, and sells them.' }] };
      const { server } = site;
      payload(await server.request('PATCH', `/v1/consent/${visitor.noticeId}`, { body: change }), 200);
      payload(await server.request('POST', `/v1/consent/${visitor.noticeId}/publish`), 200);
      await visitor.comeBack(2);
      await visitor.firstLayer.getByText('We changed what we ask for').waitFor();
    });

    test('asks again after a year, or what the page sets', async () => {
      for (const [attributes, days] of [
        ['', 365],
        ['max-age="180"', 180],
      ] as const) {
        await using visitor = await visit('PT', { attributes });
        await press(visitor.firstLayer, 'Accept all');
        await visitor.comeBack(days - 1);
        await counted(visitor.page);
        await settle(visitor.page);
        assert.equal(await visitor.firstLayer.count(), 0, attributes);
        await visitor.comeBack(1);
        await visitor.firstLayer.waitFor();
        assert.equal(await isCounted(visitor.page), false, attributes);
      }
    });
  });

  describe('where statistics need no consent but can be objected to (United Kingdom)', () => {
    test('counts before a choice, and nothing else runs', async () => {
      await using visitor = await visit('GB');
      await counted(visitor.page);
      await visitor.firstLayer.waitFor();
      assert.equal(await film(visitor.page).getAttribute('src'), null);
      assert.equal(await visitor.page.evaluate(() => window.SvcConsent?.get()), null);
      await settle(visitor.page);
      assert.deepEqual(await visitor.readRecords(), []);
    });

    test('says that statistics are on, what they are for and how to object', async () => {
      await using visitor = await visit('GB');
      await press(visitor.firstLayer, 'Preferences');
      const row = visitor.panel.getByRole('listitem').filter({ hasText: 'Statistics' });
      await row.getByText('On unless you object').waitFor();
      await row.getByText('Counts visits to improve the site.').waitFor();
      assert.equal(await row.getByRole('switch', { name: 'Statistics' }).isChecked(), true);
      assert.equal(await visitor.panel.getByRole('switch', { name: 'Marketing' }).isChecked(), false);
    });

    test('takes an objection with one press, for good', async () => {
      await using visitor = await visit('GB-SCT');
      const recorded = sendsRecord(visitor.page);
      await press(visitor.firstLayer, 'Reject all');
      const { basis, purposes, region } = (await (await recorded).json()).data;
      assert.deepEqual([basis.statistics, basis.marketing, region], ['object', 'consent', 'GB-SCT']);
      assert.deepEqual([purposes.statistics, purposes.marketing], [false, false]);
      for (const days of [1, 700]) {
        await visitor.comeBack(days);
        await settle(visitor.page);
        assert.equal(await isCounted(visitor.page), false, `after ${days} days`);
      }
    });

    test('asks nothing where statistics are all there is, and a button to object is on the page', async () => {
      const [necessary, statistics] = content.purposes;
      await using visitor = await visit('GB', { notice: { purposes: [necessary, statistics] } });
      await counted(visitor.page);
      await visitor.page.getByRole('button', { name: 'Your Privacy Choices' }).click();
      await visitor.panel.getByText('On unless you object').waitFor();
      assert.equal(await visitor.firstLayer.count(), 0);
      await press(visitor.panel, 'Reject all');
      await visitor.comeBack();
      await settle(visitor.page);
      assert.equal(await isCounted(visitor.page), false);
    });
  });

  describe('where visitors can opt out (California)', () => {
    const choices = (page: Page) => page.getByRole('button', { name: 'Your Privacy Choices' });

    test('asks nothing, and everything is on until the visitor opts out', async () => {
      await using visitor = await visit('US-CA');
      await counted(visitor.page);
      await loaded(visitor.page);
      await choices(visitor.page).waitFor();
      await settle(visitor.page);
      assert.equal(await visitor.firstLayer.count(), 0);
      assert.equal(await visitor.page.evaluate(() => window.SvcConsent?.get()), null);
      assert.deepEqual(await visitor.readRecords(), []);
    });

    test('has the link Your Privacy Choices with its icon on every page, also after a choice', async () => {
      for (const body of ['<footer><svc-privacy-choices></svc-privacy-choices></footer>', '']) {
        await using visitor = await visit('US-CA', { body });
        await choices(visitor.page).waitFor();
        assert.equal(await choices(visitor.page).count(), 1);
        await choices(visitor.page).locator('svg').waitFor();
        await choices(visitor.page).click();
        await press(visitor.panel, 'Reject all');
        await visitor.panel.waitFor({ state: 'hidden' });
        await choices(visitor.page).waitFor();
        await visitor.comeBack(1);
        await choices(visitor.page).waitFor();
      }
    });

    test('opens both choices with one press, and neither stands out', async () => {
      await using visitor = await visit('US-CA');
      await choices(visitor.page).click();
      const [reject, accept] = await Promise.all(
        ['Reject all', 'Accept all'].map((name) =>
          visitor.panel.getByRole('button', { name, exact: true }).evaluate((button) => {
            const { width, height } = button.getBoundingClientRect();
            const { color, backgroundColor, fontSize, fontWeight } = getComputedStyle(button);
            return { width, height, color, backgroundColor, fontSize, fontWeight };
          }),
        ),
      );
      assert.deepEqual(reject, accept);
    });

    test('applies an opt-out at once and for good, and records it with its basis and region', async () => {
      await using visitor = await visit('US-CA');
      await loaded(visitor.page);
      await choices(visitor.page).click();
      const recorded = sendsRecord(visitor.page);
      await press(visitor.panel, 'Reject all');
      await emptied(visitor.page);
      const { basis, purposes, region } = (await (await recorded).json()).data;
      assert.deepEqual(basis, { necessary: 'exempt', statistics: 'object', marketing: 'object' });
      assert.deepEqual([purposes.statistics, purposes.marketing, region], [false, false, 'US-CA']);
      for (const days of [1, 364, 400]) {
        await visitor.comeBack(days);
        await settle(visitor.page);
        assert.equal(await isCounted(visitor.page), false, `after ${days} days`);
        assert.equal(await visitor.firstLayer.count(), 0, `asked after ${days} days`);
      }
    });

    test('treats Global Privacy Control as an opt-out, and asks and records nothing for it', async () => {
      await using visitor = await visit('US-CA', { signal: true });
      await choices(visitor.page).waitFor();
      await settle(visitor.page);
      assert.equal(await isCounted(visitor.page), false);
      assert.equal(await film(visitor.page).getAttribute('src'), null);
      assert.equal(await visitor.firstLayer.count(), 0);
      assert.deepEqual(await visitor.readRecords(), []);
    });

    test('shows on the page that the signal was honored', async () => {
      for (const body of ['<footer><svc-privacy-choices></svc-privacy-choices></footer>', '']) {
        await using visitor = await visit('US-CA', { signal: true, body });
        await visitor.page.getByText('Opt-out request honored').waitFor();
        await choices(visitor.page).click();
        await visitor.panel.getByText('Opt-out request honored').waitFor();
        assert.equal(await visitor.panel.getByRole('switch', { name: 'Marketing' }).isChecked(), false);
      }
    });

    test('lets a visitor opt in again in spite of the signal', async () => {
      await using visitor = await visit('US-CA', { signal: true });
      await choices(visitor.page).click();
      await visitor.panel.getByRole('switch', { name: 'Statistics' }).check();
      await press(visitor.panel, 'Save choices');
      await counted(visitor.page);
      assert.equal(await film(visitor.page).getAttribute('src'), null);
    });

    test('counts nothing that was on there as a consent elsewhere', async () => {
      await using visitor = await visit(null);
      let region = 'US-CA';
      await visitor.page.route(`${site.server.url}/v1/public/consent/*`, (route) =>
        route.continue({
          headers: { ...route.request().headers(), 'x-forwarded-for': '203.0.113.7', 'x-region': region },
        }),
      );
      await visitor.comeBack();
      await choices(visitor.page).click();
      const recorded = sendsRecord(visitor.page);
      await press(visitor.panel, 'Save choices');
      await recorded;
      region = 'FR';
      await visitor.comeBack(1);
      await visitor.firstLayer.waitFor();
      await emptied(visitor.page);
      assert.equal(await visitor.page.evaluate(() => window.SvcConsent?.get()?.purposes.statistics), false);
      await press(visitor.firstLayer, 'Preferences');
      for (const name of ['Statistics', 'Marketing'])
        assert.equal(await visitor.panel.getByRole('switch', { name }).isChecked(), false, name);
      await visitor.comeBack();
      await visitor.firstLayer.waitFor();
      assert.equal(await isCounted(visitor.page), false);
    });

    test('takes the region from a header of the proxy', async () => {
      await using visitor = await visit(null);
      await visitor.firstLayer.waitFor();
      await visitor.page.route(`${site.server.url}/v1/public/consent/*`, (route) =>
        route.continue({
          headers: { ...route.request().headers(), 'x-forwarded-for': '203.0.113.7', 'x-region': 'US-CA' },
        }),
      );
      await visitor.comeBack();
      await choices(visitor.page).waitFor();
      await counted(visitor.page);
      assert.equal(await visitor.firstLayer.count(), 0);
    });
  });

  describe('where nothing of the kind is required', () => {
    test('asks nothing, and everything is on', async () => {
      await using visitor = await visit('SG');
      await counted(visitor.page);
      await loaded(visitor.page);
      await settle(visitor.page);
      assert.equal(await visitor.firstLayer.count(), 0);
      assert.deepEqual(await visitor.readRecords(), []);
    });

    test('says in the preferences that it is always on', async () => {
      await using visitor = await visit('SG', { attributes: 'trigger="bottom-right"' });
      await counted(visitor.page);
      await visitor.page.evaluate(() => window.SvcConsent?.open());
      await visitor.panel.waitFor();
      assert.equal(await visitor.panel.getByText('Always on').count(), 3);
    });
  });
});
