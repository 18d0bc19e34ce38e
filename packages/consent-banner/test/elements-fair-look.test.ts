import { expect } from '@open-wc/testing';
import { sendKeys, sendMouse } from '@web/test-runner-commands';
import {
  everything,
  find,
  findBanner,
  leaveView,
  markup,
  meetView,
  pressIn,
  type ViewOptions,
  type ViewVisit,
} from './elements-page.ts';
import { listenToConsole, restorePage } from './network.ts';
import { waitUntil } from './wait-until.ts';

const banner = '[data-svc=banner]';
const reject = `${banner} [data-svc=reject]`;
const accept = `${banner} [data-svc=accept]`;
const row = '.choices { display: flex; gap: 8px } .choices button { padding: 10px 16px; border: 1px solid }';

/** A page that is fair as written. */
interface FairPage extends ViewOptions {
  /** The words of both buttons. */
  readonly words?: readonly [reject: string, accept: string];
  /** Whether the page is scrolled until refusing is at the top of the window. */
  readonly isScrolled?: boolean;
}

/** Fair pages, although some property of refusing is smaller at some moment or in some way. */
const fair: Readonly<Record<string, FairPage>> = {
  'words of another length, side by side': { css: row, words: ['Alle ablehnen', 'Alle akzeptieren'] },
  'words that are much shorter': { css: row, words: ['Reject all', 'Accept all cookies'] },
  'Polish words': { css: row, words: ['Odrzuć wszystkie', 'Zaakceptuj wszystkie'] },
  'buttons without any style': { only: '[hidden] { display: none }', words: ['Alle ablehnen', 'Alle akzeptieren'] },
  'words of which one breaks into two lines': {
    css: `${row} .choices { align-items: start } .choices button { max-inline-size: 110px }`,
    words: ['Reject all', 'Accept all cookies'],
  },
  'a page that is enlarged': { css: `html { zoom: 1.25 } ${banner} { overflow: auto }` },
  'a body that is enlarged': {
    css: `body { zoom: 1.5 } ${banner} { overflow: auto; position: fixed; inset: auto 0 0 }`,
  },
  'a banner that is enlarged': { css: `${banner} { zoom: 1.5; overflow: hidden; position: fixed; inset: auto 0 0 }` },
  'a banner that is drawn larger': {
    css: `${banner} { transform: scale(1.5); transform-origin: 0 0; inline-size: 400px; overflow: auto }`,
  },
  'a page of which only the body scrolls': {
    css: `html { overflow: hidden; block-size: 100% } body { overflow: auto; block-size: 100%; margin: 0 } ${banner} { margin-block-start: 2000px }`,
  },
  'a header of the page above it, which scrolling leaves behind': {
    css: `html { overflow-anchor: none } body::before { content: ""; position: fixed; inset: 0 0 auto; block-size: 150px; background: #ddd; z-index: 9 } body { min-block-size: 3000px } ${banner} { margin-block-start: 900px } .choices { grid-template-columns: 1fr; gap: 200px }`,
    isScrolled: true,
  },
  'a box that scrolls from its end': {
    css: `${banner} { position: fixed; inset: 0 0 auto; display: flex; flex-direction: column-reverse; block-size: 60px; overflow: auto } .choices { grid-template-columns: 1fr; gap: 90px }`,
  },
  'a box in the line that would cut off if it were none': {
    css: '.line { overflow: hidden } .line button { inline-size: 200px }',
    html: markup.replace(
      /<div class="choices">(.*?)<\/div>/g,
      '<div class="line-around"><span class="line">$1</span></div>',
    ),
  },
  'words cut out of a gradient': {
    css: '.choices button { background: linear-gradient(90deg, red, blue) text; color: transparent }',
  },
  'a picture with a title': {
    css: '.choices button { block-size: 40px }',
    html: markup.replaceAll(
      '<button data-svc="reject">Reject all',
      '<button data-svc="reject" title="Reject all"><svg width="16" height="16"></svg>',
    ),
  },
  'pale words on a pale ground': {
    css: `${banner} { background: #fff } .choices button { background: none; color: #999 }`,
  },
  'white words on a dark card around them': {
    css: `${banner} { background: #111; color: #fff } .choices button { background: none; color: inherit }`,
  },
  'colours by their lightness': {
    css: `${banner} { background: oklch(0.2 0.02 260) } .choices button { background: none; color: oklch(0.97 0 0) }`,
  },
  'colours of a wide screen': {
    css: `${banner} { background: color(display-p3 0 0 0.3) } .choices button { background: none; color: color(display-p3 1 1 0.9) }`,
  },
  'a scroller with parts of pixels, at its end': {
    css: `${banner} { position: fixed; inset: 0 0 auto; block-size: 60.5px; overflow: auto } .choices { margin-block-start: 9000px }`,
  },
  'glass over something dark of the page': {
    css: `${banner} { position: fixed; inset: 0 0 auto; color: #fff } .choices button { background: none; color: #fff } ${banner}::before { content: ""; position: absolute; inset: 0; z-index: -1; background: #111 }`,
  },
  'words on a picture': {
    css: `${banner} { background: linear-gradient(#111, #222) } .choices button { background: none; color: #fff }`,
  },
};

