import { expect } from '@open-wc/testing';
import { emulateMedia, sendKeys } from '@web/test-runner-commands';
import { restoreMedia } from './media.ts';
import { restorePage } from './network.ts';
import { find, isBannerShown, isPanelShown, meetBanner, openPanel, press, type Visit, visitPage } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

const pageStyles = document.createElement('style');
pageStyles.textContent =
  'a { color: #0645ad; text-decoration: none } [hidden] { display: none !important } main { height: 3000px }';

/** A first visit to a site that puts two links of its own into the banner. */
async function meetLinks(): Promise<Visit & { readonly privacy: HTMLElement; readonly imprint: HTMLElement }> {
  const visit = await meetBanner();
  const [privacy, imprint] = ['Privacy policy', 'Imprint'].map((text) => {
    const link = document.createElement('a');
    Object.assign(link, { textContent: text, href: `#${text}`, slot: 'more', hidden: true });
    return link as HTMLElement;
  }) as [HTMLElement, HTMLElement];
  visit.element.append(privacy, imprint);
  return { ...visit, privacy, imprint };
}

describe("the site's own links", () => {
  beforeEach(() => document.head.append(pageStyles));

  afterEach(async () => {
    pageStyles.remove();
    restorePage();
    await restoreMedia();
  });

  it('are in the first layer, side by side and 44 px high, although they are hidden in the page', async () => {
    const { privacy, imprint, ...visit } = await meetLinks();
    const [one, other] = [privacy.getBoundingClientRect(), imprint.getBoundingClientRect()];
    expect(one.top).to.be.above(find(visit, '.banner p').getBoundingClientRect().bottom - 1);
    expect(other.bottom).to.be.below(find(visit, '.actions').getBoundingClientRect().top + 1);
    expect(other.top).to.equal(one.top);
    expect(other.left).to.be.above(one.right + 10);
    expect(one.height).to.be.at.least(44);
  });

  it('are in the panel while it is open, and in the first layer again afterwards', async () => {
    const { privacy, ...visit } = await meetLinks();
    const dialog = await openPanel(visit);
    expect(privacy.assignedSlot?.closest('dialog')).to.equal(dialog);
    expect(privacy.checkVisibility()).to.equal(true);
    await sendKeys({ press: 'Escape' });
    await waitUntil(() => !isPanelShown(visit), 'the panel closes');
    expect(privacy.assignedSlot?.closest('section')).to.equal(find(visit, '.banner'));
  });

  it('are hidden once the visitor has decided, and in the panel when it is opened again', async () => {
    const { privacy, ...visit } = await meetLinks();
    await press(visit, '.banner [data-choice=reject]');
    expect(isBannerShown(visit)).to.equal(false);
    expect(privacy.checkVisibility()).to.equal(false);
    await openPanel(visit);
    expect(privacy.checkVisibility()).to.equal(true);
  });

  it('take no space if there are none', async () => {
    const visit = await meetBanner();
    for (const selector of ['slot[name=more]', '.links'])
      expect(find(visit, selector).getBoundingClientRect().height, selector).to.equal(0);
  });

  it('come between the content above and below them in the tab order of either layer', async () => {
    const { privacy, imprint, ...visit } = await meetLinks();
    privacy.focus();
    await sendKeys({ press: 'Tab' });
    expect(document.activeElement).to.equal(imprint);
    await sendKeys({ press: 'Tab' });
    expect(visit.element.shadowRoot?.activeElement).to.equal(find(visit, '.banner [data-choice=reject]'));
    await openPanel(visit);
    (find(visit, '#purpose-2') as HTMLElement).focus();
    for (const link of [privacy, imprint]) {
      await sendKeys({ press: 'Tab' });
      expect(document.activeElement).to.equal(link);
    }
  });

  it('are underlined and in the color of the banner, whatever the page has for links, and pass axe', async () => {
    const { privacy, ...visit } = await meetLinks();
    for (const colorScheme of ['dark', 'light'] as const) {
      await emulateMedia({ colorScheme });
      await waitUntil(() => getComputedStyle(privacy).textDecorationLine === 'underline', 'the link is underlined');
      expect(getComputedStyle(privacy).color).to.equal(getComputedStyle(find(visit, '.banner p')).color);
      await expect(visit.element).to.be.accessible();
      await openPanel(visit);
      await expect(visit.element).to.be.accessible();
      await press(visit, '.close');
    }
  });

  it('are not taken for what lies under the layer: nothing scrolls when one has the focus', async () => {
    document.body.append(document.createElement('main'));
    const { privacy, imprint } = await meetLinks();
    privacy.focus();
    await sendKeys({ press: 'Tab' });
    expect(document.activeElement).to.equal(imprint);
    expect(scrollY).to.equal(0);
    expect(imprint.style.scrollMarginBottom).to.equal('');
    expect(document.documentElement.scrollHeight).to.be.closeTo(
      (document.querySelector('main') as HTMLElement).getBoundingClientRect().bottom,
      100,
    );
    document.querySelector('main')?.remove();
  });

  it('do not take the place that the focus came from', async () => {
    const field = document.createElement('input');
    document.body.prepend(field);
    const { privacy, imprint, ...visit } = await meetLinks();
    field.focus();
    privacy.focus();
    await sendKeys({ press: 'Tab' });
    expect(document.activeElement).to.equal(imprint);
    find(visit, '.banner [data-choice=reject]').focus();
    await press(visit, '.banner [data-choice=reject]');
    await waitUntil(() => document.activeElement === field, 'the focus returns');
    field.remove();
  });

  it('are not shown before the banner is there', async () => {
    const { element } = await visitPage();
    element.innerHTML = '<a slot="more" href="#" hidden>Imprint</a>';
    expect(element.querySelector('a')?.checkVisibility()).to.equal(false);
    await waitUntil(() => isBannerShown({ element }), 'the banner shows');
    expect(element.querySelector('a')?.checkVisibility()).to.equal(true);
  });
});
