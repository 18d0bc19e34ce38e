import { expect } from '@open-wc/testing';
import { restorePage } from './network.ts';
import { find, leavePage, meetBanner, openPanel, press, type Visit } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

type Layer = 'banner' | 'panel' | 'after';

/** Each custom property, set to this, gives something of a layer that computed value. */
const properties: readonly (readonly [
  name: string,
  value: string,
  layer: Layer,
  selector: string,
  property: string,
  computed: string,
])[] = [
  ['--svc-c-bg', '#010203', 'banner', '.banner', 'background-color', 'rgb(1, 2, 3)'],
  ['--svc-c-text', '#040506', 'banner', '.banner', 'color', 'rgb(4, 5, 6)'],
  ['--svc-c-muted', '#070809', 'banner', '.banner p', 'color', 'rgb(7, 8, 9)'],
  ['--svc-c-border', '#0a0b0c', 'banner', '.banner', 'border-top-color', 'rgb(10, 11, 12)'],
  ['--svc-c-control', '#0d0e0f', 'panel', 'footer .choice', 'border-top-color', 'rgb(13, 14, 15)'],
  ['--svc-c-accent', '#101112', 'banner', '[data-choice=accept]', 'background-color', 'rgb(16, 17, 18)'],
  ['--svc-c-accent-text', '#131415', 'banner', '[data-choice=accept]', 'color', 'rgb(19, 20, 21)'],
  ['--svc-c-radius', '7px', 'banner', '.banner', 'border-top-left-radius', '7px'],
  ['--svc-c-shadow', '1px 2px 3px #161718', 'banner', '.banner', 'box-shadow', 'rgb(22, 23, 24) 1px 2px 3px 0px'],
  ['--svc-c-font', 'monospace', 'banner', '.banner', 'font-family', 'monospace'],
  ['--svc-c-width', '321px', 'banner', '.banner', 'max-width', '321px'],
  ['--svc-c-gap', '21px', 'banner', '.banner', 'bottom', '21px'],
];

const parts: readonly (readonly [name: string, layer: Layer])[] = [
  ['banner', 'banner'],
  ['title', 'banner'],
  ['text', 'banner'],
  ['choice', 'banner'],
  ['preferences', 'banner'],
  ['panel', 'panel'],
  ['title', 'panel'],
  ['choice', 'panel'],
  ['purposes', 'panel'],
  ['purpose', 'panel'],
  ['switch', 'panel'],
  ['save', 'panel'],
  ['close', 'panel'],
  ['about', 'panel'],
  ['trigger', 'after'],
];

describe('the look of the banner', () => {
  let sheet: HTMLStyleElement | undefined;
  beforeEach(leavePage);
  afterEach(() => {
    sheet?.remove();
    restorePage();
  });

  function style(css: string): void {
    sheet = document.head.appendChild(document.createElement('style'));
    sheet.textContent = css;
  }

  /** Goes through the layers, and looks at each. */
  async function look(at: (layer: Layer, visit: Visit) => void): Promise<void> {
    const visit = await meetBanner({}, undefined, { trigger: 'bottom-left' });
    at('banner', visit);
    await openPanel(visit);
    at('panel', visit);
    await press(visit, '.save');
    await waitUntil(() => visit.element.shadowRoot?.querySelector('.trigger'), 'the button shows');
    at('after', visit);
  }

  it('follows each of its custom properties', async () => {
    style(`svc-consent { ${properties.map(([name, value]) => `${name}: ${value}`).join('; ')};
      --svc-c-focus: #191a1b; --svc-c-backdrop: #1c1d1e }`);
    await look((layer, visit) => {
      for (const [name, , , selector, property, computed] of properties.filter(([, , where]) => where === layer))
        expect(getComputedStyle(find(visit, selector)).getPropertyValue(property), name).to.equal(computed);
      if (layer !== 'panel') return;
      expect(getComputedStyle(find(visit, 'dialog'), '::backdrop').backgroundColor).to.equal('rgb(28, 29, 30)');
      const save = find(visit, '.save');
      save.focus({ focusVisible: true } as FocusOptions);
      expect(getComputedStyle(save).outlineColor).to.equal('rgb(25, 26, 27)');
    });
  });

  it('can be had part by part by the page', async () => {
    const names = [...new Set(parts.map(([name]) => name))];
    style(names.map((name, index) => `svc-consent::part(${name}) { scroll-margin-top: ${index + 1}px }`).join('\n'));
    await look((layer, visit) => {
      for (const [name] of parts.filter(([, where]) => where === layer))
        expect(getComputedStyle(find(visit, `[part~=${name}]`)).scrollMarginTop, `${layer}: ${name}`).to.equal(
          `${names.indexOf(name) + 1}px`,
        );
    });
  });

  it('is there with the first frame: nothing fades in, and it moves only by a transform', async () => {
    await look((layer, visit) => {
      if (layer === 'after') return;
      const shown = find(visit, layer === 'banner' ? '.banner' : 'dialog');
      const { opacity, filter } = getComputedStyle(shown);
      expect({ opacity, filter }).to.deep.equal({ opacity: '1', filter: 'none' });
      const animated = shown
        .getAnimations({ subtree: true })
        .flatMap(({ effect }) => (effect as KeyframeEffect).getKeyframes())
        .flatMap(({ offset, computedOffset, easing, composite, ...changed }) => Object.keys(changed));
      expect(['transform', 'pointerEvents']).to.include.members(animated);
    });
  });

  it('leaves the page as it is: no class and no style; only the open panel holds its scrolling', async () => {
    const { documentElement, body } = document;
    const describePage = () =>
      [documentElement, body].map((one) => one.getAttributeNames().map((name) => `${name}=${one.getAttribute(name)}`));
    const readOverflow = () => [documentElement, body].map((one) => getComputedStyle(one).overflow);
    const before = describePage();
    await look((layer) => {
      const overflow = layer === 'panel' ? ['hidden', 'visible'] : ['visible', 'visible'];
      expect([describePage(), readOverflow()], layer).to.deep.equal([before, overflow]);
    });
  });
});
