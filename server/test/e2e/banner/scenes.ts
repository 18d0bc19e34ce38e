import type { Page } from 'playwright-core';
import type { BannerSite, PageOptions } from './site.ts';

/** One state in which a visitor may see the banner. */
export interface Scene {
  readonly name: string;
  /** Changes to the notice. */
  readonly content?: object;
  readonly page?: PageOptions;
  /** Before the page loads. */
  prepare?(page: Page): Promise<unknown>;
  /** The steps from the loaded page to the state. */
  readonly play: (stage: Stage) => Promise<unknown>;
}

/** The environment of a scene. */
export interface Stage {
  readonly page: Page;
  readonly site: BannerSite;
  readonly noticeId: string;
}

const banner = 'svc-consent .banner';
const panel = 'svc-consent dialog[open]';
export const reject = `${banner} [data-choice=reject]`;
export const accept = `${banner} [data-choice=accept]`;

const long = 'Datenschutzgrundverordnungsbeauftragtenstelle'.repeat(4);
const odd = '<img src=x onerror=alert(1)>$&{purposes}\u202e \u05d0\u05d1\u05d2\u05d3 ';
const hostile = (odd + long).slice(0, 200);
const describe = (text: string) => ({ label: text, description: text.repeat(3) });
const hostileContent = {
  name: hostile,
  controllerName: hostile,
  purposes: purposes(3, (index) => describe(index > 0 ? hostile : long)),
};

function purposes(count: number, texts: (index: number) => object): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({ key: `p${index}`, required: index === 0, ...texts(index) }));
}

const trackers = Array.from({ length: 60 }, (_, index) => ({
  name: `${index % 2 ? '_ga_' : long.slice(0, 90)}${index}`,
  provider: index % 3 ? 'Example Analytics Limited' : long.slice(0, 100),
  lifetime: ['P13M', 'session', 'persistent', 'P1DT12H'][index % 4],
  thirdParty: index % 2 === 0,
}));
const wordy = 'What it is for, and why, in many words. '.repeat(40);
/** Optional purposes that need no consent in California, where visitors opt out. */
const objectable = purposes(3, (index) => ({
  label: `Purpose ${index}`,
  description: 'What it is for.',
  ...(index > 0 && { basisByRegion: { 'US-CA': 'object' } }),
}));

const bar = (position: 'bottom' | 'top') => ({ layout: 'bar', position, accent: '#0b6e4f' });
const links = { privacyPolicy: 'https://example.com/privacy', imprint: 'https://example.com/imprint' };

const film = `<p>Before the film.</p><iframe class="video" title="A film" data-svc-purpose="analytics" data-svc-src="/frame"></iframe>
  <p>After the film.</p>`;

const small = ['120 90', '300 150', '100 60']
  .map((size) => {
    const [width, height] = size.split(' ');
    return `<iframe title="A map" data-svc-purpose="analytics" data-svc-src="/frame" width="${width}" height="${height}"></iframe>`;
  })
  .join(' ');

const showBanner = (page: Page) => page.locator(`${banner}:popover-open`).waitFor();
const openPanel = async (page: Page) => {
  await page.evaluate(() => window.SvcConsent?.open());
  await page.locator(panel).waitFor();
};
const openReceipt = async (page: Page) => {
  await openPanel(page);
  await page.locator(`${panel} [part=receipt] summary`).click();
  await page.locator(`${panel} [part=download]`).waitFor();
};

