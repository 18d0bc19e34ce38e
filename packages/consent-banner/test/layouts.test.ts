import { expect, nextFrame } from '@open-wc/testing';
import { emulateMedia, setViewport } from '@web/test-runner-commands';
import type { Notice } from '../src/notice/notice.ts';
import { emulateForcedColors, restoreMedia } from './media.ts';
import { restorePage } from './network.ts';
import { find, isBannerShown, leavePage, meetBanner, press, replayEntrance, type Visit, visitPage } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

async function meet(changes: Partial<Notice>, attributes: Readonly<Record<string, string>> = {}): Promise<Visit> {
  const visit = await meetBanner(changes, undefined, attributes);
  for (const animation of find(visit, '.banner').getAnimations({ subtree: true })) animation.finish();
  return visit;
}

const layouts = [
  { layout: 'card', position: 'bottom-end' },
  { layout: 'card', position: 'bottom-start' },
  { layout: 'card', position: 'bottom' },
  { layout: 'bar', position: 'bottom' },
  { layout: 'bar', position: 'top' },
  { layout: 'center' },
] as const;

/** Texts at their maximum, in every field. */
const longest = {
  title: 'Datenschutzeinstellungen und Einwilligungen '.repeat(2).slice(0, 80),
  intro: 'Wir verarbeiten Ihre Angaben nur, wenn Sie es erlauben, und Sie können es jederzeit ändern. '
    .repeat(7)
    .slice(0, 600),
  accept: 'Allen Verarbeitungen zustimmen und weiter',
  reject: 'Alle Verarbeitungen ablehnen und weiter.',
  preferences: 'Einstellungen für jeden Zweck bearbeiten',
  more: 'Mehr anzeigen',
  less: 'Weniger anzeigen',
};

