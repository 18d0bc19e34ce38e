import { expect, nextFrame } from '@open-wc/testing';
import { emulateMedia, setViewport } from '@web/test-runner-commands';
import { emulateForcedColors, restoreMedia } from '../../consent-banner/test/media.ts';
import { choices } from '../src/attributes.ts';
import { awaitAnswer, awaitSilence, drawAgain, find, hasData, paintColour, query, settle, showBadge } from './badge.ts';
import { restorePage } from './trust-answers.ts';
import { waitUntil } from './wait-until.ts';

const contents: Readonly<Record<string, string>> = {
  mini: 'root card mark kicker chips chip chip chip name',
  compact: 'root card mark kicker chips chip chip chip name live',
  status: 'root card mark kicker chips chip chip chip name live',
  card: 'root card mark kicker name chips chip chip chip cta footer live',
  full: 'root card mark kicker name chips chip chip chip cta footer live',
  floating:
    'root button trigger float-button mark drawer card mark kicker name button chips chip chip chip cta footer live',
};

interface LayoutShift extends PerformanceEntry {
  readonly value: number;
}

describe('the variants', () => {
  afterEach(async () => {
    restorePage();
    await restoreMedia();
  });

  for (const [variant, parts] of Object.entries(contents)) {
    it(`${variant} has the parts ${parts}`, async () => {
      const { badge } = await showBadge({ variant: variant as 'mini' });
      const found = [...(badge.shadowRoot?.querySelectorAll('[part]') ?? [])].flatMap(({ part }) => [...part]);
      expect(found).to.deep.equal(parts.split(' '));
    });
  }

  for (const variant of choices.variant) {
    for (const theme of choices.theme) {
      it(`${variant} passes axe in ${theme}`, async () => {
        for (const colorScheme of theme === 'auto' ? (['dark', 'light'] as const) : (['light'] as const)) {
          document.documentElement.style.colorScheme = colorScheme;
          document.body.style.background = theme === 'dark' || colorScheme === 'dark' ? 'black' : 'white';
          const { badge } = await showBadge({ variant, theme });
          await expect(badge).to.be.accessible();
        }
        document.body.style.background = document.documentElement.style.colorScheme = '';
      });
    }

    it(`${variant} keeps its borders and its text in forced colors`, async () => {
      await emulateForcedColors(true);
      const { badge } = await showBadge({ variant });
      query(badge, 'button')?.click();
      await expect(badge).to.be.accessible({ ignoredRules: ['color-contrast'] });
      for (const face of badge.shadowRoot?.querySelectorAll('.face') ?? []) {
        const { borderTopWidth, borderTopColor } = getComputedStyle(face);
        expect(borderTopWidth).to.equal('1px');
        expect(borderTopColor, 'opaque').to.match(/^rgb\(/);
      }
      const mark = getComputedStyle(find(badge, '.mark')).color;
      expect(paintColour(mark), "the system's").to.deep.equal(paintColour(getComputedStyle(document.body).color));
    });
  }

  it('theme auto follows the color-scheme of the page and not the system, light and dark neither', async () => {
    const read = (badge: Element): string => getComputedStyle(find(badge, '.face')).backgroundColor;
    const [{ badge: light }, { badge: dark }, { badge: auto }] = [
      await showBadge({ theme: 'light' }),
      await showBadge({ theme: 'dark' }),
      await showBadge({ theme: 'auto' }),
    ];
    await emulateMedia({ colorScheme: 'dark' });
    for (const colorScheme of ['light', 'dark'] as const) {
      document.documentElement.style.colorScheme = colorScheme;
      expect([read(light), read(dark)]).to.deep.equal(['rgb(255, 255, 255)', 'rgb(18, 21, 31)']);
      expect(read(auto)).to.equal(colorScheme === 'dark' ? read(dark) : read(light));
    }
    document.documentElement.style.colorScheme = '';
    expect(read(auto), 'a page that names no scheme is light').to.equal(read(light));
  });

  for (const variant of ['mini', 'compact', 'status', 'card', 'full'] as const) {
    it(`${variant} causes no layout shift when its data arrives`, async () => {
      const shifts: LayoutShift[] = [];
      const observer = new PerformanceObserver((list) => shifts.push(...(list.getEntries() as LayoutShift[])));
      const { badge, network, answer } = await awaitAnswer({ variant, target: document.body });
      const after = document.body.appendChild(document.createElement('p'));
      after.textContent = 'What follows.';
      await waitUntil(() => network.requests.length, 'the data is requested');
      const before = [badge, after].map((element) => element.getBoundingClientRect().toJSON());
      await settle();
      observer.observe({ type: 'layout-shift' });
      answer();
      await waitUntil(() => hasData(badge), 'the data is there');
      await settle();
      shifts.push(...(observer.takeRecords() as LayoutShift[]));
      observer.disconnect();
      const sizes = [badge, after].map((element) => element.getBoundingClientRect().toJSON());
      after.remove();
      if (variant !== 'mini') expect(sizes).to.deep.equal(before);
      // Inside the bar of "status", words may move slightly.
      if (variant !== 'status') expect(shifts.reduce((sum, { value }) => sum + value, 0)).to.equal(0);
    });
  }

  it("keep the same box in every size, with data and with the site's own link", async () => {
    for (const size of choices.size) {
      for (const variant of ['mini', 'compact', 'status', 'card'] as const) {
        const measure = (badge: Element): number => find(badge, '.root').getBoundingClientRect().height;
        const { badge } = await showBadge({ size, variant });
        const { badge: waiting } = await awaitSilence({ size, variant });
        expect(measure(waiting), `${variant} ${size} without data`).to.equal(measure(badge));
        waiting.append(Object.assign(document.createElement('a'), { href: '/trust', textContent: 'Trust' }));
        await nextFrame();
        expect(find(waiting, '.face').checkVisibility()).to.equal(false);
        expect(measure(waiting), `${variant} ${size} with a link`).to.equal(measure(badge));
        badge.remove();
        waiting.remove();
      }
    }
  });

  it('have the heights that the README reserves for them before the script loads', async () => {
    const readme = await (await fetch(new URL('../README.md', import.meta.url))).text();
    const [, compact, others = ''] = /min-height: (\d+)px; \/\* (.*) \*\//.exec(readme) ?? [];
    const heights = [['compact', compact], ...[...others.matchAll(/(\w+): (\d+)px/g)].map(([, ...pair]) => pair)];
    expect(heights).to.have.length(4);
    for (const [variant, height] of heights) {
      const { badge } = await showBadge({ variant: variant as 'card' });
      expect(badge.getBoundingClientRect().height, variant).to.equal(Number(height));
    }
  });

  it('stay inside a window of 320 px (400 % zoom), with every link reachable', async () => {
    await setViewport({ width: 320, height: 256 });
    for (const variant of choices.variant) {
      const { badge } = await showBadge({ variant, size: 'lg' }, { name: 'Muster Krankenversicherung AG' });
      query(badge, 'button')?.click();
      for (const control of badge.shadowRoot?.querySelectorAll<HTMLElement>(
        '[popover] :is(a, button), .line, .panel a',
      ) ?? []) {
        control.focus();
        const box = control.getBoundingClientRect();
        expect(box.left >= 0 && box.right <= 320, `${variant} ${control.part}`).to.equal(true);
        const hit = badge.shadowRoot?.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        expect(control.contains(hit ?? null), `${variant} ${control.part}`).to.equal(true);
      }
      badge.remove();
    }
    await setViewport({ width: 800, height: 600 });
  });

  it('do not truncate their own words in a window of 320 px', async () => {
    await setViewport({ width: 320, height: 568 });
    for (const variant of ['status', 'card', 'full'] as const) {
      const { badge } = await showBadge({ variant }, { name: 'Muster Krankenversicherung AG' });
      const { scrollWidth, clientWidth } = find(badge, '[part=kicker]');
      expect(scrollWidth, variant).to.be.at.most(clientWidth);
      badge.remove();
    }
    await setViewport({ width: 800, height: 600 });
  });

  it('scale with size, from type to spacing', async () => {
    const widths: number[] = [];
    for (const size of ['sm', 'md', 'lg'] as const) {
      const { badge } = await showBadge({ size });
      widths.push(badge.getBoundingClientRect().width);
    }
    expect(widths).to.deep.equal([252, 288, 324]);
  });

  it('mini and compact name the first two frameworks and count the rest', async () => {
    const read = (badge: Element): string =>
      [...(badge.shadowRoot?.querySelectorAll('[part=chip]') ?? [])].map(({ textContent }) => textContent).join(' · ');
    for (const variant of ['mini', 'compact', 'status'] as const) {
      for (const [achievedFrameworks, shown] of [
        [['SOC 2'], 'SOC 2'],
        [['SOC 2', 'ISO 27001'], 'SOC 2 · ISO 27001'],
        [['SOC 2', 'ISO 27001', 'GDPR', 'HIPAA'], 'SOC 2 · ISO 27001 · +2'],
      ] as const) {
        const { badge } = await showBadge({ variant }, { achievedFrameworks });
        expect(read(badge), variant).to.equal(shown);
        expect(find(badge, 'a').textContent, 'for screen readers')
          .to.contain('Trust center')
          .and.contain('Acme Health');
        expect(isSeen(find(badge, '[part=kicker]')), variant).to.equal(variant !== 'mini');
        expect(isSeen(find(badge, '[part=name]')), variant).to.equal(false);
        badge.showFrameworks = false;
        await drawAgain();
        expect(read(badge)).to.equal('');
      }
    }
  });

  it('truncate the long name, not the short one beside it', async () => {
    for (const variant of ['mini', 'compact'] as const) {
      const achievedFrameworks = ['GDPR', 'Annual assessment of the whole organisation', 'CCPA'];
      const { badge } = await showBadge({ variant }, { achievedFrameworks });
      const [short, long] = badge.shadowRoot?.querySelectorAll('li bdi') ?? [];
      expect(short?.scrollWidth).to.equal(short?.clientWidth);
      expect(long?.scrollWidth).to.be.above(long?.clientWidth ?? 0);
    }
  });

  for (const variant of choices.variant) {
    it(`${variant} makes no claim without frameworks: no check mark, no accent, and it says what it is`, async () => {
      const { badge: claims } = await showBadge({ variant });
      const { badge } = await showBadge({ variant }, { achievedFrameworks: [] });
      const draw = (one: Element): readonly string[] => {
        const mark = find(one, '.mark');
        return [getComputedStyle(mark).color, mark.lastElementChild?.getAttribute('d') ?? ''];
      };
      expect(draw(claims)).to.deep.equal(['rgb(197, 138, 42)', 'M8.5 12l2.5 2.5 4.5-5']);
      expect(draw(badge)).to.deep.equal(['rgb(100, 112, 132)', '']);
      expect(query(badge, '[part=chip]')).to.equal(null);
      if (variant === 'floating') find(badge, 'button').click();
      expect(isSeen(find(badge, '[part=kicker]'))).to.equal(true);
      expect(isSeen(find(badge, '[part=name]'))).to.equal(variant !== 'mini');
      await expect(badge).to.be.accessible();
    });
  }

  it('follow the writing direction: Arabic is mirrored', async () => {
    for (const variant of choices.variant) {
      const { badge } = await showBadge({ variant, locale: 'ar' });
      query(badge, 'button')?.click();
      await expect(badge).to.be.accessible();
      if (variant === 'floating') continue;
      const text = document.createRange();
      text.selectNodeContents(find(badge, '.name'));
      // A framework that is cut off reaches beyond its box.
      const start = variant === 'mini' ? find(badge, '[part=chip]') : text;
      const gap = find(badge, '.mark').getBoundingClientRect().left - start.getBoundingClientRect().right;
      expect(gap, `${variant}: a Latin name starts where Arabic ones do`).to.be.within(5, 20);
    }
  });

  it('are hidden and unreachable if the page around them is', async () => {
    const around = document.body.appendChild(document.createElement('div'));
    around.style.cssText = 'visibility: hidden; pointer-events: none';
    const { badge } = await showBadge({ target: around });
    expect(find(badge, 'a').checkVisibility({ visibilityProperty: true })).to.equal(false);
    find(badge, 'a').focus();
    expect(badge.shadowRoot?.activeElement).to.equal(null);
    around.style.visibility = '';
    expect(find(badge, 'a').checkVisibility({ visibilityProperty: true })).to.equal(true);
    expect(getComputedStyle(find(badge, 'a')).pointerEvents).to.equal('none');
    around.remove();
  });

  it('are printed, except for the floating one', async () => {
    const { badge: compact } = await showBadge();
    const { badge: floating } = await showBadge({ variant: 'floating' });
    await emulateMedia({ media: 'print' });
    expect(getComputedStyle(find(compact, '.root')).display).to.equal('grid');
    expect(getComputedStyle(find(floating, '.root')).display).to.equal('none');
    await emulateMedia({ media: 'screen' });
  });
});

/** True if it is visible, and not only text for screen readers. */
function isSeen(element: Element): boolean {
  return element.checkVisibility() && getComputedStyle(element).clipPath === 'none';
}
