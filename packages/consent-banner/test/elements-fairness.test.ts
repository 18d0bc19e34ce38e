import { expect } from '@open-wc/testing';
import {
  everything,
  find,
  findBanner,
  findDialog,
  isAsked,
  isPreferencesShown,
  leaveView,
  listSwitches,
  markup,
  meetView,
  nothingOptional,
  openPreferences,
  pressIn,
  visitView,
} from './elements-page.ts';
import { listenToConsole, restorePage } from './network.ts';
import { waitUntil } from './wait-until.ts';

const banner = '[data-svc=banner]';
const reject = `${banner} [data-svc=reject]`;

/** What the page's CSS may do to refusing, and the message for it. */
const looks = {
  'is not displayed': [`${reject} { display: none }`, 'cannot be seen'],
  'is invisible': [`${reject} { visibility: hidden }`, 'cannot be seen'],
  'is transparent': [`${reject} { opacity: 0 }`, 'cannot be seen'],
  'is faint': [`${reject} { opacity: 0.4 }`, 'fainter'],
  'has words without a colour': [`${reject} { color: transparent }`, 'words that cannot be seen'],
  'has words in its own colour': [`${reject} { color: #fff; background: #fff }`, 'words that cannot be seen'],
  'is narrower': [`${reject} { inline-size: 50%; }`, 'smaller than the accept button'],
  'is shrunk by a transform': [`${reject} { transform: scale(0.7) }`, 'smaller than the accept button'],
  'has no size': [
    `${reject} { inline-size: 0; block-size: 0; padding: 0; border: 0; overflow: hidden }`,
    'has no size',
  ],
  'has smaller words': [
    `${banner} .choices { block-size: 80px; } ${reject} { font-size: 8px }`,
    'smaller words than the accept button',
  ],
  'lies outside the page': [`${reject} { position: absolute; left: -9999px }`, 'outside the window'],
  'lies below a fixed layer': [
    `body { min-block-size: 9000px } ${banner} { position: fixed; inset: 0 0 auto } ${reject} { position: relative; top: 3000px }`,
    'outside the window',
  ],
  'is cut off': [
    `${banner} .choices { block-size: 80px; position: relative; overflow: hidden; grid-template-columns: 1fr } ${reject} { position: absolute; top: 80px; inline-size: 100%; }`,
    'cut off',
  ],
  'is covered': [
    `${banner} .choices { position: relative } ${banner} .choices::after { content: ""; position: absolute; inset: 0 50% 0 0 }`,
    'covered',
  ],
  'does not take the pointer': [`${reject} { pointer-events: none }`, 'does not take the pointer'],
} as const;

/** What the page's markup may do to it. */
const markups = {
  'is disabled': ['<button data-svc="reject"', '<button disabled data-svc="reject"', 'is disabled'],
  'says that it is disabled': [
    '<button data-svc="reject"',
    '<button aria-disabled="true" data-svc="reject"',
    'is disabled',
  ],
  'is out of the keyboard’s way': ['<button data-svc="reject"', '<button tabindex="-1" data-svc="reject"', 'keyboard'],
  'is inert': ['<button data-svc="reject"', '<button inert data-svc="reject"', 'inert'],
  'is hidden from screen readers': [
    '<button data-svc="reject"',
    '<button aria-hidden="true" data-svc="reject"',
    'screen readers',
  ],
  'has no words': ['reject">Reject all', 'reject">', 'has no words'],
} as const;

/** What may be missing in a layer: then it is not shown. */
const incomplete = {
  'refusing at all': ['<button data-svc="reject">Reject all</button>', '', 'has no <button data-svc="reject">'],
  'a real button to refuse': [
    '<button data-svc="reject">Reject all</button>',
    '<a href="#no" data-svc="reject">Reject all</a>',
    'has <a data-svc="reject">, which must be a <button>',
  ],
  'a real button to accept': [
    '<button data-svc="accept">Accept all</button>',
    '<div data-svc="accept">Accept all</div>',
    'has <div data-svc="accept">, which must be a <button>',
  ],
} as const;

