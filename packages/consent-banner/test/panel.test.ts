import { expect } from '@open-wc/testing';
import { emulateMedia, sendKeys } from '@web/test-runner-commands';
import type { Purpose } from '../src/notice/notice.ts';
import { emulateForcedColors, restoreMedia } from './media.ts';
import { createNotice, restorePage } from './network.ts';
import {
  find,
  isBannerShown,
  isPanelShown,
  meetBanner,
  openPanel,
  press,
  returnToPage,
  type Visit,
  visitPage,
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

  it('is a named modal dialog that passes axe in light, dark and forced colors', async () => {
    const visit = await meetBanner();
    const panel = await openPanel(visit);
    expect(panel.getAttribute('aria-labelledby')).to.equal('panel-title');
    for (const colorScheme of ['dark', 'light'] as const) {
      await emulateMedia({ colorScheme });
      await expect(visit.element).to.be.accessible();
    }
    await emulateForcedColors(true); // The system paints its own colors there, which axe cannot see.
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
      if (!control.checkVisibility()) continue;
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

  it('opens with purposes switched on that are not saved, and moves the focus to the first', async () => {
    const frame = document.createElement('iframe');
    Object.assign(frame.dataset, { svcPurpose: 'marketing', svcSrc: '/visitor-page/blank' });
    document.body.append(frame);
    const visit = await meetBanner();
    const findBox = () => document.querySelector('svc-consent-placeholder')?.shadowRoot;
    await waitUntil(findBox, 'the frame is covered');
    findBox()?.querySelector<HTMLElement>('[part=preferences]')?.click();
    await waitUntil(() => isPanelShown(visit), 'the panel opens');
    expect(switches(visit).map(({ checked }) => checked)).to.deep.equal([true, false, true]);
    expect(visit.element.shadowRoot?.activeElement).to.equal(switches(visit)[2]);
    await press(visit, '.close');
    expect(window.SvcConsent.get()).to.equal(null);
    await openPanel(visit);
    expect(switches(visit)[2]?.checked, 'forgotten').to.equal(false);
    frame.remove();
  });

  it('keeps the page from scrolling while it is open, in the place where it is', async () => {
    const tall = document.body.appendChild(document.createElement('div'));
    tall.style.height = '4000px';
    scrollTo(0, 500);
    const visit = await meetBanner();
    await openPanel(visit);
    expect(getComputedStyle(document.documentElement).overflow).to.equal('hidden');
    expect(scrollY).to.equal(500);
    await press(visit, '.close');
    expect(getComputedStyle(document.documentElement).overflow).to.equal('visible');
    scrollTo(0, 0);
    tall.remove();
  });

  it('clamps a long description, and shows the whole of it on request', async () => {
    const [necessary, statistics] = createNotice('x').purposes as [Purpose, Purpose];
    const description = 'Counts visits, and what for is explained here. '.repeat(20);
    const visit = await meetBanner({ purposes: [necessary, { ...statistics, description }] });
    await openPanel(visit);
    expect(find(visit, '#about-0-more').hidden, 'a short one needs none').to.equal(true);
    const more = find(visit, '#about-1-more');
    const text = find(visit, '#about-1');
    await waitUntil(() => !more.hidden, 'it is measured');
    const clamped = text.clientHeight;
    more.click();
    expect(more.getAttribute('aria-expanded')).to.equal('true');
    expect(more.innerText).to.equal('Less');
    expect(text.clientHeight).to.be.at.least(2 * clamped);
    more.click();
    expect(text.clientHeight).to.equal(clamped);
    await expect(visit.element).to.be.accessible();
  });

  it('folds the descriptions of many purposes, each of which opens', async () => {
    const purposes = Array.from({ length: 20 }, (_, index): Purpose => {
      return {
        key: `p${index}`,
        label: `Purpose ${index}`,
        description: `What ${index} is for. `.repeat(index === 7 ? 60 : 1),
        required: false,
      };
    });
    const visit = await meetBanner({ purposes });
    await openPanel(visit);
    expect(find(visit, '#about-7').checkVisibility()).to.equal(false);
    const summary = find(visit, 'li:nth-child(8) summary');
    summary.click();
    expect(find(visit, '#about-7').checkVisibility()).to.equal(true);
    await waitUntil(() => !find(visit, '#about-7-more').hidden, 'what is long is clamped');
    await expect(visit.element).to.be.accessible();
  });

  it('lists what a purpose stores, with its lifetime in words', async () => {
    const [necessary, statistics, marketing] = createNotice('x').purposes as [Purpose, Purpose, Purpose];
    const trackers = [
      { name: '_ga', provider: 'Google', lifetime: 'P13M', thirdParty: true },
      { name: '<b>id</b>', provider: 'Acme', lifetime: 'session', thirdParty: false },
      { name: 'seen', provider: 'Acme', lifetime: 'P1DT12H', thirdParty: false },
    ];
    const visit = await meetBanner({ purposes: [necessary, { ...statistics, trackers }, marketing] });
    await openPanel(visit);
    const list = find(visit, '[part=trackers]');
    expect(
      find(visit, 'summary')
        .textContent?.replace(/[\u2068\u2069]/g, '')
        .trim(),
    ).to.equal('Cookies and similar technologies (3)');
    find(visit, 'summary').click();
    await waitUntil(() => list.querySelector('tbody'), 'the table is there');
    const rows = [...list.querySelectorAll('tbody tr')].map((row) =>
      [...row.children].map(({ textContent }) => textContent?.trim().replace(/\s+/g, ' ')),
    );
    expect(rows).to.deep.equal([
      ['_ga', 'Google Third party', '13 months'],
      ['<b>id</b>', 'Acme This site', 'Until the browser is closed'],
      ['seen', 'Acme This site', '1 day 12 hours'],
    ]);
    await expect(visit.element).to.be.accessible();
  });

  it('has on what is on by its basis in a known region, locks what is exempt, and lets the visitor object', async () => {
    const [necessary, statistics, marketing] = createNotice('x').purposes as [Purpose, Purpose, Purpose];
    const purposes: readonly Purpose[] = [
      necessary,
      { ...statistics, basisByRegion: { GB: 'object' } },
      { ...marketing, basisByRegion: { GB: 'exempt' } },
    ];
    const visit = await visitPage({ purposes }, undefined, { region: 'GB' });
    await openPanel(visit);
    expect(switches(visit).map(({ checked, disabled }) => [checked, disabled])).to.deep.equal([
      [true, true],
      [true, false],
      [true, true],
    ]);
    const notes = [...(visit.element.shadowRoot?.querySelectorAll('strong') ?? [])];
    expect(notes.map(({ textContent }) => textContent)).to.deep.equal([
      'Always on',
      'On unless you object',
      'Always on',
    ]);
    switches(visit)[1]?.click();
    await press(visit, '.save');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal({ necessary: true, statistics: false, marketing: true });
  });

  it('says that Global Privacy Control is honored where visitors opt out, until they choose otherwise', async () => {
    const [necessary, statistics] = createNotice('x').purposes as [Purpose, Purpose];
    const purposes: readonly Purpose[] = [necessary, { ...statistics, basisByRegion: { 'US-CA': 'object' } }];
    Object.defineProperty(navigator, 'globalPrivacyControl', { value: true, configurable: true });
    try {
      const visit = await visitPage({ purposes }, undefined, { region: 'US-CA' });
      await waitUntil(() => visit.element.shadowRoot?.querySelector('.opt-out'), 'the button shows');
      await openPanel(visit);
      expect(find(visit, '.signal')).to.have.text('Opt-out request honored');
      expect(find(visit, '.opt-out small')).to.have.text('Opt-out request honored');
      expect(switches(visit)[1]?.checked).to.equal(false);
      await waitUntil(() => !visit.network.records.length, 'no record is written for the signal');
      switches(visit)[1]?.click();
      await press(visit, '.save');
      await openPanel(visit);
      expect(visit.element.shadowRoot?.querySelector('.signal')).to.equal(null);
      expect(find(visit, '.opt-out small')).to.have.text('');
    } finally {
      Reflect.deleteProperty(navigator, 'globalPrivacyControl');
    }
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
