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
  returnToView,
  type ViewOptions,
  type ViewVisit,
} from './elements-page.ts';
import { createNotice, json, listenToConsole, restorePage } from './network.ts';
import { waitUntil } from './wait-until.ts';

const withoutDialog = markup.replace(/<dialog[\s\S]*<\/dialog>/, '');
const read = () => window.SvcConsent.get()?.purposes ?? null;

/** A later visit of a visitor who accepted, with a server that responds only when told to. */
async function returnToSilence(html = markup): Promise<ViewVisit & { readonly answer: () => void }> {
  const first = await meetView({ html });
  pressIn(findBanner(first), 'accept');
  let answer = (): void => {};
  const prepare: ViewOptions['prepare'] = (network) => {
    network.answerNotice = () =>
      new Promise((resolve) => {
        answer = () => resolve(json({ data: createNotice(first.noticeId) }));
      });
  };
  const visit = await returnToView(first, { html, prepare });
  await waitUntil(() => read(), 'the decision is known');
  return { ...visit, answer: () => answer() };
}

describe('withdrawal with building blocks', () => {
  afterEach(async () => {
    await leaveView();
    restorePage();
    localStorage.clear();
  });

  const unfair = 'dialog [data-svc=reject] { opacity: .3 }';

  it('is saved whatever refusing looks like', async () => {
    listenToConsole();
    const visit = await meetView({ css: unfair });
    pressIn(findBanner(visit), 'accept');
    await openPreferences(visit);
    listSwitches(visit)[2]?.click();
    pressIn(findDialog(visit), 'save');
    expect(read()).to.deep.equal({ ...everything, marketing: false });
  });

  it('saves no new grant with it', async () => {
    listenToConsole();
    const visit = await meetView({ css: unfair });
    await openPreferences(visit);
    listSwitches(visit)[2]?.click();
    pressIn(findDialog(visit), 'save');
    expect(read()).to.equal(null);
    listSwitches(visit)[2]?.click();
    pressIn(findDialog(visit), 'save');
    expect(read(), 'to grant nothing is a refusal').to.deep.equal(nothingOptional);
    await openPreferences(visit);
    listSwitches(visit)[1]?.click();
    pressIn(findDialog(visit), 'save');
    expect(read()).to.deep.equal(nothingOptional);
  });

  it('treats purposes that a newer notice adds as new, even if they were granted before', async () => {
    listenToConsole();
    const first = await meetView();
    pressIn(findBanner(first), 'accept');
    localStorage.removeItem(`svc-consent:${first.noticeId}:checked`);
    const visit = await returnToView(first, { notice: { version: 8 }, css: unfair });
    await waitUntil(() => isAsked(visit), 'it asks again');
    await openPreferences(visit);
    expect(listSwitches(visit)[1]?.checked).to.equal(true);
    pressIn(findDialog(visit), 'save');
    expect(isPreferencesShown(visit)).to.equal(true);
    expect(isAsked(visit)).to.equal(true);
  });

  it('does not wait for a silent server, and shows the switches when it responds', async () => {
    const visit = await returnToSilence();
    await openPreferences(visit);
    expect(listSwitches(visit)).to.be.empty;
    listenToConsole();
    pressIn(findDialog(visit), 'accept');
    pressIn(findDialog(visit), 'save');
    expect(isPreferencesShown(visit)).to.equal(true);
    visit.answer();
    await waitUntil(() => listSwitches(visit).length === 3, 'the switches are there');
    listSwitches(visit)[1]?.click();
    pressIn(findDialog(visit), 'save');
    expect(read()).to.deep.equal({ ...everything, statistics: false });
  });

  it('is never blocked while the server is silent', async () => {
    const visit = await returnToSilence();
    await openPreferences(visit);
    pressIn(findDialog(visit), 'reject');
    await waitUntil(() => read()?.marketing === false, 'it is taken back');
    expect(isPreferencesShown(visit)).to.equal(false);
  });

  it('works in a banner, too, if there is no dialog', async () => {
    const visit = await returnToSilence(withoutDialog);
    window.SvcConsent.open();
    await waitUntil(() => isAsked(visit), 'the banner shows');
    window.SvcConsent.open();
    find(visit, 'p').append('of the page');
    await new Promise(requestAnimationFrame);
    expect(isAsked(visit)).to.equal(true);
    listenToConsole();
    pressIn(findBanner(visit), 'accept');
    expect(isAsked(visit)).to.equal(true);
    pressIn(findBanner(visit), 'reject');
    await waitUntil(() => read()?.marketing === false, 'it is taken back');
    expect(isAsked(visit)).to.equal(false);
  });
});
