import { expect } from '@open-wc/testing';
import fc from 'fast-check';
import { readColour } from '../src/attributes.ts';
import { drawAgain, find, paintColour, showBadge } from './badge.ts';
import { listenToConsole, restorePage } from './trust-answers.ts';

describe('the colors', () => {
  afterEach(restorePage);

  it('accent is any CSS color, of the shield and of no text', async () => {
    const { badge } = await showBadge({ variant: 'card' });
    const colours = ['red', '#1a7f4b', 'hsl(210deg 80% 46%)', 'oklch(60% 0.2 250)', 'color(display-p3 0 0.5 1)'];
    for (const accent of [...colours, 'color-mix(in oklch, teal, gold)', 'light-dark(navy, pink)', 'Highlight']) {
      badge.accent = accent;
      await drawAgain();
      const mark = find(badge, '.mark');
      mark.style.setProperty('background-color', accent);
      expect(getComputedStyle(mark).color, accent).to.equal(getComputedStyle(mark).backgroundColor);
      expect(getComputedStyle(find(badge, '[part=cta]')).color).to.equal('rgb(16, 19, 34)');
      mark.removeAttribute('style');
    }
  });

  it('rejects accents that are not colors, and logs once', async () => {
    const logged = listenToConsole();
    const { badge } = await showBadge({ variant: 'card' });
    const usual = getComputedStyle(find(badge, '.mark')).color;
    expect(paintColour(usual)).to.deep.equal([197, 138, 42]);
    const refused = [
      'red; background: url(https://evil.example/x)',
      'red } * { display: none',
      'red !important',
      'url(https://evil.example/x)',
      'var(--secret)',
      'var(--x, url(https://evil.example/x))',
      'rgb(var(--a) 0 0)',
      'env(safe-area-inset-top)',
      'attr(data-x)',
      'inherit',
      'unset',
      'revert-layer',
      'notacolour',
      '12px',
      '<img src=x>',
    ];
    for (const accent of [...refused, ...refused]) {
      badge.accent = accent;
      await drawAgain();
      expect(getComputedStyle(find(badge, '.mark')).color, accent).to.equal(usual);
      expect(find(badge, '.root').style.cssText, accent).to.equal('');
    }
    expect(logged).to.have.length(refused.length);
    expect(logged[0]).to.contain('must be a CSS color');
  });

  it('rejects no valid color (fuzz)', () => {
    listenToConsole();
    const style = new Option().style;
    fc.assert(
      fc.property(fc.string(), (text) => {
        const taken = readColour('accent', text);
        style.color = '';
        style.color = text;
        expect(taken === '' || style.color !== '').to.equal(true);
        expect(taken).to.not.match(/[;{}]|url|var/i);
      }),
    );
  });

  const defaults = {
    '--svc-tb-bg': ['backgroundColor', '.panel', 'rgb(255, 255, 255)', 'rgb(18, 21, 31)'],
    '--svc-tb-bg-2': ['backgroundColor', '.foot', 'rgb(248, 250, 252)', 'rgb(26, 30, 43)'],
    '--svc-tb-text': ['color', '.panel', 'rgb(16, 19, 34)', 'rgb(241, 243, 249)'],
    '--svc-tb-muted': ['color', '[part=kicker]', 'rgb(100, 112, 132)', 'rgb(165, 174, 192)'],
    '--svc-tb-border': ['borderTopColor', '.panel', 'rgb(223, 228, 238)', 'rgb(46, 52, 69)'],
  } as const;
  for (const [property, [style, selector, light, dark]] of Object.entries(defaults)) {
    it(`${property} has its default in each theme, and the page's own value wins in each`, async () => {
      for (const [theme, expected] of [
        ['light', light],
        ['dark', dark],
      ] as const) {
        const { badge } = await showBadge({ variant: 'card', theme });
        expect(getComputedStyle(find(badge, selector))[style]).to.equal(expected);
        badge.style.setProperty(property, 'rgb(1, 2, 3)');
        expect(getComputedStyle(find(badge, selector))[style]).to.equal('rgb(1, 2, 3)');
      }
    });
  }

  it('--svc-tb-accent, --svc-tb-radius and --svc-tb-shadow of the page win over the attributes', async () => {
    const { badge } = await showBadge({ variant: 'card', accent: 'red', radius: 'sm' });
    const read = (): CSSStyleDeclaration => getComputedStyle(find(badge, '.panel'));
    expect(read().borderTopLeftRadius).to.equal('12px');
    expect(read().boxShadow).to.equal('rgba(16, 24, 40, 0.14) 0px 22px 64px 0px');
    document.documentElement.style.cssText =
      '--svc-tb-accent: blue; --svc-tb-radius: 3px; --svc-tb-shadow: 0 0 1px red';
    expect(paintColour(getComputedStyle(find(badge, '.mark')).color)).to.deep.equal([0, 0, 255]);
    expect(read().borderTopLeftRadius).to.equal('3px');
    expect(read().boxShadow).to.equal('rgb(255, 0, 0) 0px 0px 1px 0px');
    document.documentElement.style.cssText = '';
  });

  it('radius is 12, 16 or 22 px or a pill', async () => {
    const radii: string[] = [];
    for (const radius of ['sm', 'md', 'lg', 'pill'] as const) {
      const { badge } = await showBadge({ variant: 'mini', radius });
      radii.push(getComputedStyle(find(badge, '.face')).borderTopLeftRadius);
    }
    expect(radii.slice(0, 3)).to.deep.equal(['12px', '16px', '22px']);
    expect(Number.parseFloat(radii[3] ?? '')).to.be.above(500);
  });

  it('rules of the page apply only to parts', async () => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { color: red !important } svc-trust-badge::part(kicker) { letter-spacing: 9px }');
    document.adoptedStyleSheets = [sheet];
    const { badge } = await showBadge();
    expect(getComputedStyle(find(badge, '.name')).color).to.equal('rgb(16, 19, 34)');
    expect(getComputedStyle(find(badge, '.name')).letterSpacing).to.equal('9px');
    document.adoptedStyleSheets = [];
  });
});
