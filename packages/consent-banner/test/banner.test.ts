import { expect } from '@open-wc/testing';
import { emulateMedia, sendKeys } from '@web/test-runner-commands';
import { emulateForcedColors, restoreMedia } from './media.ts';
import { restorePage } from './network.ts';
import { find, isBannerShown, isPanelShown, meetBanner, press, replayEntrance } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

const accept = '.banner [data-choice=accept]';
const reject = '.banner [data-choice=reject]';

describe('the first layer', () => {
  afterEach(async () => {
    restorePage();
    await restoreMedia();
  });

  it('shows on the first visit as a named region in the top layer', async () => {
    const visit = await meetBanner();
    const banner = find(visit, '.banner');
    expect(banner.localName, 'with a name, it is a region').to.equal('section');
    expect(find(visit, `#${banner.getAttribute('aria-labelledby')}`)).to.have.text('Your privacy, your choice');
    expect(banner.textContent).to.match(/Acme.* asks for your consent .*Statistics.* and .*Marketing/);
    const { left, top } = find(visit, accept).getBoundingClientRect();
    for (const animation of banner.getAnimations({ subtree: true })) animation.finish();
    expect(visit.element.shadowRoot?.elementFromPoint(left + 9, top + 9) === find(visit, accept)).to.equal(true);
  });

  it('leaves the focus where it is', async () => {
    const field = document.body.appendChild(document.createElement('input'));
    field.focus();
    await meetBanner();
    expect(document.activeElement).to.equal(field);
    field.remove();
  });

  it('passes axe in light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await emulateMedia({ colorScheme });
      const visit = await meetBanner();
      await expect(visit.element).to.be.accessible();
    }
  });

  it('has the color scheme of the page, which may change, and not that of the system', async () => {
    await emulateMedia({ colorScheme: 'dark' });
    const { element } = await meetBanner();
    const readColour = (): string => getComputedStyle(find({ element }, '.banner')).backgroundColor;
    expect(readColour(), 'a page that is light only').to.equal('rgb(255, 255, 255)');
    document.documentElement.style.colorScheme = 'light dark';
    expect(readColour(), 'a page that follows the system').to.equal('rgb(22, 26, 35)');
    document.documentElement.style.colorScheme = 'dark';
    await emulateMedia({ colorScheme: 'light' });
    expect(readColour(), 'a page that is dark').to.equal('rgb(22, 26, 35)');
    element.setAttribute('scheme', 'light');
    expect(readColour(), 'an element that is light').to.equal('rgb(255, 255, 255)');
    document.documentElement.style.colorScheme = '';
    element.setAttribute('scheme', 'dark');
    expect(readColour(), 'an element that is dark').to.equal('rgb(22, 26, 35)');
  });

  it('keeps its edges in forced colors', async () => {
    const visit = await meetBanner();
    await emulateForcedColors(true);
    expect(matchMedia('(forced-colors: active)').matches).to.equal(true);
    for (const selector of ['.banner', accept, '.quiet']) {
      const { borderTopWidth, borderTopStyle, borderTopColor } = getComputedStyle(find(visit, selector));
      expect(`${borderTopWidth} ${borderTopStyle}`).to.equal('1px solid');
      expect(borderTopColor, 'opaque').to.match(/^rgb\(/);
    }
  });

  it('does not move with reduced motion', async () => {
    await emulateMedia({ reducedMotion: 'reduce' });
    const visit = await meetBanner();
    replayEntrance(find(visit, '.banner'));
    for (const element of visit.element.shadowRoot?.querySelectorAll('*') ?? []) {
      expect(getComputedStyle(element).transitionDuration).to.equal('0s');
    }
    const names = visit.element.shadowRoot
      ?.getAnimations()
      .map((animation) => (animation as CSSAnimation).animationName);
    expect(new Set(names), 'nothing that is to be seen').to.deep.equal(new Set(['guard']));
  });

  it('lets no press through to the page or to its buttons at the moment of its entrance', async () => {
    const visit = await meetBanner();
    const banner = find(visit, '.banner');
    replayEntrance(banner);
    for (const animation of banner.getAnimations({ subtree: true })) {
      animation.pause();
      animation.currentTime = 100;
    }
    const { left, top, width, height } = find(visit, accept).getBoundingClientRect();
    const point = [left + width / 2, top + height / 2] as const;
    expect(visit.element.shadowRoot?.elementFromPoint(...point) === banner, 'the box takes it').to.equal(true);
    expect(document.elementFromPoint(...point) === visit.element).to.equal(true);
  });

  it('gives refusing and accepting the same size and style', async () => {
    const visit = await meetBanner();
    const [left, right] = [find(visit, reject), find(visit, accept)];
    expect(left.part.value).to.equal(right.part.value);
    expect(left.className).to.equal(right.className);
    const [one, other] = [getComputedStyle(left), getComputedStyle(right)];
    // Where the text starts and ends differs with the words; nothing else may.
    const differing = [...one].filter((name) => one.getPropertyValue(name) !== other.getPropertyValue(name));
    expect(differing.filter((name) => !/^(perspective|transform)-origin$/.test(name))).to.deep.equal([]);
  });

  it('has controls of 44 px and more', async () => {
    const visit = await meetBanner();
    for (const button of visit.element.shadowRoot?.querySelectorAll('.banner button') ?? []) {
      expect(button.getBoundingClientRect().height).to.be.at.least(44);
      expect(button.getBoundingClientRect().width).to.be.at.least(44);
    }
  });

  it('works by keyboard: Tab reaches reject, accept and preferences, Enter decides', async () => {
    const visit = await meetBanner();
    const reached: string[] = [];
    for (let press = 0; press < 3; press++) {
      await sendKeys({ press: 'Tab' });
      reached.push(visit.element.shadowRoot?.activeElement?.textContent?.trim() ?? '');
    }
    expect(reached).to.deep.equal(['Reject all', 'Accept all', 'Preferences']);
    await sendKeys({ down: 'Shift' });
    await sendKeys({ press: 'Tab' });
    await sendKeys({ up: 'Shift' });
    await sendKeys({ press: 'Enter' });
    expect(window.SvcConsent.get()?.purposes).to.deep.equal({ necessary: true, statistics: true, marketing: true });
  });

  it('returns the focus', async () => {
    const field = document.createElement('input');
    document.body.prepend(field);
    const visit = await meetBanner();
    field.focus();
    find(visit, reject).focus();
    await press(visit, reject);
    await waitUntil(() => document.activeElement === field, 'the focus returns');
    field.remove();
  });

  it('closes after either choice, and refusing grants no optional purpose', async () => {
    const refused = await meetBanner();
    await press(refused, reject);
    expect(isBannerShown(refused)).to.equal(false);
    expect(window.SvcConsent.get()).to.deep.equal({
      decided: true,
      purposes: { necessary: true, statistics: false, marketing: false },
    });
    const accepted = await meetBanner();
    await press(accepted, accept);
    expect(isBannerShown(accepted)).to.equal(false);
    expect(window.SvcConsent.get()?.purposes).to.deep.equal({ necessary: true, statistics: true, marketing: true });
  });

  it('opens the panel from "Preferences", from which Escape returns to that button', async () => {
    const visit = await meetBanner();
    find(visit, '.quiet').focus();
    await sendKeys({ press: 'Enter' });
    await waitUntil(() => isPanelShown(visit), 'the panel opens');
    await sendKeys({ press: 'Escape' });
    await waitUntil(() => !isPanelShown(visit), 'the panel closes');
    expect(visit.element.shadowRoot?.activeElement).to.equal(find(visit, '.quiet'));
    expect(window.SvcConsent.get()).to.equal(null);
  });

  it('survives being moved, and closes with its element', async () => {
    const visit = await meetBanner();
    const elsewhere = document.body.appendChild(document.createElement('aside'));
    elsewhere.append(visit.element);
    await waitUntil(() => isBannerShown(visit), 'the banner is back');
    elsewhere.remove();
    expect(visit.element.shadowRoot?.querySelector(':popover-open')).to.equal(null);
    expect(visit.network.notices).to.have.length(1);
  });
});
