import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
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
  visitView,
} from './elements-page.ts';
import { listenToConsole, restorePage } from './network.ts';
import { waitUntil } from './wait-until.ts';

describe('a site’s own markup, made of building blocks,', () => {
  afterEach(async () => {
    await leaveView();
    restorePage();
    localStorage.clear();
  });

  it('stays hidden until the visitor is to be asked, then is a named region', async () => {
    const visit = visitView({ html: markup.replace('<section', '<div').replace('</section', '</div') });
    expect(isAsked(visit)).to.equal(false);
    await waitUntil(() => isAsked(visit), 'the banner shows');
    expect(findBanner(visit).getAttribute('role')).to.equal('region');
    expect(document.activeElement === document.body).to.equal(true);
    expect(window.SvcConsent.get()).to.equal(null);
  });

  it('keeps the role that the page gave its banner', async () => {
    const visit = await meetView();
    expect(findBanner(visit).hasAttribute('role')).to.equal(false);
  });

  it('is in the top layer if its banner is a popover', async () => {
    const visit = await meetView({ html: markup.replace('data-svc="banner"', 'data-svc="banner" popover="manual"') });
    expect(findBanner(visit).matches(':popover-open')).to.equal(true);
    pressIn(findBanner(visit), 'reject');
    expect(isAsked(visit)).to.equal(false);
  });

  for (const [role, purposes] of [
    ['accept', everything],
    ['reject', nothingOptional],
  ] as const) {
    for (const [layer, method] of [
      ['banner', 'banner'],
      ['preferences', 'modal'],
    ] as const) {
      it(`accepts ${role} in its ${layer}, reports and records it, and closes`, async () => {
        const visit = await meetView();
        const details: unknown[] = [];
        const listen = ({ detail }: CustomEvent): unknown => details.push(detail);
        document.addEventListener('svc-consent', listen);
        if (layer === 'preferences') await openPreferences(visit);
        pressIn(find(visit, `[data-svc=${layer}]`), role);
        document.removeEventListener('svc-consent', listen);
        expect(window.SvcConsent.get()?.purposes).to.deep.equal(purposes);
        expect(details).to.deep.equal([{ decided: true, purposes }]);
        expect([isAsked(visit), isPreferencesShown(visit)]).to.deep.equal([false, false]);
        await waitUntil(() => visit.network.records.length, 'the record arrives');
        expect(visit.network.records[0]?.body).to.deep.include({ purposes, method, noticeVersion: 7 });
      });
    }
  }

  it('has a switch for each purpose, named and described by the text beside it', async () => {
    const visit = await meetView();
    const dialog = await openPreferences(visit);
    const read = (input: Element, name: string): string =>
      (input.getAttribute(name)?.split(' ') ?? []).map((id) => document.getElementById(id)?.textContent).join();
    expect(
      listSwitches(visit).map((input) => [
        read(input, 'aria-labelledby'),
        read(input, 'aria-describedby'),
        input.checked,
        input.disabled,
      ]),
    ).to.deep.equal([
      ['Necessary', 'Keeps the site running.', true, true],
      ['Statistics', 'Counts visits.', false, false],
      ['Marketing', 'Shows fitting offers.', false, false],
    ]);
    const notes = [...dialog.querySelectorAll<HTMLElement>('[data-svc-when=required]')].map(({ hidden }) => hidden);
    expect(notes).to.deep.equal([false, true, true]);
    expect(dialog.querySelectorAll('[data-svc-when=new]:not([hidden])')).to.be.empty;
  });

  it('saves the switches as the visitor turned them', async () => {
    const visit = await meetView();
    const dialog = await openPreferences(visit);
    listSwitches(visit)[2]?.click();
    pressIn(dialog, 'save');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal({ ...nothingOptional, marketing: true });
    await openPreferences(visit);
    expect(listSwitches(visit).map(({ checked }) => checked)).to.deep.equal([true, false, true]);
    listSwitches(visit)[2]?.click();
    pressIn(dialog, 'save');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(nothingOptional);
  });

  it('discards unsaved switches', async () => {
    const visit = await meetView();
    const dialog = await openPreferences(visit);
    listSwitches(visit)[1]?.click();
    pressIn(dialog, 'close');
    expect(isPreferencesShown(visit)).to.equal(false);
    expect(isAsked(visit)).to.equal(true);
    await openPreferences(visit);
    expect(listSwitches(visit)[1]?.checked).to.equal(false);
  });

  it('supports the keyboard: the dialog traps the focus, Escape decides nothing, and the focus is restored', async () => {
    const visit = await meetView();
    const opener = find(visit, '[data-svc=banner] [data-svc=open]');
    opener.focus();
    await sendKeys({ press: 'Enter' });
    await waitUntil(() => isPreferencesShown(visit), 'the preferences open');
    const dialog = findDialog(visit);
    expect(dialog.contains(document.activeElement)).to.equal(true);
    listSwitches(visit)[1]?.focus();
    await sendKeys({ press: 'Space' });
    expect(listSwitches(visit)[1]?.checked).to.equal(true);
    await sendKeys({ press: 'Escape' });
    await waitUntil(() => !isPreferencesShown(visit), 'the preferences close');
    expect(document.activeElement === opener).to.equal(true);
    expect(window.SvcConsent.get()).to.equal(null);
    await sendKeys({ press: 'Enter' });
    await waitUntil(() => isPreferencesShown(visit), 'they open again');
    expect(listSwitches(visit)[1]?.checked).to.equal(false);
  });

  it('restores the focus to where it was before the visitor entered the banner', async () => {
    const link = document.body.insertBefore(document.createElement('button'), document.body.firstChild);
    const visit = await meetView();
    link.focus();
    find(visit, '[data-svc=banner] [data-svc=open]').focus();
    await sendKeys({ press: 'Enter' });
    await waitUntil(() => isPreferencesShown(visit), 'the preferences open');
    pressIn(findDialog(visit), 'reject');
    expect(document.activeElement === link).to.equal(true);
    link.remove();
  });

  it('also opens its preferences by a native command', async () => {
    const visit = await meetView({ html: markup.replace('<dialog', '<dialog id="preferences"') });
    const opener = document.body.appendChild(document.createElement('button'));
    opener.setAttribute('command', 'show-modal');
    opener.setAttribute('commandfor', 'preferences');
    pressIn(findBanner(visit), 'reject');
    const later = await returnToView(visit, { html: markup.replace('<dialog', '<dialog id="preferences"') });
    await waitUntil(() => window.SvcConsent.get(), 'the page was looked at');
    opener.click();
    await waitUntil(() => listSwitches(later).length === 3, 'its purposes are there');
    expect(isPreferencesShown(later)).to.equal(true);
    listSwitches(later)[1]?.click();
    pressIn(findDialog(later), 'save');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal({ ...nothingOptional, statistics: true });
    opener.remove();
  });

  it('does not ask a returning visitor, sends no request, and shows the decision', async () => {
    const first = await meetView();
    pressIn(findBanner(first), 'accept');
    await waitUntil(() => first.network.records.length, 'the record arrives');
    const { decidedAt } = JSON.parse(localStorage.getItem(`svc-consent:${first.noticeId}`) ?? '');
    const visit = await returnToView(first);
    await waitUntil(() => find(visit, 'p[data-svc-when=decided]').checkVisibility(), 'the decision is shown');
    expect(isAsked(visit)).to.equal(false);
    expect(visit.network.notices).to.be.empty;
    const time = find<HTMLTimeElement>(visit, 'p[data-svc-when=decided] time');
    expect(time.dateTime).to.equal(decidedAt);
    expect(time.textContent).to.equal(new Date(decidedAt).toLocaleDateString(undefined, { dateStyle: 'long' }));
    expect(find(visit, '[data-svc=receipt]').hidden).to.equal(false);
  });

  it('shows the date of the decision when it asks again about a newer notice', async () => {
    const first = await meetView();
    pressIn(findBanner(first), 'accept');
    localStorage.removeItem(`svc-consent:${first.noticeId}:checked`);
    const purposes = [
      { key: 'necessary', label: 'Necessary', description: '', required: true },
      { key: 'statistics', label: 'Statistics', description: '', required: false },
      { key: 'chat', label: 'Chat', description: '', required: false },
    ];
    const visit = await returnToView(first, { notice: { version: 8, purposes } });
    await waitUntil(() => isAsked(visit), 'it asks again');
    expect(find(visit, '[data-svc-when=changed]').checkVisibility()).to.equal(true);
    expect(visit.view.matches(':state(changed):state(asking):state(decided)')).to.equal(true);
    await openPreferences(visit);
    expect(listSwitches(visit).map(({ checked }) => checked)).to.deep.equal([true, true, false]);
    const isNew = [...visit.view.querySelectorAll<HTMLElement>('dialog [data-svc-when=new]')].map((one) => !one.hidden);
    expect(isNew).to.deep.equal([false, false, true]);
  });

  it('has states for the page’s CSS', async () => {
    const visit = await meetView();
    expect(visit.view.matches(':state(asking):not(:state(decided),:state(failed),:state(receipt))')).to.equal(true);
    pressIn(findBanner(visit), 'accept');
    expect(visit.view.matches(':state(decided):state(accepted):state(receipt):not(:state(asking))')).to.equal(true);
    const dialog = await openPreferences(visit);
    listSwitches(visit)[1]?.click();
    pressIn(dialog, 'save');
    expect(visit.view.matches(':state(custom):not(:state(accepted))')).to.equal(true);
    const later = await returnToView(visit);
    await waitUntil(() => later.view.matches(':state(custom)'), 'a later page knows it without a request');
    pressIn(later.view, 'withdraw');
    await waitUntil(() => later.view.matches(':state(rejected)'), 'it is taken back');
  });

  it('withdraws everything, or the one purpose of the button', async () => {
    const html = markup.replace('<li>', '<li><button data-svc="withdraw">Withdraw this</button>');
    const visit = await meetView({ html });
    pressIn(findBanner(visit), 'accept');
    await openPreferences(visit);
    find(visit, '[data-svc-key=statistics] [data-svc=withdraw]').click();
    expect(window.SvcConsent.get()?.purposes).to.deep.equal({ ...everything, statistics: false });
    find(visit, 'p [data-svc=withdraw]').click();
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(nothingOptional);
  });

  it('saves the receipt as a file', async () => {
    const visit = await meetView();
    expect(find(visit, '[data-svc=receipt]').hidden).to.equal(true);
    pressIn(findBanner(visit), 'accept');
    let link: HTMLAnchorElement | undefined;
    const click = HTMLAnchorElement.prototype.click;
    HTMLAnchorElement.prototype.click = function keep() {
      link = this;
    };
    pressIn(visit.view, 'receipt');
    HTMLAnchorElement.prototype.click = click;
    expect(link?.download).to.match(/^consent-localhost-.*\.json$/);
    const receipt = await await new Response(await readBlob(link?.href ?? '')).json();
    expect(receipt.purposes.map(({ status }: { readonly status: string }) => status)).to.deep.equal(
      Array(3).fill('granted'),
    );
  });

  it('follows another tab, with its preferences open', async () => {
    const visit = await meetView();
    await openPreferences(visit);
    listSwitches(visit)[1]?.click();
    const otherTab = new BroadcastChannel(`svc-consent:${visit.noticeId}`);
    const purposes = { ...nothingOptional, marketing: true };
    const decidedAt = new Date().toISOString();
    otherTab.postMessage({ decision: 'custom', purposes, noticeVersion: 7, decidedAt, subjectId: 'another-tab' });
    await waitUntil(() => !isAsked(visit), 'the banner goes');
    expect(listSwitches(visit).map(({ checked }) => checked)).to.deep.equal([true, false, true]);
    expect(visit.network.records).to.be.empty;
    otherTab.close();
  });

  it('reopens its banner if it has no preferences', async () => {
    const visit = await meetView({
      html: markup.replace(/<dialog[\s\S]*<\/dialog>/, '').replace('<h2', '<button data-svc="close">x</button><h2'),
    });
    pressIn(findBanner(visit), 'accept');
    expect(isAsked(visit)).to.equal(false);
    window.SvcConsent.open();
    expect(isAsked(visit)).to.equal(true);
    pressIn(findBanner(visit), 'close');
    expect(isAsked(visit)).to.equal(false);
    window.SvcConsent.open();
    pressIn(findBanner(visit), 'reject');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(nothingOptional);
    expect(isAsked(visit)).to.equal(false);
  });

  it('marks the language of the notice’s words if it differs from the page’s', async () => {
    const visit = await meetView({ notice: { language: 'ar', controllerName: 'أكمي' } });
    const word = find(visit, '[data-svc-text=controller]');
    expect([word.textContent, word.lang, word.dir]).to.deep.equal(['أكمي', 'ar', 'auto']);
    const name = find(visit, '[data-svc=purpose-name]');
    expect([name.lang, name.dir]).to.deep.equal(['ar', 'auto']);
    document.documentElement.lang = 'ar';
    visit.view.append('');
    await waitUntil(() => word.lang === '', 'nothing is to be said');
    document.documentElement.lang = '';
  });

  it('inserts words as text, whatever they contain', async () => {
    const visit = await meetView({ notice: { controllerName: '<img src=x onerror=alert(1)>' } });
    expect(find(visit, '[data-svc-text=controller]').childElementCount).to.equal(0);
  });

  it('passes axe in each of its states', async () => {
    const visit = await meetView();
    await expect(visit.view).to.be.accessible();
    await openPreferences(visit);
    await expect(visit.view).to.be.accessible();
    pressIn(findDialog(visit), 'reject');
    await expect(visit.view).to.be.accessible();
  });

  it('shows Global Privacy Control, which is not a decision', async () => {
    Object.defineProperty(navigator, 'globalPrivacyControl', { value: true, configurable: true });
    const visit = await meetView({ html: `${markup}<p data-svc-when="signal">Your browser asks for privacy.</p>` });
    expect(find(visit, '[data-svc-when=signal]').hidden).to.equal(false);
    expect(window.SvcConsent.get()).to.equal(null);
    Reflect.deleteProperty(navigator, 'globalPrivacyControl');
    await leaveView();
    const later = await meetView({ html: `${markup}<p data-svc-when="signal">Your browser asks for privacy.</p>` });
    expect(find(later, '[data-svc-when=signal]').hidden).to.equal(true);
  });

  it('logs nothing without a problem', async () => {
    const complaints = listenToConsole();
    const visit = await meetView();
    await openPreferences(visit);
    await new Promise((done) => setTimeout(done, 1_500));
    expect(complaints).to.deep.equal([]);
  });
});

async function readBlob(address: string): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.responseType = 'blob';
    request.onload = () => resolve(request.response);
    request.onerror = reject;
    request.open('GET', address);
    request.send();
  });
}
