import { expect } from '@open-wc/testing';
import { sendMouse } from '@web/test-runner-commands';
import {
  find,
  findBanner,
  findDialog,
  isAsked,
  isPreferencesShown,
  leaveView,
  markup,
  meetView,
  nothingOptional,
  openPreferences,
  pressIn,
} from './elements-page.ts';
import { listenToConsole, restorePage } from './network.ts';
import { waitUntil } from './wait-until.ts';

const dialogMarkup = /<dialog[\s\S]*<\/dialog>/.exec(markup)?.[0] ?? '';

/** The delay before the view checks for problems. */
const untilChecked = () => new Promise((done) => setTimeout(done, 1_300));

/** What a browser's translator does to the words of a page. */
function translate(root: Node): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts.filter(({ data, parentElement }) => data.trim() && !parentElement?.closest('font'))) {
    const font = document.createElement('font');
    font.textContent = `«${text.data}»`;
    text.replaceWith(font);
  }
}

describe('a view of building blocks beside other features of the page', () => {
  afterEach(async () => {
    for (const own of document.querySelectorAll('.of-the-page')) own.remove();
    await leaveView();
    restorePage();
    localStorage.clear();
    document.documentElement.lang = '';
  });

  it('keeps a translation of its words, and still updates them', async () => {
    const complaints = listenToConsole();
    const visit = await meetView();
    await openPreferences(visit);
    let rounds = 0;
    const translator = new MutationObserver((records) => {
      rounds++;
      for (const { target } of records) translate(target);
    });
    translate(visit.view);
    translator.observe(visit.view, { childList: true, subtree: true, characterData: true });
    const name = find(visit, '[data-svc-key=statistics] [data-svc=purpose-name]');
    for (let time = 0; time < 5; time++) {
      visit.view.append(document.createElement('br'));
      await new Promise(requestAnimationFrame);
    }
    expect(name.innerHTML).to.equal('<font>«Statistics»</font>');
    expect(find(visit, '[data-svc-text=controller]').textContent).to.equal('«Acme»');
    expect(rounds).to.be.at.most(5);
    translator.disconnect();
    pressIn(findDialog(visit), 'accept');
    const time = find(visit, ':scope > p time');
    expect(time.textContent, 'what was empty is filled').not.to.equal('');
    time.replaceChildren();
    await waitUntil(() => time.textContent, 'what was emptied is filled again');
    await untilChecked();
    expect(complaints).to.deep.equal([]);
  });

  it('stays open beside menus of the page, and does not close them', async () => {
    const complaints = listenToConsole();
    const menu = document.createElement('div');
    menu.popover = 'auto';
    menu.textContent = 'Menu';
    const opener = document.createElement('button');
    opener.popoverTargetElement = menu;
    opener.style.cssText = 'position: fixed; inset: 0 auto auto 0; inline-size: 4rem; block-size: 2rem';
    for (const own of [opener, menu]) own.className = 'of-the-page';
    document.body.append(opener, menu);
    const visit = await meetView({ html: markup.replace('data-svc="banner"', 'data-svc="banner" popover') });
    await sendMouse({ type: 'click', position: [9, 9] });
    await new Promise(requestAnimationFrame);
    expect([menu, findBanner(visit)].map((one) => one.matches(':popover-open'))).to.deep.equal([true, true]);
    expect(complaints).to.have.length(1);
    expect(complaints[0]).to.contain('Write popover="manual"');
  });

  const inBanner = markup.replace(dialogMarkup, '').replace('</section>', `${dialogMarkup}</section>`);
  for (const [name, html, problem] of [
    // Each problem is logged once: this one first, because the others include it.
    [
      'in a part that is hidden',
      markup.replace(dialogMarkup, `<div data-svc-when="changed">${dialogMarkup}</div>`),
      'is within a part that is hidden',
    ],
    ['in the banner', inBanner, 'is within another layer'],
    ['with a state', markup.replace('"preferences"', '"preferences" data-svc-when="decided"'), 'has data-svc-when'],
  ] as const) {
    it(`does not block the page with an invisible dialog: one ${name}`, async () => {
      const complaints = listenToConsole();
      const visit = await meetView({ html });
      pressIn(findBanner(visit), 'reject');
      find(visit, ':scope > p [data-svc=open]').click();
      await waitUntil(() => complaints.join().includes(problem), 'it is logged');
      expect(document.querySelector(':modal')).to.equal(null);
      findDialog(visit).showModal();
      await waitUntil(() => findDialog(visit).checkVisibility() === isPreferencesShown(visit), 'the page is free');
    });
  }

  it('does not accept the reject button of another layer as its own', async () => {
    const complaints = listenToConsole();
    const bare = inBanner.replace('<button data-svc="reject">Reject all</button>', '');
    const visit = await meetView({
      html: `${bare.replace('<section data-svc="banner"', '<section data-svc="x"')}${markup}`,
    });
    expect(isAsked(visit)).to.equal(true);
    find(visit, '[data-svc=x]').dataset.svc = 'banner';
    await waitUntil(() => complaints.join().includes('has no <button data-svc="reject">'), 'it is logged');
  });

  it('isolates direction characters of the notice from the page’s own words', async () => {
    document.documentElement.lang = 'en';
    const visit = await meetView({ notice: { controllerName: '\u202eevilCo', language: 'en' } });
    const words = findBanner(visit).querySelector('p')?.lastChild as Text;
    const range = document.createRange();
    const [early, late] = [1, 8].map((at) => {
      range.setStart(words, at);
      range.setEnd(words, at + 1);
      return range.getBoundingClientRect().x;
    });
    expect(early).to.be.below(late ?? 0);
  });

  it('keeps the direction that the page set for a word', async () => {
    const visit = await meetView({ html: markup.replace('data-svc-text="controller"', '$& dir="ltr"') });
    expect(find(visit, '[data-svc-text=controller]').dir).to.equal('ltr');
  });

  it('may fade out', async () => {
    const complaints = listenToConsole();
    const css = `[data-svc=banner] { transition: .3s } [data-svc=banner][hidden] { display: block !important; visibility: hidden; opacity: 0 }`;
    const visit = await meetView({ css });
    await waitUntil(() => !findBanner(visit).hidden, 'it asks');
    pressIn(findBanner(visit), 'reject');
    await untilChecked();
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(nothingOptional);
    expect(complaints).to.deep.equal([]);
  });
});