describe('the layouts of the first layer', () => {
  beforeEach(leavePage);
  afterEach(async () => {
    restorePage();
    await restoreMedia();
    await setViewport({ width: 800, height: 600 });
    document.documentElement.dir = '';
  });

  it('are the notice’s, and the attributes override them', async () => {
    const place = (visit: Visit) => {
      const { left, top, right, bottom, width } = find(visit, '.banner').getBoundingClientRect();
      const { clientWidth } = document.documentElement;
      return { left, top, right: clientWidth - right, bottom: innerHeight - bottom, width, clientWidth };
    };
    await setViewport({ width: 1280, height: 800 });
    expect(place(await meet({}))).to.include({ right: 16, bottom: 16 });
    expect(place(await meet({ theme: { position: 'bottom-start' } }))).to.include({ left: 16, bottom: 16 });
    const middle = place(await meet({ theme: { position: 'bottom' } }));
    expect(middle.left).to.be.closeTo(middle.right, 1);
    const bar = place(await meet({ theme: { layout: 'bar' } }));
    expect(bar).to.include({ left: 0, right: 0, bottom: 0 });
    expect(place(await meet({ theme: { layout: 'bar', position: 'top' } }))).to.include({ left: 0, top: 0 });
    const center = place(await meet({ theme: { layout: 'center' } }));
    expect(center.left).to.be.closeTo(center.right, 1);
    expect(center.top).to.be.closeTo(center.bottom, 1);
    const visit = await meet({ theme: { layout: 'bar' } }, { layout: 'card', position: 'bottom-start' });
    expect(place(visit)).to.include({ left: 16, bottom: 16 });
  });

  it('may change while the layer is open', async () => {
    const visit = await meet({ theme: { layout: 'card' } });
    const banner = find(visit, '.banner');
    find(visit, '[data-choice=accept]').focus();
    visit.element.setAttribute('layout', 'bar');
    visit.element.setAttribute('position', 'top');
    expect(find(visit, '.banner') === banner, 'the same one').to.equal(true);
    expect(banner.getBoundingClientRect().top).to.equal(0);
    expect(visit.element.shadowRoot?.activeElement === find(visit, '[data-choice=accept]')).to.equal(true);
    visit.element.setAttribute('layout', 'nonsense');
    visit.element.removeAttribute('position');
    expect(innerHeight - banner.getBoundingClientRect().bottom, 'the card').to.equal(16);
  });

  for (const theme of layouts) {
    const name = Object.values(theme).join(' ');

    it(`${name}: all controls can be reached at 320 px and at 400 %, with the longest texts`, async () => {
      for (const [width, height] of [
        [320, 640],
        [320, 256],
        [1280, 800],
      ] as const) {
        await setViewport({ width, height });
        const visit = await meet({ theme, texts: longest });
        const banner = find(visit, '.banner');
        const { left, right, top, bottom } = banner.getBoundingClientRect();
        const at = `${width} × ${height}`;
        expect(left, at).to.be.at.least(0);
        expect(right, at).to.be.at.most(width);
        expect(top, at).to.be.at.least(0);
        expect(bottom, at).to.be.at.most(height);
        expect(banner.scrollWidth, at).to.equal(banner.clientWidth);
        for (const button of banner.querySelectorAll('button')) {
          if (button.hidden) continue;
          button.scrollIntoView({ block: 'nearest' });
          const box = button.getBoundingClientRect();
          expect(box.top >= top && box.bottom <= bottom + 1, `${at}: ${button.textContent}`).to.equal(true);
          expect(Math.min(box.width, box.height), at).to.be.at.least(44);
        }
        const [reject, accept] = ['reject', 'accept'].map((choice) => find(visit, `[data-choice=${choice}]`));
        expect(reject?.offsetWidth).to.equal(accept?.offsetWidth);
        expect(reject?.offsetHeight, 'as high as the other').to.equal(accept?.offsetHeight);
      }
    });

    it(`${name}: passes axe in light, dark, forced colors and right to left`, async () => {
      const visit = await meet({ theme: { ...theme, accent: '#c58a2a' }, language: 'ar' });
      for (const scheme of ['light', 'dark']) {
        visit.element.setAttribute('scheme', scheme);
        await expect(visit.element).to.be.accessible();
      }
      expect(getComputedStyle(find(visit, '.banner')).direction).to.equal('rtl');
      await emulateForcedColors(true);
      // It compares the author's colors, which the system replaces.
      await expect(visit.element).to.be.accessible({ ignoredRules: ['color-contrast'] });
    });

    it(`${name}: enters by transform only, and not with reduced motion`, async () => {
      const visit = await meetBanner({ theme });
      const banner = find(visit, '.banner');
      replayEntrance(banner);
      const [entrance] = banner.getAnimations() as CSSAnimation[];
      const frames = (entrance?.effect as KeyframeEffect | undefined)?.getKeyframes() ?? [];
      expect(frames.flatMap((frame) => Object.keys(frame)).filter((key) => /opacity|width|height|inset/.test(key))).to
        .be.empty;
      expect(entrance?.effect?.getTiming().duration).to.equal(160);
      await emulateMedia({ reducedMotion: 'reduce' });
      replayEntrance(banner);
      expect(banner.getAnimations()).to.be.empty;
    });
  }

  it('are a sheet at the edge on a phone', async () => {
    await setViewport({ width: 360, height: 740 });
    for (const theme of [{ layout: 'card' }, { layout: 'center' }, { layout: 'bar' }]) {
      const { left, right, bottom } = find(await meet({ theme }), '.banner').getBoundingClientRect();
      expect([left, right, bottom], theme.layout).to.deep.equal([0, 360, 740]);
    }
  });

  it('clamp a long text, which "more" shows', async () => {
    const visit = await meet({ texts: longest });
    const text = find(visit, '.clamped');
    const expand = find(visit, '.expand');
    expect(text.scrollHeight).to.be.above(text.clientHeight);
    expect(expand.textContent).to.equal('Mehr anzeigen');
    expand.click();
    expect(text.scrollHeight).to.equal(text.clientHeight);
    expect([expand.textContent, expand.getAttribute('aria-expanded')]).to.deep.equal(['Weniger anzeigen', 'true']);
    expand.click();
    expect(expand.getAttribute('aria-expanded')).to.equal('false');
    await setViewport({ width: 1600, height: 800 });
    visit.element.setAttribute('layout', 'bar');
    const shorter = await meet({ theme: { layout: 'bar' }, texts: { ...longest, intro: longest.intro.slice(0, 200) } });
    await waitUntil(() => find(shorter, '.expand').hidden, 'a wide layout shows all of it');
  });

  it('show the links of the notice that are https', async () => {
    const links = {
      privacyPolicy: 'https://example.com/privacy',
      imprint: 'javascript:alert(1)',
      unknown: 'https://x.example',
    };
    const visit = await meet({ links });
    const shown = [...find(visit, '.links').querySelectorAll('a')].map((link) => [link.textContent, link.href]);
    expect(shown).to.deep.equal([['Privacy policy', 'https://example.com/privacy']]);
  });

  it('bound a logo of any size', async () => {
    const visit = await visitPage({}, undefined);
    const logo = document.createElement('canvas');
    logo.width = logo.height = 5000;
    logo.slot = 'logo';
    logo.hidden = true;
    visit.element.append(logo);
    await waitUntil(() => isBannerShown(visit), 'the banner shows');
    const { width, height } = logo.getBoundingClientRect();
    expect(height).to.be.within(1, 64);
    expect(width).to.be.at.most(find(visit, '.banner').clientWidth);
  });
});

