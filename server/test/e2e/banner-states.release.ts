import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium as launcher } from 'playwright-core';
import { chromium } from '../../../tools/test/chromium.ts';
import { inspectPage } from './banner/inspect.ts';
import { type Scene, scenes } from './banner/scenes.ts';
import { type BannerSite, startBannerSite } from './banner/site.ts';

/** Set it to a folder to write a screenshot of every state there. */
const pictures = process.env.SVC_SCREENSHOTS;

const wide = { width: 1280, height: 800 };

/** What the settings of a visitor change in a page that is open. */
type Look = Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'forcedColors' | 'contrast'>;

/** Visits with the looks that a page takes one after the other: each state is played once a visit. */
const visits: Readonly<
  Record<
    string,
    { readonly language?: string; readonly isStill?: true; readonly looks: Readonly<Record<string, Look>> }
  >
> = {
  'in a wide window': {
    looks: {
      light: {},
      dark: { colorScheme: 'dark' },
      'forced colours': { forcedColors: 'active' },
      'forced colours in the dark': { forcedColors: 'active', colorScheme: 'dark' },
      'more contrast': { contrast: 'more' },
      '4K': { viewport: { width: 3840, height: 2160 } },
    },
  },
  'with less motion': {
    isStill: true,
    looks: { 'more contrast in the dark': { contrast: 'more', colorScheme: 'dark' } },
  },
  'right to left': { language: 'ar', looks: { light: {} } },
  'in a narrow window': { looks: { light: { viewport: { width: 320, height: 640 } } } },
  'in a narrow window, right to left': {
    language: 'he',
    looks: { dark: { viewport: { width: 320, height: 640 }, colorScheme: 'dark' } },
  },
  'zoomed to 400 %': { language: 'de', looks: { light: { viewport: { width: 320, height: 256 } } } },
};

/** Waits until the page has drawn itself anew, and its colours have changed. */
async function settle(): Promise<void> {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  await Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => undefined)));
}

describe('the banner in every state, in Chromium', { concurrency: 2 }, () => {
  let site: BannerSite;
  let browser: Browser;

  before(async () => {
    site = await startBannerSite();
    browser = await launcher.launch(chromium());
  });
  after(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  async function visit(scene: Scene, name: string): Promise<void> {
    const { language = 'en', isStill = false, looks } = visits[name] as (typeof visits)[string];
    const [first] = Object.values(looks);
    const context = await browser.newContext({
      viewport: wide,
      reducedMotion: isStill ? 'reduce' : 'no-preference',
      ...first,
    });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await scene.prepare?.(page);
    const noticeId = await site.publish({ language, ...scene.content });
    const dir = /^(ar|he)$/.test(language) ? 'rtl' : 'ltr';
    await page.goto(site.addPage(noticeId, { lang: language, dir, ...scene.page }));
    await scene.play({ page, site, noticeId });
    const isMoving = await page.evaluate(() => document.getAnimations().length > 0);
    const found: string[] = [];
    for (const [look, settings] of Object.entries(looks)) {
      const { viewport, ...media } = {
        viewport: wide,
        colorScheme: null,
        forcedColors: null,
        contrast: null,
        ...settings,
      };
      await page.setViewportSize(viewport ?? wide);
      await page.emulateMedia(media);
      await page.evaluate(settle);
      if (pictures) {
        mkdirSync(pictures, { recursive: true });
        const file = `${`${scene.name} ${name} ${look}`.replace(/\W+/g, '-')}.png`;
        await page.screenshot({ path: join(pictures, file) });
      }
      const faults = await inspectPage(page, { forcedColors: media.forcedColors === 'active' });
      found.push(...faults.map((fault) => `${look}: ${fault}`));
    }
    await context.close();
    assert.deepEqual(found, []);
    assert.deepEqual(
      // Requests that the scene blocks: a record, or the second script.
      complaints.filter((text) => !/net::ERR_FAILED|svc-consent-panel\.js cannot/.test(text)),
      [],
    );
    if (isStill) assert.equal(isMoving, false);
  }

  for (const name of Object.keys(visits)) {
    describe(name, () => {
      for (const scene of scenes) test(scene.name, () => visit(scene, name));
    });
  }
});
