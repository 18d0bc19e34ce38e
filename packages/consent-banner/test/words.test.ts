import { expect } from '@open-wc/testing';
import { setViewport } from '@web/test-runner-commands';
import { chooseWords } from '../src/choose-words.ts';
import { catalogue } from '../src/words.ts';
import { createNotice, restorePage } from './network.ts';
import { find, meetBanner, openPanel } from './visitor.ts';

const hostile = '<img src=x onerror="window.hacked=1">$&{purposes}</script>\u202e';

describe('the words', () => {
  afterEach(restorePage);

  for (const [language, words] of Object.entries(catalogue)) {
    it(`are complete in ${language}, and chosen by the notice`, async () => {
      expect(Object.keys(words)).to.deep.equal(Object.keys(catalogue.en ?? {}));
      expect(words.intro).to.contain('{controller}').and.to.contain('{purposes}');
      const visit = await meetBanner({ language: `${language}-XX` });
      expect(find(visit, '.banner').lang).to.equal(language);
      expect(find(visit, '#title')).to.have.text(words.title);
    });
  }

  it('fall back to English, whatever the language claims to be', () => {
    for (const language of ['xx', '', 'constructor', '__proto__', hostile]) {
      expect(chooseWords(createNotice('a', { language })).lang).to.equal('en');
    }
  });

  it('mirror the layout in Arabic', async () => {
    const visit = await meetBanner({ language: 'ar' });
    const banner = find(visit, '.banner').getBoundingClientRect();
    expect(getComputedStyle(find(visit, '.banner')).direction).to.equal('rtl');
    expect(document.documentElement.clientWidth - banner.right).to.be.below(20);
    const [reject, accept] = ['reject', 'accept'].map((choice) => find(visit, `.banner [data-choice=${choice}]`));
    expect(reject?.getBoundingClientRect().left).to.be.above(accept?.getBoundingClientRect().left ?? 0);
    await expect(visit.element).to.be.accessible();
  });

  it('of a hostile notice are text and nothing else', async () => {
    const purposes = [
      { key: hostile, label: hostile, description: hostile, required: false },
      { key: '__proto__', label: '{controller}', description: hostile, required: false },
    ];
    const visit = await meetBanner({ name: hostile, controllerName: hostile, purposes });
    await openPanel(visit);
    expect(visit.element.shadowRoot?.querySelector('img, script')).to.equal(null);
    expect(find(visit, '#label-0').textContent).to.equal(hostile);
    expect(find(visit, '#about-0').textContent).to.equal(hostile);
    expect(find(visit, '.banner p').textContent?.split(hostile)).to.have.length(3);
    expect('hacked' in window).to.equal(false);
    find(visit, '#purpose-1').click();
    find(visit, '.save').click();
    const granted = Object.entries(window.SvcConsent.get()?.purposes ?? {});
    expect(granted).to.deep.equal([
      [hostile, false],
      ['__proto__', true],
    ]);
  });

  it('of great length stay inside a window of 320 × 256 px (400 % zoom), with every control within reach', async () => {
    const long = 'Datenschutzgrundverordnungsbeauftragtenstelle'.repeat(4);
    const purposes = Array.from({ length: 50 }, (_, index) => ({
      key: `p${index}`,
      label: long,
      description: long,
      required: index === 0,
    }));
    await setViewport({ width: 320, height: 256 });
    const visit = await meetBanner({ controllerName: long, purposes });
    for (const showLayer of [() => find(visit, '.banner'), () => openPanel(visit)]) {
      const layer = await showLayer();
      expect(layer.scrollWidth).to.be.at.most(layer.clientWidth);
      const { top, bottom, left, right } = layer.getBoundingClientRect();
      expect(top >= 0 && bottom <= 256 && left >= 0 && right <= 320).to.equal(true);
      for (const control of layer.querySelectorAll<HTMLElement>('button, input:enabled')) {
        control.focus();
        const box = control.getBoundingClientRect();
        const hit = visit.element.shadowRoot?.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        expect(control.contains(hit ?? null), control.outerHTML).to.equal(true);
      }
    }
    await setViewport({ width: 800, height: 600 });
  });
});
