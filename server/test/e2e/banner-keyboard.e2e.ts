import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Engine, engines } from './banner/engines.ts';
import { type BannerSite, startBannerSite } from './banner/site.ts';
import { readFocus, Visit } from './banner/visit.ts';

const film = '<iframe class="video" title="A film" data-svc-purpose="marketing" data-svc-src="/frame"></iframe>'.repeat(
  2,
);

/**
 * True if the focus is on the page but not in the panel. Browsers may focus the dialog itself, or their own toolbars.
 */
const isFocusBehind = `(() => {
  const { activeElement } = document;
  if (activeElement?.localName !== 'svc-consent') return activeElement !== document.body && activeElement !== null;
  return activeElement.shadowRoot.activeElement?.closest('dialog') === null;
})()`;

const find = (selector: string) => `document.querySelector('svc-consent')?.shadowRoot?.querySelector('${selector}')`;
const banner = find('.banner:popover-open');
const panel = find('dialog:modal');
const purposes = 'SvcConsent.get()?.purposes ?? null';

async function visitByKeyboard(engine: Engine, site: BannerSite): Promise<void> {
  await using page = await engine.start();
  const visit = new Visit(engine.name, page);
  const attributes = 'trigger="bottom-right"';
  await page.open(site.addPage(await site.publish(), { attributes, body: film }));

  // The first layer takes no focus, and is the first tab stop.
  await visit.until(banner);
  await visit.assertFine();
  assert.equal(await visit.evaluate(readFocus), '');
  const stops = ['Reject all', 'Accept all', 'Preferences', 'A link'];
  assert.deepEqual(await visit.press('Tab', { times: 4 }), stops);
  assert.deepEqual(await visit.press('Tab', { shift: true }), ['Preferences']);

  // The panel traps the focus: nothing on the page behind it is reachable.
  await visit.press('Enter');
  await visit.until(panel);
  await visit.assertFine();
  assert.equal(await visit.evaluate(readFocus), 'Close');
  const inPanel = ['Analytics', 'Marketing', 'Save choices', 'Reject all', 'Accept all'];
  assert.deepEqual(await visit.press('Tab', { times: 5 }), inPanel);
  for (let time = 0; time < 8; time++) {
    await visit.press('Tab');
    assert.equal(await visit.evaluate(isFocusBehind), false);
  }

  // Escape leaves without a decision, and returns the focus.
  await visit.press('Escape');
  await visit.until(`!${panel}`);
  assert.equal(await visit.evaluate(readFocus), 'Preferences');
  assert.equal(await visit.evaluate(purposes), null);

  // A custom choice.
  await visit.press('Enter');
  await visit.until(panel);
  assert.deepEqual(await visit.press('Tab'), ['Analytics']);
  await visit.press('Space');
  assert.deepEqual(await visit.press('Tab', { times: 2 }), ['Marketing', 'Save choices']);
  await visit.press('Enter');
  await visit.until(`!${banner} && !${panel}`);
  assert.deepEqual(await visit.evaluate(purposes), { necessary: true, analytics: true, marketing: false });

  // A placeholder shows its content once, which records nothing …
  const cover = `document.querySelector('svc-consent-placeholder')`;
  // It is hidden until it was placed over its frame.
  await visit.until(`${cover}?.getBoundingClientRect().width > 0`);
  await visit.assertFine();
  await visit.evaluate(`document.querySelector('#first').focus()`);
  assert.deepEqual(await visit.press('Tab', { times: 2 }), ['Show once', 'Preferences']);
  await visit.press('Tab', { shift: true });
  await visit.press('Enter');
  await visit.until(`document.querySelector('iframe').contentDocument?.title === 'A film'`);
  assert.deepEqual(await visit.evaluate(purposes), { necessary: true, analytics: true, marketing: false });

  // … or opens the preferences with its purpose switched on, but not saved.
  await visit.evaluate(`${cover}.shadowRoot.querySelector('[part=preferences]').focus()`);
  await visit.press('Enter');
  await visit.until(panel);
  assert.equal(await visit.evaluate(readFocus), 'Marketing');
  assert.equal(await visit.evaluate(`${find('dialog input:last-of-type[value=marketing]')}.checked`), true);
  await visit.press('Escape');
  await visit.until(`!${panel}`);
  assert.deepEqual(await visit.evaluate(purposes), { necessary: true, analytics: true, marketing: false });
  assert.equal(await visit.evaluate(readFocus), 'Preferences');
  await visit.press('Enter');
  await visit.until(panel);
  assert.deepEqual(await visit.press('Tab', { times: 2 }), ['Receipt of your choice', 'Save choices']);
  await visit.press('Enter');
  await visit.until(`!${cover} && document.querySelectorAll('iframe')[1].contentDocument?.title === 'A film'`);
  assert.deepEqual(await visit.evaluate(purposes), { necessary: true, analytics: true, marketing: true });

  // Withdrawing is as easy: the floating button opens the panel with the current choice.
  await visit.evaluate(`document.querySelector('#first').focus()`);
  assert.deepEqual(await visit.press('Tab', { shift: true }), ['Privacy choices']);
  await visit.press('Enter');
  await visit.until(panel);
  await visit.assertFine();
  await visit.press('Escape');
  await visit.until(`!${panel}`);
  assert.equal(await visit.evaluate(readFocus), 'Privacy choices');
}

describe('the banner by keyboard only, with axe at every step', () => {
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
