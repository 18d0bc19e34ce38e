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
const looks: Readonly<Record<string, BrowserContextOptions & { readonly language?: string }>> = {
  light: { viewport: wide },
  dark: { viewport: wide, colorScheme: 'dark' },
  'right-to-left': { viewport: wide, language: 'ar' },
  narrow: { viewport: { width: 320, height: 640 } },
  'narrow, dark and right-to-left': { viewport: { width: 320, height: 640 }, colorScheme: 'dark', language: 'he' },
  'zoomed to 400 %': { viewport: { width: 320, height: 256 }, language: 'de' },
  '4K': { viewport: { width: 3840, height: 2160 } },
  'forced colours': { viewport: wide, forcedColors: 'active' },
  'forced colours in the dark': { viewport: wide, forcedColors: 'active', colorScheme: 'dark' },
  'more contrast': { viewport: wide, contrast: 'more' },
  'more contrast in the dark, with less motion': {
    viewport: wide,
    contrast: 'more',
    colorScheme: 'dark',
    reducedMotion: 'reduce',
  },
};

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
    const { language = 'en', ...options } = looks[name] ?? {};
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await scene.prepare?.(page);
    const noticeId = await site.publish({ language, ...scene.content });
    const dir = /^(ar|he)$/.test(language) ? 'rtl' : 'ltr';
    await page.goto(site.addPage(noticeId, { lang: language, dir, ...scene.page }));
    await scene.play({ page, site, noticeId });
    if (pictures) {
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: join(pictures, `${`${scene.name} ${name}`.replace(/\W+/g, '-')}.png`) });
    }
    const found = await inspectPage(page, { forcedColors: options.forcedColors === 'active' });
    const isMoving = await page.evaluate(() => document.getAnimations().length > 0);
    await context.close();
    assert.deepEqual(found, []);
    assert.deepEqual(
      // Requests that the scene blocks: a record, or the second script.
      complaints.filter((text) => !/net::ERR_FAILED|svc-consent-panel\.js cannot/.test(text)),
      [],
    );
    if (options.reducedMotion) assert.equal(isMoving, false);
  }

  for (const name of Object.keys(looks)) {
    describe(name, () => {
      for (const scene of scenes) test(scene.name, () => visit(scene, name));
    });
  }
});
