// node docs-site/test/screenshots.ts <folder> [page …]: pictures of pages in light, dark, narrow and wide.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium as launcher } from 'playwright-core';
import { chromium } from '../../tools/test/chromium.ts';
import { listPages, startStaticHost } from './site-pages.ts';

const [folder, ...wanted] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Usage: node docs-site/test/screenshots.ts <folder> [page …]');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const looks = [
  { name: 'wide-light', width: 1440, colorScheme: 'light' },
  { name: 'wide-dark', width: 1440, colorScheme: 'dark' },
  { name: 'middle-light', width: 900, colorScheme: 'light' },
  { name: 'narrow-light', width: 320, colorScheme: 'light' },
  { name: 'narrow-dark', width: 320, colorScheme: 'dark' },
] as const;

await using host = await startStaticHost();
const browser = await launcher.launch(chromium());
const pages = wanted.length === 0 ? listPages() : wanted.map((page) => (page === '/' ? '' : page));
for (const { name, width, colorScheme } of looks) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const tab = await context.newPage();
  for (const page of pages) {
    await tab.goto(host.url + page, { waitUntil: 'load' });
    const file = `${page.replace(/\/$/, '').replaceAll('/', '-') || 'home'}-${name}.png`;
    // The reference is long; its beginning shows what it looks like.
    const clip = { x: 0, y: 0, width, height: 2600 };
    const height = await tab.evaluate(() => document.documentElement.scrollHeight);
    await tab.screenshot({
      path: join(folder, file),
      fullPage: true,
      clip: { ...clip, height: Math.min(height, clip.height) },
    });
  }
  await context.close();
}
await browser.close();
console.log(`${pages.length * looks.length} pictures are in ${folder}.`);