describe('a site’s own markup, made of building blocks, is fair:', () => {
  afterEach(async () => {
    await leaveView();
    restorePage();
    localStorage.clear();
  });

  // Each problem is logged once, so the button has another name each time.
  for (const [at, [name, [css, words]]] of Object.entries(looks).entries()) {
    it(`nothing is granted where refusing ${name}, which is logged`, async () => {
      const visit = await meetView({ css, html: markup.replace('Reject all', `No (${at})`) });
      const complaints = listenToConsole();
      pressIn(findBanner(visit), 'accept');
      expect(window.SvcConsent.get()).to.equal(null);
      expect(isAsked(visit)).to.equal(true);
      expect(complaints.join()).to.contain(words).and.contain('nothing can be granted');
      pressIn(findBanner(visit), 'reject');
      expect(window.SvcConsent.get()?.purposes).to.deep.equal(nothingOptional);
    });
  }

  for (const [at, [name, [from, to, words]]] of Object.entries(markups).entries()) {
    it(`nothing is granted where refusing ${name}`, async () => {
      const complaints = listenToConsole();
      const visit = await meetView({ html: markup.replace(from, to).replace('Reject all', `Never (${at})`) });
      pressIn(findBanner(visit), 'accept');
      expect(window.SvcConsent.get()).to.equal(null);
      expect(complaints.join()).to.contain(words);
    });
  }

  it('a problem of its style is logged without a press, after the page has had time to load', async () => {
    const complaints = listenToConsole();
    await meetView({ css: `${reject} { filter: none; opacity: 0.3 }`, html: markup.replaceAll('Reject', 'Refuse') });
    await waitUntil(() => complaints.length, 'it is logged');
    expect(complaints.join()).to.contain('is fainter than the other button');
  });

  it('a style that loads late is no problem, and a fixed layer grants', async () => {
    await leaveView();
    const complaints = listenToConsole();
    const visit = await meetView({
      css: `${reject} { inline-size: 20% }`,
      html: markup.replaceAll('data-svc="banner"', 'data-svc="banner" class="late"'),
    });
    const late = new CSSStyleSheet();
    late.replaceSync(`${reject} { inline-size: auto }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, late];
    await new Promise((done) => setTimeout(done, 1_500));
    expect(complaints).to.deep.equal([]);
    pressIn(findBanner(visit), 'accept');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(everything);
  });

  for (const [name, [from, to, words]] of Object.entries(incomplete)) {
    for (const layer of ['banner', 'preferences'] as const) {
      it(`a layer without ${name} is not shown: ${layer}`, async () => {
        const complaints = listenToConsole();
        const at = layer === 'banner' ? markup.indexOf(from) : markup.lastIndexOf(from);
        const visit = visitView({ html: markup.slice(0, at) + to + markup.slice(at + from.length) });
        await waitUntil(() => listSwitches(visit).length, 'the notice is there');
        window.SvcConsent.open();
        await waitUntil(() => complaints.some((one) => one.includes(words)), 'it is logged');
        expect([isAsked(visit), isPreferencesShown(visit)]).to.deep.equal([layer !== 'banner', layer === 'banner']);
        find(visit, `[data-svc=${layer}] [data-svc=accept]`).click();
        expect(window.SvcConsent.get()).to.equal(null);
      });
    }
  }

  it('a banner that is a dialog, and preferences that are not, are not shown', async () => {
    const complaints = listenToConsole();
    const html = markup.replace('<section', '<dialog').replace('</section', '</dialog');
    const visit = visitView({
      html: html.replace('<dialog data-svc="pref', '<div data-svc="pref').replace(/<\/dialog>(?=\s*<p)/, '</div>'),
    });
    await waitUntil(() => complaints.length >= 2, 'both are logged');
    expect(complaints.join()).to.contain('must be a <dialog>').and.contain('must not be a <dialog>');
    window.SvcConsent.open();
    expect(visit.view.querySelector('dialog[open]') === null).to.equal(true);
  });

  it('switches without a save button, and a save button without switches, are not shown', async () => {
    const complaints = listenToConsole();
    const one = visitView({ html: markup.replace('<button data-svc="save">Save</button>', '') });
    await waitUntil(() => complaints.join().includes('has switches and no'), 'the first is logged');
    window.SvcConsent.open();
    expect(isPreferencesShown(one)).to.equal(false);
    await leaveView();
    const other = visitView({ html: markup.replace('<input type="checkbox" data-svc="purpose-switch">', '') });
    await waitUntil(() => complaints.join().includes('has a save button and no'), 'the other is logged');
    window.SvcConsent.open();
    expect(isPreferencesShown(other)).to.equal(false);
  });

  it('no switch is on before the visitor turned it, whatever the template contains', async () => {
    const complaints = listenToConsole();
    const visit = await meetView({ html: markup.replace('type="checkbox"', 'type="checkbox" checked') });
    const dialog = await openPreferences(visit);
    expect(listSwitches(visit).map(({ checked, defaultChecked }) => [checked, defaultChecked])).to.deep.equal([
      [true, false],
      [false, false],
      [false, false],
    ]);
    await waitUntil(() => complaints.length, 'it is logged');
    expect(complaints.join()).to.contain('checked beforehand');
    pressIn(dialog, 'save');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(nothingOptional);
  });

  it('a switch that a script of the page turned on grants nothing', async () => {
    const visit = await meetView();
    const dialog = await openPreferences(visit);
    for (const input of listSwitches(visit)) input.checked = true;
    pressIn(dialog, 'save');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(nothingOptional);
  });

  it('a switch that looks off grants nothing although a script reports it as turned on', async () => {
    const visit = await meetView();
    const dialog = await openPreferences(visit);
    for (const input of listSwitches(visit)) {
      input.checked = true;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    }
    expect(listSwitches(visit).map(({ checked }) => checked)).to.deep.equal([true, false, false]);
    pressIn(dialog, 'save');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(nothingOptional);
  });

  it('a switch that a script of the page turned off is not granted either', async () => {
    const visit = await meetView();
    const dialog = await openPreferences(visit);
    listSwitches(visit)[1]?.click();
    for (const input of listSwitches(visit)) input.checked = false;
    pressIn(dialog, 'save');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(nothingOptional);
  });

  it('a hidden layer grants nothing when a script presses it', async () => {
    const visit = visitView();
    pressIn(findBanner(visit), 'accept');
    pressIn(findDialog(visit), 'accept');
    await waitUntil(() => isAsked(visit), 'the banner shows');
    pressIn(findDialog(visit), 'accept');
    pressIn(findDialog(visit), 'save');
    expect(window.SvcConsent.get()).to.equal(null);
  });

  it('a layer that the page’s CSS shows too early grants nothing, and neither does an invisible button', async () => {
    listenToConsole();
    const css = `[data-svc=preferences] { display: block !important } ${banner} [data-svc=accept] { visibility: hidden }`;
    const visit = await meetView({ css });
    expect(findDialog(visit).checkVisibility()).to.equal(true);
    pressIn(findDialog(visit), 'accept');
    pressIn(findDialog(visit), 'save');
    pressIn(findBanner(visit), 'accept');
    expect(window.SvcConsent.get()).to.equal(null);
  });

  it('accepting outside a layer grants nothing, refusing there is recorded', async () => {
    const complaints = listenToConsole();
    const visit = await meetView({
      html: `${markup}<div class="free"><button data-svc="accept">Yes</button><button data-svc="reject">No</button></div>`,
    });
    const free = find(visit, '.free');
    pressIn(free, 'accept');
    expect(window.SvcConsent.get()).to.equal(null);
    expect(complaints.join()).to.contain('is in no layer');
    pressIn(free, 'reject');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(nothingOptional);
  });

  const scrolled = `${banner} { position: fixed; inset: 0 0 auto; block-size: 120px; overflow: auto } ${banner} .choices { grid-template-columns: 1fr; gap: 400px }`;
  it('a layer that scrolls may be scrolled to accepting, past refusing', async () => {
    const visit = await meetView({ css: scrolled });
    const layer = findBanner(visit);
    layer.scrollTop = layer.scrollHeight;
    const { bottom } = find(visit, reject).getBoundingClientRect();
    expect(bottom, 'refusing is out of sight').to.be.below(0);
    pressIn(layer, 'accept');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(everything);
  });

  it('a banner below the fold is within reach, unless the page cannot be scrolled', async () => {
    listenToConsole();
    const css = `${banner} { margin-block-start: 3000px }`;
    const visit = await meetView({ css: `${css} html { overflow: hidden }` });
    pressIn(findBanner(visit), 'accept');
    expect(window.SvcConsent.get()).to.equal(null);
    await leaveView();
    const other = await meetView({ css });
    pressIn(findBanner(other), 'accept');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(everything);
  });

  it('a browser that cannot report visibility refuses, and grants nothing', async () => {
    const visit = await meetView();
    listenToConsole();
    const { checkVisibility } = Element.prototype;
    Reflect.deleteProperty(Element.prototype, 'checkVisibility');
    pressIn(findBanner(visit), 'accept');
    expect(window.SvcConsent.get()).to.equal(null);
    pressIn(findBanner(visit), 'reject');
    Element.prototype.checkVisibility = checkVisibility;
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(nothingOptional);
  });

  it('a right-to-left layer is checked in the same way', async () => {
    const visit = await meetView({
      css: `html { direction: rtl } ${banner} { overflow: auto } ${banner} .choices { inline-size: 300% }`,
    });
    pressIn(findBanner(visit), 'accept');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(everything);
  });
});
