import { expect, nextFrame } from '@open-wc/testing';
import { setViewport } from '@web/test-runner-commands';
import { restorePage } from './network.ts';
import { find, isBannerShown, isPanelShown, meetBanner, openPanel, press, type Visit, visitPage } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

/** The element that the pointer would hit in the middle of a control. */
function hit({ element }: Visit, control: Element): Element | null | undefined {
  const { x, y, width, height } = control.getBoundingClientRect();
  return element.shadowRoot?.elementFromPoint(x + width / 2, y + height / 2);
}

describe('with any styles of the page for its elements', () => {
  let style: HTMLStyleElement;

  function stylePage(css: string): void {
    style = document.head.appendChild(document.createElement('style'));
    style.textContent = css;
  }

  afterEach(() => {
    restorePage();
    style?.remove();
  });

  it('a rule that hides the element hides neither layer', async () => {
    stylePage('svc-consent { display: none !important }');
    const visit = await meetBanner();
    expect(find(visit, '.banner').checkVisibility()).to.equal(true);
    expect((await openPanel(visit)).checkVisibility()).to.equal(true);
  });

  it('no invisible panel blocks the page while the element is hidden', async () => {
    const visit = await visitPage();
    visit.element.hidden = true;
    await waitUntil(() => isBannerShown(visit), 'the banner is asked for');
    window.SvcConsent.open();
    await waitUntil(() => visit.element.shadowRoot?.querySelector('dialog'), 'the panel is made');
    await nextFrame();
    expect(isPanelShown(visit)).to.equal(false);
    expect(find(visit, '.banner').checkVisibility()).to.equal(false);
    visit.element.hidden = false;
    await openPanel(visit);
  });

  it('inherited properties do not affect the layers', async () => {
    stylePage(`* {
      writing-mode: vertical-rl !important; visibility: hidden !important; letter-spacing: 9px !important;
      text-transform: uppercase !important; pointer-events: none !important; cursor: none !important;
    }`);
    const visit = await meetBanner();
    for (const layer of [find(visit, '.banner'), await openPanel(visit)]) {
      expect(getComputedStyle(layer)).to.include({
        writingMode: 'horizontal-tb',
        visibility: 'visible',
        letterSpacing: 'normal',
        textTransform: 'none',
        pointerEvents: 'auto',
        cursor: 'auto',
      });
    }
  });

  it('the color scheme applies', async () => {
    stylePage('svc-consent { color-scheme: dark }');
    expect(getComputedStyle(find(await meetBanner(), '.banner')).colorScheme).to.equal('dark');
  });
});

describe('the focused element', () => {
  let page: HTMLElement;

  beforeEach(async () => {
    await setViewport({ width: 360, height: 640 });
    page = document.body.appendChild(document.createElement('p'));
  });

  afterEach(async () => {
    restorePage();
    page.remove();
    await setViewport({ width: 800, height: 600 });
  });

  for (const [name, layout] of [
    ['in the middle of a page', '<br>'.repeat(20) + '<a href="#x">Link</a><br>'.repeat(20) + '<br>'.repeat(40)],
    ['at its end', '<br>'.repeat(20) + '<a href="#x">Link</a><br>'.repeat(20)],
    [
      'in a part that scrolls',
      `<span style="display: block; height: 600px; overflow: auto">${'<a href="#x">Link</a><br>'.repeat(60)}</span>`,
    ],
  ] as const) {
    it(`is never under the banner (${name})`, async () => {
      page.innerHTML = layout;
      const visit = await meetBanner();
      const { scrollHeight } = document.documentElement;
      const links = [...page.querySelectorAll('a')];
      const hidden = links.filter((link) => {
        link.focus();
        const { top, bottom } = link.getBoundingClientRect();
        return top < 0 || bottom > find(visit, '.banner').getBoundingClientRect().top;
      });
      expect(hidden).to.deep.equal([]);
      expect(page.querySelector('[style*=scroll-margin]')).to.equal(null);
      await press(visit, '.banner [data-choice=reject]');
      await waitUntil(() => !isBannerShown(visit), 'the banner goes');
      expect(document.documentElement.scrollHeight, 'and so does the room at the end').to.be.at.most(scrollHeight);
    });
  }
});

describe('a press at the moment at which a layer appears', () => {
  afterEach(restorePage);

  /** Stops the guard of a layer shortly before its end. @returns what ends it. */
  function holdGuard(layer: HTMLElement): () => void {
    const guards = layer.getAnimations({ subtree: true });
    for (const guard of guards) guard.currentTime = 390;
    return () => {
      for (const guard of guards) guard.finish();
    };
  }

  it('is taken by the first layer, and not by its choices', async () => {
    const visit = await meetBanner();
    const banner = find(visit, '.banner');
    const choices = [...banner.querySelectorAll('.choices button, .quiet')];
    const endGuard = holdGuard(banner);
    for (const choice of choices) expect(hit(visit, choice)).to.equal(banner);
    endGuard();
    expect(choices.map((choice) => hit(visit, choice))).to.deep.equal(choices);
  });

  it('is taken by the panel, and not by its controls, each time it opens; keys work immediately', async () => {
    const visit = await meetBanner();
    for (let times = 0; times < 2; times++) {
      const panel = await openPanel(visit);
      const controls = [...panel.querySelectorAll('footer button, input:enabled')];
      const endGuard = holdGuard(panel);
      for (const control of controls) expect(hit(visit, control)).to.equal(panel);
      endGuard();
      for (const control of controls) expect(hit(visit, control)).to.equal(control);
      await press(visit, '.close');
    }
    await openPanel(visit);
    await press(visit, '.save');
    expect(window.SvcConsent.get()).to.not.equal(null);
  });
});
