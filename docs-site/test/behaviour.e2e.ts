import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import axe from 'axe-core';
import MiniSearch from 'minisearch';
import { type Browser, chromium as launcher, type Page } from 'playwright-core';
import { chromium } from '../../tools/test/chromium.ts';
import { searchOptions } from '../site/search-options.ts';
import { ensureBuilt } from './ensure-built.ts';
import { withPage } from './open-page.ts';
import { distFolder, startStaticHost } from './site-pages.ts';

describe('a page with scripts', () => {
  let host: Awaited<ReturnType<typeof startStaticHost>>;
  let browser: Browser;
  before(async () => {
    ensureBuilt();
    host = await startStaticHost('/docs/');
    browser = await launcher.launch(chromium());
  });
  after(async () => {
    await browser?.close();
    await host?.[Symbol.asyncDispose]();
  });

  const on = (path: string, step: (page: Page) => Promise<void>, options = {}) =>
    withPage(browser, host.url + path, step, options);

  test('is searched by keyboard only, from the slash to the place that was found', async () => {
    await on('', async (page) => {
      await page.keyboard.press('/');
      const field = page.getByRole('combobox', { name: 'Search the documentation' });
      await field.waitFor();
      await page.keyboard.type('capture consent record');
      const first = page.getByRole('option').first();
      await first.waitFor();
      assert.equal(await field.getAttribute('aria-expanded'), 'true');
      assert.equal(await field.getAttribute('aria-activedescendant'), await first.getAttribute('id'));
      const titles = await page.locator('.found-title').allTextContents();
      const wanted = titles.indexOf('Capture a consent record against a published notice');
      assert.ok(wanted >= 0, titles.join('\n'));
      for (let step = 0; step < wanted; step += 1) await page.keyboard.press('ArrowDown');
      assert.equal(await page.getByRole('option').nth(wanted).getAttribute('aria-selected'), 'true');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/reference/consent-records/#captureConsentRecord');
    });
  });

  test('is searched with Ctrl+K from anywhere, by paths and error codes too, and left with Escape', async () => {
    await on('reference/', async (page) => {
      await page.keyboard.press('Control+k');
      for (const [words, anchor] of [
        ['rate_limited', '#rate_limited'],
        ['/v1/dsr', '#createDsr'],
        ['ConsentRecord', '#ConsentRecord'],
      ] as const) {
        await page.getByRole('combobox').fill(words);
        await page.locator(`[role=option][href$="${anchor}"]`).waitFor();
      }
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    });
  });

  test('says what to do when a search finds nothing', async () => {
    await on('', async (page) => {
      await page.keyboard.press('/');
      await page.getByRole('combobox').fill('zzzzqqqq');
      await page.getByText('Nothing has all of “zzzzqqqq”').waitFor();
      await page.getByRole('dialog').getByRole('link', { name: 'All headings' }).click();
      await page.waitForURL('**/all-headings/');
    });
  });

  test('falls back to any of the words where nothing has all of them, and says so', async () => {
    await on('', async (page) => {
      await page.keyboard.press('/');
      await page.getByRole('combobox').fill('backup zzzzqqqq');
      await page.getByText(/^Nothing has all of these words\. \d+( or more)? results? with some of them$/).waitFor();
      const titles = await page.locator('.found-title').allTextContents();
      assert.ok(
        titles.some((title) => /back/i.test(title)),
        titles.join('\n'),
      );
    });
  });

  test('finds what is written for readers before the schemas, and counts one result as one', async () => {
    await on('', async (page) => {
      await page.keyboard.press('/');
      const first = page.getByRole('option').first();
      for (const words of ['webhook', 'notice', 'breach', 'consent record']) {
        await page.getByRole('combobox').fill(words);
        await page.getByRole('status').getByText('12 or more results').waitFor();
        assert.doesNotMatch((await first.getAttribute('href')) ?? '', /reference\/schemas\//, words);
      }
      await page.getByRole('combobox').fill(findSingle());
      await page
        .getByRole('status')
        .getByText(/^1 result$/)
        .waitFor();
    });
  });

  test('has a search that is accessible', async () => {
    await on('', async (page) => {
      await page.keyboard.press('/');
      await page.getByRole('combobox').fill('webhook');
      await page.getByRole('option').first().waitFor();
      await page.evaluate(axe.source);
      const violations = await page.evaluate(async () => {
        const found = await (window as unknown as { axe: typeof axe }).axe.run('dialog');
        return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
      });
      assert.deepEqual(violations, []);
    });
  });

  test('leaves a slash that the reader types where it belongs', async () => {
    await on('webhooks/playground/', async (page) => {
      await page.getByLabel('Delivery id').fill('');
      await page.getByLabel('Delivery id').press('/');
      assert.equal(await page.getByLabel('Delivery id').inputValue(), '/');
      assert.equal(await page.getByRole('dialog').count(), 0);
    });
  });

  test('copies its code as it stands', async () => {
    const permissions = { permissions: ['clipboard-read', 'clipboard-write'] };
    await on(
      'reference/audit/',
      async (page) => {
        const figure = page.locator('figure.code').first();
        await figure.getByRole('button', { name: /^Copy: / }).click();
        await figure.getByText('Copied').waitFor();
        assert.equal(
          await page.evaluate(() => navigator.clipboard.readText()),
          await figure.locator('code').textContent(),
        );
      },
      permissions,
    );
  });

  test('takes the colors that were chosen, on every page from then on', async () => {
    await on(
      '',
      async (page) => {
        const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const light = await background();
        const button = page.getByRole('button', { name: /^Colors:/ });
        assert.equal(await button.getAttribute('aria-label'), 'Colors: as the system');
        await button.click();
        assert.equal(await background(), light);
        await button.click();
        assert.equal(await button.getAttribute('aria-label'), 'Colors: dark');
        const dark = await background();
        assert.notEqual(dark, light);
        await page.goto(`${host.url}reference/`);
        assert.equal(await background(), dark);
        await button.click();
        assert.equal(await background(), light);
      },
      { colorScheme: 'light' },
    );
  });

  test('shows one language of code, and keeps the choice for every block and page', async () => {
    await on('reference/audit/', async (page) => {
      const node = page.getByRole('tab', { name: 'Node' });
      assert.equal(await page.getByText('svc.audit.list').isVisible(), false);
      await node.first().click();
      assert.equal(await page.getByText('svc.audit.list').isVisible(), true);
      assert.deepEqual(await node.evaluateAll((tabs) => tabs.map((tab) => tab.getAttribute('aria-selected'))), [
        'true',
        'true',
      ]);
      await page.keyboard.press('ArrowLeft');
      assert.equal(await page.getByText('svc.audit.list').isVisible(), false);
      await page.keyboard.press('ArrowRight');
      await page.goto(`${host.url}reference/breaches/`);
      assert.equal(await page.getByText('svc.breaches.list').isVisible(), true);
    });
  });

  test('selects the tab of a block that a link or a search of the browser leads to', async () => {
    await on('reference/audit/', async (page) => {
      await page
        .locator('[role=tabpanel] figure[data-language=ts]')
        .first()
        .evaluate((block) => {
          block.id = 'block';
          location.hash = 'block';
        });
      await page.getByRole('tab', { name: 'Node', selected: true }).first().waitFor();
      assert.equal(await page.getByText('svc.audit.list').isVisible(), true);
    });
  });

  test('is reached past its menu by the first press of Tab', async () => {
    await on('reference/', async (page) => {
      await page.keyboard.press('Tab');
      const skip = page.getByRole('link', { name: 'Skip to the content' });
      assert.equal(await skip.evaluate((link) => link === document.activeElement), true);
      await page.keyboard.press('Enter');
      assert.equal(new URL(page.url()).hash, '#content');
    });
  });

  test('prints everything that is folded or behind a tab, and nothing that is there to click', async () => {
    await on('reference/audit/', async (page) => {
      await page.emulateMedia({ media: 'print' });
      assert.equal(await page.getByText('svc.audit.list').isVisible(), true);
      const folded = page.locator('.errors').first();
      assert.ok((await folded.evaluate((list) => list.getBoundingClientRect().height)) > 0);
      for (const name of ['.top', '.menu', '.copy', '.tab-list', '.neighbours'])
        assert.equal(await page.locator(name).first().isVisible(), false, name);
    });
  });
});

/** Words that lead to exactly one place on the present pages. */
function findSingle(): string {
  const [file = ''] = globSync('assets/search-*.json', { cwd: distFolder });
  const text = readFileSync(join(distFolder, file), 'utf8');
  const index = MiniSearch.loadJSON(text, searchOptions);
  const places: readonly { readonly title: string }[] = Object.values(JSON.parse(text).storedFields);
  const single = places.find(({ title }) => index.search(title).length === 1);
  assert.ok(single !== undefined, 'no search has a single result');
  return single.title;
}
