import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Engine, engines } from './banner/engines.ts';
import { type BannerSite, startBannerSite } from './banner/site.ts';
import { readFocus, Visit } from './banner/visit.ts';

const guide = join(import.meta.dirname, '../../../docs-site/pages/widgets/building-blocks.md');
const banner = `document.querySelector('[data-svc=banner]:not([hidden])')`;
const panel = `document.querySelector('[data-svc=preferences]:modal')`;
const purposes = 'globalThis.SvcConsent?.get()?.purposes ?? null';

/** The whole page of the guide, with the tag that the server provides for it. */
async function addExample(site: BannerSite): Promise<string> {
  const { body } = await site.server.request('GET', '/widgets/index.json', { key: null });
  const { addOns } = body.widgets[0].versions[0];
  const { tag } = addOns.find(({ name }: { readonly name: string }) => name === 'elements');
  const [, page = ''] = /```html title="index.html"\n(.*?)```/s.exec(readFileSync(guide, 'utf8')) ?? [];
  const filled = page.replace(/<script .*?<\/script>/s, tag).replace('your-notice-id', await site.publish());
  assert.notEqual(filled, page);
  return site.addDocument(filled);
}

async function visitByKeyboard(engine: Engine, site: BannerSite): Promise<void> {
  await using page = await engine.start();
  const visit = new Visit(engine.name, page);
  await page.open(await addExample(site));

  // The banner takes no focus.
  await visit.until(banner);
  await visit.assertFine();
  assert.equal(await visit.evaluate(readFocus), '');
  const stops = ['Choose for yourself', 'Reject all', 'Accept all'];
  assert.deepEqual(await visit.press('Tab', { times: 3 }), stops);
  assert.deepEqual(await visit.press('Tab', { times: 2, shift: true }), ['Reject all', 'Choose for yourself']);

  // Escape closes the panel without a decision, and returns the focus.
  await visit.press('Enter');
  await visit.until(panel);
  await visit.assertFine();
  await visit.press('Escape');
  await visit.until(`!${panel}`);
  assert.equal(await visit.evaluate(readFocus), 'Choose for yourself');
  assert.equal(await visit.evaluate(purposes), null);

  // A custom choice, with the required purposes locked.
  await visit.press('Enter');
  await visit.until(panel);
  const focusSwitch = `document.querySelector('[data-svc-key=analytics] input').focus()`;
  await visit.evaluate(focusSwitch);
  await visit.press('Space');
  const inPanel = ['Marketing', 'Save my choices', 'Close', 'Reject all', 'Accept all'];
  assert.deepEqual(await visit.press('Tab', { times: 5 }), inPanel);
  await visit.evaluate(focusSwitch);
  await visit.press('Tab', { times: 2 });
  await visit.press('Enter');
  await visit.until(`!${banner} && !${panel}`);
  assert.deepEqual(await visit.evaluate(purposes), { necessary: true, analytics: true, marketing: false });
  await visit.assertFine();
}

describe('building blocks by keyboard only, with axe at every step', () => {
  let site: BannerSite;
  before(async () => {
    site = await startBannerSite();
  });
  after(async () => {
    await site?.[Symbol.asyncDispose]();
  });

  for (const engine of engines) {
    test(`in ${engine.name}`, { skip: engine.skip, timeout: 120_000 }, () => visitByKeyboard(engine, site));
  }
});
