import { expect } from '@open-wc/testing';
import { emulateMedia, sendKeys } from '@web/test-runner-commands';
import { emulateForcedColors, restoreMedia } from './media.ts';
import { restorePage } from './network.ts';
import {
  find,
  isBannerShown,
  isPanelShown,
  meetBanner,
  openPanel,
  press,
  returnToPage,
  type Visit,
} from './visitor.ts';
import { waitUntil } from './wait-until.ts';

function switches({ element }: Visit): readonly HTMLInputElement[] {
  return [...(element.shadowRoot?.querySelectorAll('input') ?? [])];
}

describe('the preferences panel', () => {
  afterEach(async () => {
    restorePage();
    await restoreMedia();
  });

  it('is a named modal dialog that passes axe in light, dark and forced colours', async () => {
    const visit = await meetBanner();
    const panel = await openPanel(visit);
    expect(panel.getAttribute('aria-labelledby')).to.equal('panel-title');
    for (const colorScheme of ['dark', 'light'] as const) {
      await emulateMedia({ colorScheme });
      await expect(visit.element).to.be.accessible();
    }
    await emulateForcedColors(true); // The system paints its own colours there, which axe cannot see.
    await expect(visit.element).to.be.accessible({ ignoredRules: ['color-contrast'] });
  });

  it('has nothing switched on but what is required, which is locked and says so', async () => {
    const visit = await meetBanner();
    await openPanel(visit);
    const [necessary, ...optional] = switches(visit);
    expect(necessary).to.include({ checked: true, disabled: true });
    expect(necessary?.getAttribute('aria-describedby')).to.equal('note-0 about-0');
    expect(find(visit, '#note-0')).to.have.text('Always on');
    for (const input of optional) expect(input).to.include({ checked: false, disabled: false });
  });

  it('saves each switch as it stands', async () => {
    const visit = await meetBanner();
    await openPanel(visit);
    switches(visit)[2]?.click();
    await press(visit, '.save');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal({ necessary: true, statistics: false, marketing: true });
    expect(isPanelShown(visit)).to.equal(false);
    expect(isBannerShown(visit)).to.equal(false);
    await waitUntil(() => visit.network.records.length, 'a record goes out');
    expect(visit.network.records[0]?.body.method).to.equal('modal');
  });

  it('never takes a required purpose off, even when its switch was tampered with', async () => {
    const visit = await meetBanner();
    await openPanel(visit);
    const necessary = switches(visit)[0] as HTMLInputElement;
    necessary.disabled = false;
    necessary.checked = false;
    await press(visit, '.save');
    expect(window.SvcConsent.get()?.purposes.necessary).to.equal(true);
  });

  it('offers accept all and reject all with the same style', async () => {
    const visit = await meetBanner();
    await openPanel(visit);
    const [reject, accept] = ['reject', 'accept'].map((choice) => find(visit, `footer [data-choice=${choice}]`));
    const [one, other] = [getComputedStyle(reject as Element), getComputedStyle(accept as Element)];
    expect([...one].filter((name) => one.getPropertyValue(name) !== other.getPropertyValue(name))).to.deep.equal([]);
    accept?.click();
    expect(window.SvcConsent.get()?.purposes.marketing).to.equal(true);
    await openPanel(visit);
    find(visit, 'footer [data-choice=reject]').click();
    expect(window.SvcConsent.get()?.purposes).to.deep.equal({ necessary: true, statistics: false, marketing: false });
  });

  it('has controls of 44 px and more', async () => {
    const visit = await meetBanner();
    const panel = await openPanel(visit);
    for (const control of panel.querySelectorAll('button, input')) {
      const { width, height } = control.getBoundingClientRect();
      expect(Math.min(width, height), control.outerHTML).to.be.at.least(44);
    }
  });

  it('slides its switches, but not for those who asked for less motion', async () => {
    const visit = await meetBanner();
    await openPanel(visit);
    const readDuration = (): string => getComputedStyle(switches(visit)[1] as Element, '::after').transitionDuration;
    expect(readDuration()).to.equal('0.15s');
    await emulateMedia({ reducedMotion: 'reduce' });
    expect(readDuration()).to.equal('0s');
  });

  it('holds the focus, is worked by Space, and Escape leaves without a decision', async () => {
    const link = document.body.appendChild(document.createElement('button'));
    const visit = await meetBanner();
    link.focus();
    await openPanel(visit);
    expect(visit.element.shadowRoot?.activeElement).to.equal(find(visit, '.close'));
    await sendKeys({ press: 'Tab' });
    await sendKeys({ press: 'Space' });
    expect(switches(visit)[1]?.checked).to.equal(true);
    await sendKeys({ press: 'Escape' });
    await waitUntil(() => !isPanelShown(visit), 'the panel closes');
    expect(document.activeElement).to.equal(link);
    expect(window.SvcConsent.get()).to.equal(null);
    expect(isBannerShown(visit)).to.equal(true);
    link.remove();
  });

  it('forgets what was switched but not saved', async () => {
    const visit = await meetBanner();
    await openPanel(visit);
    switches(visit)[1]?.click();
    await press(visit, '.close');
    await waitUntil(() => !visit.element.shadowRoot?.querySelector('input'), 'the panel is emptied');
    await openPanel(visit);
    expect(switches(visit)[1]?.checked).to.equal(false);
  });

  it('hands the focus back to the control of the page that opened it', async () => {
    const link = document.body.appendChild(document.createElement('button'));
    const visit = await meetBanner();
    link.focus();
    await openPanel(visit);
    await press(visit, '.save');
    expect(document.activeElement).to.equal(link);
    link.remove();
  });

  it('reopens for a returning visitor with what was chosen, and takes another choice of the same subject', async () => {
    const first = await meetBanner();
    await press(first, '.banner [data-choice=accept]');
    await waitUntil(() => first.network.records.length, 'a record goes out');
    const later = await returnToPage(first);
    await openPanel(later);
    expect(switches(later).map(({ checked }) => checked)).to.deep.equal([true, true, true]);
    await press(later, 'footer [data-choice=reject]');
    await waitUntil(() => later.network.records.length, 'another record goes out');
    expect(later.network.records[0]?.body.subjectId).to.equal(first.network.records[0]?.body.subjectId);
    expect(window.SvcConsent.get()?.purposes.statistics).to.equal(false);
  });

  it('closes when its element is taken away, and opens again after', async () => {
    const visit = await meetBanner();
    await openPanel(visit);
    const parent = visit.element.parentElement as HTMLElement;
    visit.element.remove();
    parent.append(visit.element);
    await waitUntil(() => isBannerShown(visit), 'the banner is back');
    expect(isPanelShown(visit)).to.equal(false);
    await openPanel(visit);
    expect(switches(visit)).to.have.length(3);
  });
});