describe('the text on the accent', () => {
  const accents = [
    ...['#000000', '#ffffff', '#ff0000', '#00ff00', '#0000ff', '#ffff00', '#00ffff', '#ff00ff', '#808080', '#767676'],
    ...['#c58a2a', '#1d2a4d', '#0b6e4f', '#e91e63', '#ff9800', '#795548', '#607d8b', '#3f51b5', '#bc0000', '#747474'],
  ];

  afterEach(restorePage);

  function contrast(one: string, other: string): number {
    const luminance = (colour: string): number => {
      const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+(?:e-?\d+)?/g) ?? []).map((part) => {
        const value = Number(part) / 255;
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  }

  /** As the browser paints it. */
  function paint(colour: string): string {
    const context = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D;
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
    return `rgb(${red}, ${green}, ${blue})`;
  }

  it('has a contrast of 4.5 : 1 and more on 20 accents in both schemes, from the notice and from the page', async () => {
    for (const scheme of ['light', 'dark']) {
      const visit = await meet({}, { scheme });
      for (const accent of accents) {
        visit.element.style.setProperty('--svc-c-accent', accent);
        const { color, backgroundColor } = getComputedStyle(find(visit, '[data-choice=accept]'));
        expect(paint(backgroundColor)).to.equal(paint(accent));
        expect(contrast(paint(color), paint(backgroundColor)), `${accent} ${scheme}`).to.be.at.least(4.5);
      }
    }
    for (const accent of ['#c58a2a', '#1d2a4d']) {
      const visit = await meet({ theme: { accent } });
      const { color, backgroundColor } = getComputedStyle(find(visit, '[data-choice=accept]'));
      expect(paint(backgroundColor)).to.equal(paint(accent));
      expect(contrast(paint(color), paint(backgroundColor)), accent).to.be.at.least(4.5);
    }
  });

  it('follows a page that changes its colors; an accent that is none is ignored', async () => {
    const visit = await meet({ theme: { accent: 'red;position:fixed' } });
    const button = find(visit, '[data-choice=accept]');
    expect(getComputedStyle(button).backgroundColor).to.equal('rgb(29, 42, 77)');
    visit.element.style.setProperty('--svc-c-accent', 'light-dark(#ffffff, #000000)');
    expect(paint(getComputedStyle(button).color)).to.equal('rgb(0, 0, 0)');
    visit.element.style.colorScheme = 'dark';
    await nextFrame();
    expect(paint(getComputedStyle(button).color)).to.equal('rgb(255, 255, 255)');
    await press(visit, '.banner [data-choice=reject]');
  });
});