/** Fair styles of a page for the element under the pointer. */
const lively = {
  'grows what is pointed at': '.choices button:hover { transform: scale(1.1) }',
  'makes what is pointed at clearer': '.choices button { opacity: 0.85 } .choices button:hover { opacity: 1 }',
  'makes it clearer by and by':
    '.choices button { opacity: 0.85; transition: opacity 0.2s } .choices button:hover { opacity: 1 }',
  'dims what is not pointed at': '.choices:hover button:not(:hover) { opacity: 0.6 }',
  'shows a tip above the other button': `.choices { grid-template-columns: 1fr !important } .choices button { position: relative } ${accept}:hover::before { content: "All of it"; position: absolute; inset: auto 0 100%; block-size: 24px; background: #ddd }`,
  'lets one button come after the other':
    '@keyframes come { from { opacity: 0 } } .choices button { animation: come 0.2s both } .choices [data-svc=reject] { animation-delay: 0.1s }',
} as const;

/** What hides refusing, and the message for it. */
const unfair: Readonly<Record<string, readonly [page: ViewOptions, words: string]>> = {
  'its words have the colour of the card': [
    { css: `${banner} { background: #fff } ${reject} { background: none; border: 0; color: #fff }` },
    'words that cannot be seen',
  ],
  'its words have the colour of a page without one': [
    { css: `${reject} { background: none; border: 0; color: #fff }` },
    'words that cannot be seen',
  ],
  'its words have nearly the colour of the button': [
    { css: `${reject} { background: #fff; color: #fefefe }` },
    'words that cannot be seen',
  ],
  'its words let nearly all light through': [
    { css: `${reject} { background: #fff; color: rgb(0 0 0 / 5%) }` },
    'words that cannot be seen',
  ],
  'its words are nearly as light as the button, in another notation': [
    { css: `${reject} { background: oklch(0.97 0 0); color: oklab(0.95 0 0) }` },
    'words that cannot be seen',
  ],
  'its letters are filled with nothing': [
    { css: `${reject} { -webkit-text-fill-color: transparent }` },
    'words that cannot be seen',
  ],
  'its words are moved out of it': [{ css: `${reject} { text-indent: -999px }` }, 'words that cannot be seen'],
  'its words are in a part that is not displayed': [
    {
      css: `${reject} span { display: none }`,
      html: markup.replaceAll('reject">Reject all', 'reject"><span>Reject all</span>'),
    },
    'words that cannot be seen',
  ],
  'its words have no size': [{ css: `${reject} { font-size: 0; min-block-size: 40px }` }, 'words that cannot be seen'],
  'it lies before the start of what scrolls': [
    {
      css: `${banner} { position: relative; block-size: 200px; overflow: auto } ${reject} { position: relative; inset-block-start: -400px }`,
    },
    'outside the window',
  ],
  'it lies beyond the edge of a page that is enlarged': [
    { css: `html { zoom: 1.5 } ${reject} { position: absolute; inset-inline-start: -900px }` },
    'outside the window',
  ],
  'it lies beyond the edge of a page that does not scroll sideways': [
    { css: `html { overflow-x: hidden } ${reject} { position: absolute; inset-inline-start: 3000px }` },
    'outside the window',
  ],
  'a filter takes it away': [{ css: `${reject} { filter: opacity(0) }` }, 'cannot be seen'],
  'a filter makes it faint': [{ css: `${reject} { filter: opacity(0.4) }` }, 'fainter'],
  'there is less room around its words': [
    { css: `${row} ${reject} { padding: 2px 4px; align-self: center }` },
    'smaller than the accept button',
  ],
  'its words are smaller, side by side': [{ css: `${row} ${reject} { font-size: 9px }` }, 'smaller'],
  'accepting lies above it all the time': [
    {
      css: `.choices { position: relative } ${accept}::before { content: ""; position: absolute; inset: 0 0 0 -100%; z-index: 1 } ${accept} { position: relative }`,
    },
    'covered',
  ],
  'something of the page goes with it above it': [
    { css: `${banner} .choices { position: relative } .choices::after { content: ""; position: absolute; inset: 0 }` },
    'covered',
  ],
};

let count = 0;

/** Each page has its own words, because each problem is logged once. */
function meetPage({ words = ['Reject all', 'Accept all'], ...options }: FairPage): Promise<ViewVisit> {
  const html = (options.html ?? markup)
    .replaceAll('Reject all', `${words[0]}${'.'.repeat(++count % 2)}`)
    .replaceAll('Accept all', words[1]);
  return meetView({ ...options, html });
}

