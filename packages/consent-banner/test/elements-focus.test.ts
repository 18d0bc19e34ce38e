import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import {
  find,
  findBanner,
  isAsked,
  leaveView,
  markup,
  meetView,
  nothingOptional,
  pressIn,
  type ViewVisit,
} from './elements-page.ts';
import { listenToConsole, restorePage } from './network.ts';

const html = markup
  .replace(/<dialog[\s\S]*<\/dialog>/, '')
  .replace('<h2', '<button data-svc="close" hidden>Close</button><h2');
const findOpener = (visit: ViewVisit): HTMLElement => find(visit, ':scope > p [data-svc=open]');
const hasFocus = (element: Element): boolean => document.activeElement === element;

/** Opens the banner by the keyboard, after a choice. */
async function reopen(css = ''): Promise<ViewVisit> {
  const visit = await meetView({ html, css });
  pressIn(findBanner(visit), 'accept');
  findOpener(visit).focus();
  await sendKeys({ press: 'Enter' });
  expect(isAsked(visit)).to.equal(true);
  return visit;
}

describe('a view of building blocks by the keyboard, without a dialog,', () => {
  afterEach(async () => {
    await leaveView();
    restorePage();
    localStorage.clear();
  });

  it('brings who opens its banner there, and back by Escape', async () => {
    const visit = await reopen();
    expect(hasFocus(findBanner(visit))).to.equal(true);
    await sendKeys({ press: 'Tab' });
    expect(hasFocus(find(visit, '[data-svc=close]'))).to.equal(true);
    await sendKeys({ press: 'Escape' });
    expect(isAsked(visit)).to.equal(false);
    expect(hasFocus(findOpener(visit))).to.equal(true);
  });

  it('goes by its close button, and gives the focus back', async () => {
    const visit = await reopen();
    await sendKeys({ press: 'Tab' });
    await sendKeys({ press: 'Enter' });
    expect(isAsked(visit)).to.equal(false);
    expect(hasFocus(findOpener(visit))).to.equal(true);
  });

  it('has no close button while it asks, and Escape does nothing then', async () => {
    const complaints = listenToConsole();
    const visit = await meetView({ html });
    expect(find(visit, '[data-svc=close]').hidden).to.equal(true);
    window.SvcConsent.open();
    expect(hasFocus(findBanner(visit))).to.equal(true);
    await sendKeys({ press: 'Escape' });
    expect(isAsked(visit)).to.equal(true);
    pressIn(findBanner(visit), 'close');
    expect(isAsked(visit)).to.equal(true);
    expect(complaints.join()).to.contain('data-svc="close" does nothing in the banner while it asks');
  });

  it('leaves Escape to what of the page took it', async () => {
    const visit = await reopen();
    const take = (event: Event): void => event.preventDefault();
    findBanner(visit).addEventListener('keydown', take);
    await sendKeys({ press: 'Escape' });
    expect(isAsked(visit)).to.equal(true);
  });

  it('keeps the focus near a button that is hidden by what it did', async () => {
    const more =
      '<div><p data-svc-when="accepted"><button class="own" data-svc="withdraw">Take back</button></p></div>';
    const visit = await meetView({ html: markup + more });
    pressIn(findBanner(visit), 'accept');
    find(visit, '.own').focus();
    await sendKeys({ press: 'Enter' });
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(nothingOptional);
    await new Promise(requestAnimationFrame);
    expect(hasFocus(find(visit, ':scope > div'))).to.equal(true);
  });
});
