import { expect } from '@open-wc/testing';
import { setViewport } from '@web/test-runner-commands';
import { fillMessages } from '../../../server/consent/messages/fill-messages.ts';
import { languages, loadMessages } from '../../../server/consent/messages/messages.ts';
import { readDirection } from '../src/first-layer/elements.ts';
import type { Notice } from '../src/notice/notice.ts';
import { createNotice, restorePage } from './network.ts';
import { find, meetBanner, openPanel, type Visit } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

const hostile = '<img src=x onerror="window.hacked=1">$&{purposes}</script>\u202e';
const wide = { width: 800, height: 600 };

/** A notice in a language, as the server publishes it. */
async function publish(language: string): Promise<Pick<Notice, 'language' | 'texts'>> {
  const { controllerName, purposes } = createNotice('', {});
  const { messages: words } = await loadMessages(language);
  return { language, texts: { ...fillMessages(words, { language, controllerName, purposes }) } };
}

/** The two choices of a layer, which must look the same. */
function measureChoices(visit: Visit, layer: string): readonly DOMRect[] {
  return ['reject', 'accept'].map((choice) => find(visit, `${layer} [data-choice=${choice}]`).getBoundingClientRect());
}

function expectEqual(visit: Visit, layer: string, language: string): void {
  const [reject, accept] = measureChoices(visit, layer) as [DOMRect, DOMRect];
  expect(accept.width / reject.width, `${language}, ${layer}`).to.be.closeTo(1, 0.001);
  expect(accept.height / reject.height, `${language}, ${layer}`).to.be.closeTo(1, 0.001);
}

describe('the texts', () => {
  afterEach(async () => {
    restorePage();
    await setViewport(wide);
  });

  for (const language of languages) {
    it(`are in ${language} if the notice is, in both layers, with choices of one size in any window`, async () => {
      const notice = await publish(language);
      const visit = await meetBanner(notice);
      const banner = find(visit, '.banner');
      expect([banner.lang, banner.dir]).to.deep.equal([language, readDirection(language)]);
      expect(find(visit, '#title')).to.have.text(notice.texts.title as string);
      expect(find(visit, '.banner [data-choice=reject]')).to.have.text(notice.texts.reject as string);
      const panel = await openPanel(visit);
      expect([panel.lang, panel.dir]).to.deep.equal([language, readDirection(language)]);
      expect(find(visit, '#panel-title')).to.have.text(notice.texts.panelTitle as string);
      for (const width of [320, 800]) {
        await setViewport({ width, height: 600 });
        expectEqual(visit, '.banner', language);
        expectEqual(visit, 'footer', language);
        for (const layer of [banner, panel]) expect(layer.scrollWidth, language).to.be.at.most(layer.clientWidth);
      }
    });
  }

  it('are requested in the language of the element, and again when that changes', async () => {
    const visit = await meetBanner({ languages: ['pt', 'de'] }, undefined, { language: 'pt-BR' });
    visit.element.setAttribute('language', 'de');
    await waitUntil(() => visit.network.notices.length === 2, 'the notice is requested again');
    expect(visit.network.notices.map(({ url }) => new URL(url).search)).to.deep.equal([
      '?language=pt-BR',
      '?language=de',
    ]);
  });

  for (const language of ['ar', 'he', 'fa', 'ur']) {
    it(`mirror the layout in ${language}, a right-to-left language`, async () => {
      const visit = await meetBanner(await publish(language));
      const banner = find(visit, '.banner').getBoundingClientRect();
      expect(getComputedStyle(find(visit, '.banner')).direction).to.equal('rtl');
      expect(banner.left, 'at the end of the line').to.be.below(20);
      const [reject, accept] = measureChoices(visit, '.banner') as [DOMRect, DOMRect];
      expect(reject.left).to.be.above(accept.left);
    });
  }

  it('have their language and direction in <svc-privacy-choices>, too', async () => {
    const choices = document.body.appendChild(document.createElement('svc-privacy-choices'));
    await meetBanner(await publish('ar'));
    const list = () => [...(choices.shadowRoot?.querySelectorAll('span') ?? [])].map(({ lang, dir }) => [lang, dir]);
    await waitUntil(() => choices.shadowRoot?.querySelector('[lang]'), 'the texts are there');
    expect(list()).to.deep.equal([
      ['ar', 'rtl'],
      ['ar', 'rtl'],
    ]);
    choices.remove();
  });

  it('of a hostile notice are inserted as text', async () => {
    const purposes = [
      { key: hostile, label: hostile, description: hostile, required: false },
      { key: '__proto__', label: '{controller}', description: hostile, required: false },
    ];
    const { messages: words } = await loadMessages('en');
    const texts = { ...fillMessages(words, { language: 'en', controllerName: hostile, purposes }) };
    const visit = await meetBanner({ name: hostile, controllerName: hostile, purposes, texts });
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
      for (const animation of layer.getAnimations({ subtree: true })) animation.finish();
      expect(layer.scrollWidth).to.be.at.most(layer.clientWidth);
      const { top, bottom, left, right } = layer.getBoundingClientRect();
      expect(top >= 0 && bottom <= 256 && left >= 0 && right <= 320).to.equal(true);
      const controls = [...layer.querySelectorAll<HTMLElement>('button, summary, a, input:enabled')];
      for (const control of controls.filter((one) => one.checkVisibility())) {
        control.focus();
        const box = control.getBoundingClientRect();
        const hit = visit.element.shadowRoot?.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        expect(control.contains(hit ?? null), control.outerHTML).to.equal(true);
      }
    }
  });

  it('scroll behind both choices, which stay visible', async () => {
    await setViewport({ width: 320, height: 256 });
    const visit = await meetBanner();
    const layer = find(visit, '.banner');
    for (const animation of layer.getAnimations({ subtree: true })) animation.finish();
    expect(layer.scrollHeight).to.be.above(layer.clientHeight);
    const edge = layer.getBoundingClientRect().bottom;
    for (const top of [0, 40]) {
      layer.scrollTop = top;
      for (const choice of layer.querySelectorAll<HTMLElement>('.choice')) {
        const box = choice.getBoundingClientRect();
        const corners = [box.top + 2, box.bottom - 2].map((y) =>
          visit.element.shadowRoot?.elementFromPoint(box.x + box.width / 2, y),
        );
        expect(box.bottom, choice.innerText).to.be.at.most(edge);
        expect(corners, choice.innerText).to.deep.equal([choice, choice]);
      }
    }
  });
});