function readMiddle(element: Element): [x: number, y: number] {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [Math.round(left + width / 2), Math.round(top + height / 2)];
}

/** A press immediately after the layer appears is ignored, so it is repeated until it counts. */
async function clickUntilGranted(visit: ViewVisit): Promise<void> {
  await sendMouse({ type: 'move', position: readMiddle(find(visit, `${banner} h2`)) });
  await waitUntil(async () => {
    const button = find(visit, accept);
    if (button.checkVisibility()) await sendMouse({ type: 'click', position: readMiddle(button) });
    return window.SvcConsent.get() !== null;
  }, 'it is granted');
}

describe('how refusing looks beside accepting:', () => {
  beforeEach(async () => {
    await sendMouse({ type: 'move', position: [799, 599] });
  });

  afterEach(async () => {
    await leaveView();
    restorePage();
    localStorage.clear();
    scrollTo(0, 0);
  });

  for (const [name, page] of Object.entries(fair)) {
    it(`it is fair, and nothing is logged: ${name}`, async () => {
      const complaints = listenToConsole();
      const visit = await meetPage(page);
      if (page.isScrolled) scrollTo(0, find(visit, reject).getBoundingClientRect().top - 20);
      pressIn(findBanner(visit), 'accept');
      expect(complaints).to.deep.equal([]);
      expect(window.SvcConsent.get()?.purposes).to.deep.equal(everything);
    });
  }

  for (const [name, css] of Object.entries(lively)) {
    it(`accepting with the mouse counts if the page ${name}`, async () => {
      const visit = await meetView({ css });
      const complaints = listenToConsole();
      await clickUntilGranted(visit);
      expect(complaints).to.deep.equal([]);
      expect(window.SvcConsent.get()?.purposes).to.deep.equal(everything);
    });
  }

  it('accepting with the keyboard counts if the page highlights the focus', async () => {
    const complaints = listenToConsole();
    const visit = await meetView({ css: '.choices button { opacity: 0.8 } .choices :focus-visible { opacity: 1 }' });
    find(visit, `${banner} [data-svc=open]`).focus();
    await sendKeys({ press: 'Tab' });
    await sendKeys({ press: 'Tab' });
    expect(document.activeElement?.textContent).to.equal('Accept all');
    await waitUntil(async () => {
      await sendKeys({ press: 'Enter' });
      return window.SvcConsent.get();
    }, 'it is granted');
    expect(complaints).to.deep.equal([]);
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(everything);
  });

  for (const [at, [name, [page, words]]] of Object.entries(unfair).entries()) {
    it(`nothing is granted, which is logged: ${name}`, async () => {
      const html = (page.html ?? markup).replaceAll('Reject all', `Reject (${at})`);
      const visit = await meetView({ ...page, html });
      const complaints = listenToConsole();
      pressIn(findBanner(visit), 'accept');
      expect(window.SvcConsent.get()).to.equal(null);
      expect(complaints.join()).to.contain(words).and.contain('nothing can be granted');
    });
  }

  it('a look that is fair only while accepting is pointed at grants nothing', async () => {
    const css = `${reject} { opacity: 0.4 } .choices:has([data-svc=accept]:hover) [data-svc=reject] { opacity: 1 }`;
    const visit = await meetView({ css, html: markup.replaceAll('Reject all', 'Reject late') });
    const complaints = listenToConsole();
    await sendMouse({ type: 'move', position: readMiddle(find(visit, `${banner} h2`)) });
    await waitUntil(async () => {
      await sendMouse({ type: 'click', position: readMiddle(find(visit, accept)) });
      return complaints.length;
    }, 'it is logged');
    expect(window.SvcConsent.get()).to.equal(null);
    expect(complaints.join()).to.contain('is fainter');
  });

  it('a look that is far from fair while accepting is pointed at grants nothing either', async () => {
    const css = `.choices:has([data-svc=accept]:hover) [data-svc=reject] { opacity: 0.3 }`;
    const visit = await meetView({ css, html: markup.replaceAll('Reject all', 'Reject soon') });
    const complaints = listenToConsole();
    await sendMouse({ type: 'move', position: readMiddle(find(visit, `${banner} h2`)) });
    await waitUntil(async () => {
      await sendMouse({ type: 'click', position: readMiddle(find(visit, accept)) });
      return complaints.length;
    }, 'it is logged');
    expect(window.SvcConsent.get()).to.equal(null);
    expect(complaints.join()).to.contain('is fainter');
  });

  it('the page is scrolled back after measuring', async () => {
    const header = fair['a header of the page above it, which scrolling leaves behind'] as FairPage;
    const visit = await meetPage(header);
    scrollTo(0, find(visit, reject).getBoundingClientRect().top - 20);
    const { scrollY: before } = window;
    pressIn(findBanner(visit), 'accept');
    expect([scrollX, scrollY]).to.deep.equal([0, before]);
    expect(before).to.be.above(800);
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(everything);
  });
});
