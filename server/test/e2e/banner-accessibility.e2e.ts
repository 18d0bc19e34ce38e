import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Browser, chromium as launcher, type Page } from 'playwright-core';
import { chromium } from '../../../tools/test/chromium.ts';
import { type BannerSite, startBannerSite } from './banner/site.ts';

const film = `<iframe class="video" title="A film" data-svc-purpose="marketing" data-svc-src="/frame"></iframe>`;

/** Properties of an element in the accessibility tree. */
interface AccessibleNode {
  readonly role: string;
  readonly name: string;
  readonly description?: string;
  readonly [property: string]: unknown;
}

/** Chromium's accessibility tree as a list, without generic containers. */
async function readTree(page: Page): Promise<readonly AccessibleNode[]> {
  const devtools = await page.context().newCDPSession(page);
  const { nodes } = await devtools.send('Accessibility.getFullAXTree');
  await devtools.detach();
  const properties = ['modal', 'checked', 'disabled', 'expanded', 'hasPopup'];
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const [root] = nodes;
  // The list is ordered by level; a screen reader walks the tree depth first.
  const read = (node: (typeof nodes)[number]): typeof nodes => [
    node,
    ...(node.childIds ?? []).flatMap((id) => byId.get(id) ?? []).flatMap(read),
  ];
  return (root ? read(root) : [])
    .filter(({ ignored, role }) => !ignored && !/^(none|generic|StaticText|InlineTextBox)$/.test(role?.value))
    .map(({ role, name, description, properties: given = [] }) => ({
      role: role?.value,
      name: plain(name?.value),
      ...(description?.value && { description: plain(description.value) }),
      ...Object.fromEntries(
        given
          .filter(
            ({ name: property, value }) => properties.includes(property) && value.value && value.value !== 'false',
          )
          .map(({ name: property, value }) => [property, value.value]),
      ),
    }));
}

function plain(text: unknown): string {
  return String(text ?? '')
    .replace(/[\u2066-\u2069]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

const named = (tree: readonly AccessibleNode[], role: string): readonly AccessibleNode[] =>
  tree.filter((one) => one.role === role);

describe('the accessibility tree of the banner', () => {
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

  async function meet(): Promise<Page> {
    const page = await browser.newPage();
    const attributes = 'trigger="bottom-left"';
    await page.goto(site.addPage(await site.publish(), { attributes, body: film }));
    await page.locator('svc-consent .banner:popover-open').waitFor();
    return page;
  }

  test('the first layer is one named region beside the page, which stays readable', async () => {
    await using page = await meet();
    const tree = await readTree(page);
    // A placeholder is a region of its own, with the name of its frame.
    const regions = named(tree, 'region').filter(({ name }) => !name.startsWith('A film'));
    assert.deepEqual(regions, [{ role: 'region', name: 'Your privacy, your choice' }]);
    assert.deepEqual(named(tree, 'button').slice(0, 3), [
      { role: 'button', name: 'Reject all' },
      { role: 'button', name: 'Accept all' },
      { role: 'button', name: 'Preferences', hasPopup: 'dialog' },
    ]);
    assert.deepEqual(named(tree, 'link'), [{ role: 'link', name: 'A link' }]);
    assert.equal(named(tree, 'dialog').length, 0);
  });

  test('the panel is a named modal dialog with described switches; the page behind it is hidden', async () => {
    await using page = await meet();
    await page.locator('svc-consent .quiet').click();
    await page.locator('svc-consent dialog[open]').waitFor();
    const tree = await readTree(page);
    assert.deepEqual(named(tree, 'dialog'), [{ role: 'dialog', name: 'Privacy preferences', modal: true }]);
    assert.deepEqual(named(tree, 'switch'), [
      {
        role: 'switch',
        name: 'Necessary',
        description: 'Always on Keeps the site working.',
        checked: 'true',
        disabled: true,
      },
      { role: 'switch', name: 'Analytics', description: 'Counts visits.' },
      { role: 'switch', name: 'Marketing', description: 'Shows offers.' },
    ]);
    assert.deepEqual(
      named(tree, 'button').map(({ name }) => name),
      ['Close', 'Save choices', 'Reject all', 'Accept all'],
    );
    assert.deepEqual([named(tree, 'link'), named(tree, 'region')], [[], []]);
  });

  test('placeholders and the floating button have names, and the receipt has its expanded state', async () => {
    await using page = await meet();
    await page.locator('svc-consent .banner [data-choice=reject]').click();
    await page.locator('svc-consent-placeholder button').first().waitFor();
    await page.locator('svc-consent .trigger').waitFor();
    const tree = await readTree(page);
    assert.deepEqual(named(tree, 'region'), [
      { role: 'region', name: 'A film This content is not shown, because you have not allowed: Marketing.' },
    ]);
    assert.deepEqual(
      named(tree, 'button').map(({ name }) => name),
      ['Privacy choices', 'Show once', 'Preferences'],
    );
    // The placeholder is at the end of the document; in its place is the name of the frame.
    assert.deepEqual(named(tree, 'Iframe'), [{ role: 'Iframe', name: 'A film' }]);
    await page.locator('svc-consent .trigger').click();
    const summary = page.locator('svc-consent [part=receipt] summary');
    await summary.waitFor();
    const isUnfolded = async () =>
      (await readTree(page)).find(({ name }) => name === 'Receipt of your choice')?.expanded === true;
    assert.equal(await isUnfolded(), false);
    await summary.press('Enter');
    assert.equal(await isUnfolded(), true);
  });
});
