import { expect, nextFrame } from '@open-wc/testing';
import { restorePage } from './network.ts';
import { leavePage, meetBanner, openPanel, press, type Visit } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

const loud = `
  color: red !important; background: yellow !important; font: italic 40px/3 serif !important; margin: 20px !important;
  padding: 30px !important; border: 9px dashed lime !important; border-radius: 1px !important; opacity: 0.3 !important;
  box-shadow: 0 0 9px blue !important; text-shadow: 1px 1px red !important; text-align: right !important;
  text-decoration: underline wavy !important; letter-spacing: 3px !important; word-spacing: 9px !important;
  text-indent: 2em !important; white-space: pre !important; list-style: square inside !important;
  transform: rotate(3deg) !important; filter: blur(3px) !important; float: left !important; position: static !important;
  inline-size: 77px !important; max-inline-size: 77px !important; min-block-size: 5px !important;
  outline: 9px solid red !important; accent-color: red !important; cursor: help !important; user-select: none !important;
  transition: all 9s !important; animation: spin 9s infinite !important; -webkit-text-stroke: 2px red !important;`;

/** The page's own rules, at their worst: for everything, and for each kind of element that the banner is made of. */
const hostileSheet = `
  @keyframes spin { to { rotate: 1turn } }
  *, *::before, *::after { ${loud} }
  html body button, html body h2, html body p, html body ul, html body li, html body dialog, html body input,
  html body label, html body section, html body footer, html body header, html body [popover] { ${loud} }
  button { all: unset !important }`;

/** Every computed value of a part of the banner's shadow tree and of all in it, by what it is of. */
function readStyles({ element }: Visit, part: string): ReadonlyMap<string, string> {
  for (const animation of element.shadowRoot?.getAnimations() ?? []) animation.finish();
  const drawn = [...(element.shadowRoot?.querySelectorAll(`${part}, ${part} *`) ?? [])];
  return new Map(
    drawn.flatMap((one, index) => {
      const style = getComputedStyle(one);
      const name = `${part} ${index} ${one.localName}`;
      // Variables of later sheets come with them.
      const properties = [...style].filter((property) => !property.startsWith('--'));
      return properties.map((property) => [`${name} ${property}`, style.getPropertyValue(property)] as const);
    }),
  );
}

/** The first layer, the panel over it, and the floating button that stays. */
async function readEachLayer(): Promise<ReadonlyMap<string, string>> {
  const visit = await meetBanner({}, undefined, { trigger: 'bottom-left' });
  await waitUntil(() => visit.element.shadowRoot?.adoptedStyleSheets[1], 'the styles for later are there');
  const first = readStyles(visit, '.banner');
  await openPanel(visit);
  const panel = readStyles(visit, 'dialog');
  await press(visit, '.save');
  await waitUntil(() => visit.element.shadowRoot?.querySelector('.trigger'), 'the button shows');
  await nextFrame();
  return new Map([...first, ...panel, ...readStyles(visit, '.trigger')]);
}

describe('rules of the page that are all important', () => {
  let sheet: HTMLStyleElement | undefined;
  beforeEach(leavePage);
  afterEach(() => {
    sheet?.remove();
    restorePage();
  });

  it('change no computed value of anything in the banner, the panel and the floating button', async function () {
    this.timeout(60_000); // It reads ten thousand computed values.
    const before = await readEachLayer();
    await leavePage();
    sheet = document.head.appendChild(document.createElement('style'));
    sheet.textContent = hostileSheet;
    expect(getComputedStyle(document.body).cursor, 'the page itself is changed').to.equal('help');
    const after = await readEachLayer();
    expect(before.size).to.be.above(5000);
    expect(after.size).to.equal(before.size);
    const changed = [...after].filter(([name, value]) => value !== before.get(name));
    const first = changed.slice(0, 20).map(([name, value]) => `${name}: ${before.get(name)} → ${value}`);
    expect(first.join('\n')).to.equal('');
  });
});
