import { expect } from '@open-wc/testing';
import fc from 'fast-check';
import { readColour } from '../src/choices.ts';
import { drawAgain, find, paintColour, showBadge } from './badge.ts';
import { listenToConsole, restorePage } from './trust-answers.ts';

/** WCAG 2.2, relative luminance. */
function measureLuminance(colour: string): number {
  const [red, green, blue] = paintColour(colour).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2, contrast ratio. */
function measureContrast(one: string, other: string): number {
  const [light, dark] = [measureLuminance(one), measureLuminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

describe('the colours', () => {
  afterEach(restorePage);

  it('accent is any CSS colour, and the text on it is black or white with the higher contrast', async () => {
    const { badge } = await showBadge({ variant: 'card' });
    const cta = find(badge, '[part=cta]');
    const colour = fc.oneof(
      fc.tuple(...[0, 1, 2].map(() => fc.nat(255))).map((parts) => `rgb(${parts.join(' ')})`),
      fc.constantFrom('red', '#1a7f4b', 'hsl(210deg 80% 46%)', 'oklch(60% 0.2 250)', 'color(display-p3 0 0.5 1)'),
      fc.constantFrom('#0000', '#c58a2a40', 'color-mix(in oklch, teal, gold)', 'light-dark(navy, pink)', 'Highlight'),
    );
    await fc.assert(
      fc.asyncProperty(colour, async (accent) => {
        badge.accent = accent;
        await drawAgain();
        const { color, backgroundColor } = getComputedStyle(cta);
        expect(measureContrast(color, backgroundColor), accent).to.be.at.least(4.5);
        expect(paintColour(color).join()).to.match(/^(0,0,0|255,255,255)$/);
      }),
      { numRuns: 60 },
    );
  });

  it('rejects accents that are not colours, and logs once', async () => {
    const logged = listenToConsole();
    const { badge } = await showBadge({ variant: 'card' });
    const usual = getComputedStyle(find(badge, '[part=cta]')).backgroundColor;
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
      'currentcolor',
      'currentColor',
      'color-mix(in srgb, CurrentColor, red)',
      'notacolour',
      '12px',
      '<img src=x>',
    ];
    for (const accent of [...refused, ...refused]) {
      badge.accent = accent;
      await drawAgain();
      expect(getComputedStyle(find(badge, '[part=cta]')).backgroundColor, accent).to.equal(usual);
      expect(find(badge, '.root').style.cssText, accent).to.equal('');
    }
    expect(logged).to.have.length(refused.length);
    expect(logged[0]).to.contain('must be a CSS colour');
  });

  it('rejects no valid colour (fuzz)', () => {
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
    '--svc-tb-muted': ['color', '.kicker', 'rgb(100, 112, 132)', 'rgb(165, 174, 192)'],
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
    expect(paintColour(getComputedStyle(find(badge, '[part=cta]')).backgroundColor)).to.deep.equal([0, 0, 255]);
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
    sheet.replaceSync('* { color: red !important } svc-trust-badge::part(name) { letter-spacing: 9px }');
    document.adoptedStyleSheets = [sheet];
    const { badge } = await showBadge();
    expect(getComputedStyle(find(badge, '.name')).color).to.equal('rgb(16, 19, 34)');
    expect(getComputedStyle(find(badge, '.name')).letterSpacing).to.equal('9px');
    document.adoptedStyleSheets = [];
  });
});