export const scenes: readonly Scene[] = [
  { name: 'first-layer', play: ({ page }) => showBanner(page) },
  { name: 'bar-at-the-top', content: { theme: bar('top') }, play: ({ page }) => showBanner(page) },
  {
    name: 'bar-of-long-text',
    content: {
      theme: bar('bottom'),
      texts: { title: 'A title of eighty characters. '.repeat(2), intro: wordy.slice(0, 590).trim() },
    },
    play: ({ page }) => showBanner(page),
  },
  {
    name: 'center-with-accent-and-links',
    content: { theme: { layout: 'center', accent: '#e07000' }, links },
    play: ({ page }) => showBanner(page),
  },
  {
    name: 'panel-missing',
    prepare: (page) => page.route('**/svc-consent-panel.js', (route) => route.abort()),
    async play({ page }) {
      await showBanner(page);
      await page.locator(`${banner} .quiet`).click();
      await page.locator(`${banner} [role=alert]`).waitFor();
    },
  },
  {
    name: 'panel',
    async play({ page }) {
      await showBanner(page);
      await page.locator(`${banner} .quiet`).click();
      await page.locator(panel).waitFor();
    },
  },
  {
    name: 'panel-of-50-purposes',
    content: { purposes: purposes(50, (index) => ({ label: `Purpose ${index}`, description: 'What it is for.' })) },
    play: ({ page }) => openPanel(page),
  },
  {
    name: 'first-layer-of-hostile-text',
    content: hostileContent,
    play: ({ page }) => showBanner(page),
  },
  {
    name: 'panel-of-hostile-text',
    content: hostileContent,
    play: ({ page }) => openPanel(page),
  },
  {
    name: 'panel-with-receipt',
    async play({ page }) {
      const answered = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.locator(reject).click();
      await answered;
      await openReceipt(page);
      await page
        .locator(`${panel} [part=receipt] dd:nth-of-type(4) code, ${panel} [part=receipt] dt code`)
        .first()
        .waitFor();
    },
  },
  {
    name: 'panel-with-receipt-to-come',
    prepare: (page) => page.route('**/records', (route) => route.abort()),
    async play({ page }) {
      await page.locator(accept).click();
      await openReceipt(page);
    },
  },
  {
    name: 'panel-with-privacy-signal',
    prepare: (page) => page.addInitScript('Object.defineProperty(navigator, "globalPrivacyControl", { value: true })'),
    play: ({ page }) => openPanel(page),
  },
  {
    name: 'panel-of-60-trackers',
    content: { purposes: purposes(2, (index) => ({ ...describe('Statistics'), ...(index > 0 && { trackers }) })) },
    async play({ page }) {
      await openPanel(page);
      await page.locator(`${panel} summary`).click();
      await page.locator(`${panel} tbody tr`).last().waitFor();
    },
  },
  {
    name: 'panel-of-long-descriptions',
    content: { purposes: purposes(4, () => ({ label: 'A purpose', description: wordy })) },
    async play({ page }) {
      await openPanel(page);
      await page.locator(`${panel} .more:not([hidden])`).first().click();
    },
  },
  {
    name: 'panel-of-folded-descriptions',
    content: {
      purposes: purposes(12, () => ({ label: 'A purpose', description: wordy, trackers: trackers.slice(0, 4) })),
    },
    async play({ page }) {
      await openPanel(page);
      await page.locator(`${panel} summary`).first().click();
    },
  },
  {
    name: 'panel-where-visitors-opt-out',
    content: { purposes: objectable },
    page: { attributes: 'region="US-CA"' },
    prepare: (page) => page.addInitScript('Object.defineProperty(navigator, "globalPrivacyControl", { value: true })'),
    play: ({ page }) => openPanel(page),
  },
  {
    name: 'cookie-list',
    content: { purposes: purposes(2, (index) => ({ ...describe('Statistics'), ...(index > 0 && { trackers }) })) },
    page: { body: '<h2>Cookies</h2><svc-cookie-list></svc-cookie-list>' },
    async play({ page }) {
      await page.locator(reject).click();
      await page.locator('svc-cookie-list tbody tr').last().waitFor();
    },
  },
  {
    name: 'changed-notice',
    async play({ page, site, noticeId }) {
      await page.locator(accept).click();
      const added = { key: 'maps', label: 'Maps', description: 'Shows where we are.', required: false };
      const { body } = await site.server.request('GET', `/v1/consent/${noticeId}`);
      const content = { purposes: [...body.data.purposes, added] };
      await site.server.request('PATCH', `/v1/consent/${noticeId}`, { body: content });
      await site.server.request('POST', `/v1/consent/${noticeId}/publish`);
      await page.evaluate((id) => localStorage.removeItem(`svc-consent:${id}:checked`), noticeId);
      await page.reload();
      await showBanner(page);
    },
  },
  {
    name: 'panel-of-changed-notice',
    async play(stage) {
      await scenes.find(({ name }) => name === 'changed-notice')?.play(stage);
      await openPanel(stage.page);
    },
  },
  {
    name: 'placeholder',
    page: { body: film },
    async play({ page }) {
      await page.locator(reject).click();
      await page.locator('svc-consent-placeholder button').first().waitFor();
      await page.locator('svc-consent-placeholder').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'small-placeholders',
    page: { body: small },
    async play({ page }) {
      await page.locator(reject).click();
      await page.locator('svc-consent-placeholder button').first().waitFor();
    },
  },
  {
    name: 'trigger',
    page: { attributes: 'trigger="bottom-left"' },
    async play({ page }) {
      await page.locator(reject).click();
      await page.locator('svc-consent .trigger').waitFor();
    },
  },
];
