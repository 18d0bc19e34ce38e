import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import { createConsent } from '../src/headless.ts';
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
import { createNotice, json, listenToConsole, restorePage } from './network.ts';
import { waitUntil } from './wait-until.ts';

const failures = [
  ['is down', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['does not know the notice', () => json({}, { status: 404 })],
  ['fails', () => json({}, { status: 500 })],
  ['answers garbage', () => json({ data: { id: 7 } })],
] as const;

/** Replaces a node with a newer one, as a framework does. */
function renew(element: HTMLElement, html: string): HTMLElement {
  const holder = document.createElement('div');
  holder.innerHTML = html;
  const made = holder.firstElementChild as HTMLElement;
  element.replaceWith(made);
  return made;
}

const bannerMarkup = /<section[\s\S]*<\/section>/.exec(markup)?.[0] ?? '';
const dialogMarkup = /<dialog[\s\S]*<\/dialog>/.exec(markup)?.[0] ?? '';

describe('a view of building blocks on a changing page', () => {
  afterEach(async () => {
    await leaveView();
    restorePage();
    localStorage.clear();
  });

  for (const [name, answer] of failures) {
    it(`shows and grants nothing when the server ${name}, logs it once, and retries when opened`, async () => {
      const complaints = listenToConsole();
      const visit = visitView({
        prepare: (network) => {
          network.answerNotice = answer;
        },
      });
      await waitUntil(() => visit.view.matches(':state(failed)'), 'it has failed');
      window.SvcConsent.open();
      pressIn(findBanner(visit), 'accept');
      pressIn(findDialog(visit), 'accept');
      await waitUntil(() => visit.network.notices.length >= 2, 'it is asked again');
      expect([isAsked(visit), isPreferencesShown(visit)]).to.deep.equal([false, false]);
      expect(window.SvcConsent.get()).to.equal(null);
      expect(visit.network.records).to.be.empty;
      expect(complaints).to.have.length(1);
      visit.network.answerNotice = () => json({ data: createNotice(visit.noticeId) });
      window.SvcConsent.open();
      await waitUntil(() => isPreferencesShown(visit), 'the preferences open');
      expect(visit.view.matches(':state(failed)')).to.equal(false);
    });
  }

  it('lets a visitor withdraw everything while the notice cannot be loaded, and grants nothing', async () => {
    const first = await meetView();
    pressIn(findBanner(first), 'accept');
    const visit = await returnToView(first, {
      prepare: (network) => {
        network.answerNotice = () => json({}, { status: 404 });
      },
    });
    listenToConsole();
    window.SvcConsent.open();
    await waitUntil(() => isPreferencesShown(visit), 'the preferences open');
    pressIn(findDialog(visit), 'accept');
    pressIn(findDialog(visit), 'save');
    expect(isPreferencesShown(visit)).to.equal(true);
    pressIn(findDialog(visit), 'reject');
    await waitUntil(() => window.SvcConsent.get()?.purposes.marketing === false, 'it is taken back');
    expect(isPreferencesShown(visit)).to.equal(false);
  });

  it('does nothing without a notice-id, which is logged; starts when it is set', async () => {
    const complaints = listenToConsole();
    const visit = visitView();
    visit.view.setAttribute('notice-id', '');
    await waitUntil(() => complaints.length, 'it is logged');
    expect(complaints[0]).to.contain('notice-id is missing');
    expect(isAsked(visit)).to.equal(false);
    visit.view.noticeId = visit.noticeId;
    await waitUntil(() => isAsked(visit), 'it asks');
    expect(visit.view.noticeId).to.equal(visit.noticeId);
    visit.view.apiBase = '/elsewhere/';
    await waitUntil(() => visit.network.notices.some(({ url }) => url.includes('/elsewhere/v1/')), 'it asks there');
    expect(visit.view.apiBase).to.equal('/elsewhere/');
  });

  it('shows only the first of two, and the other when the first is removed', async () => {
    const complaints = listenToConsole();
    const visit = await meetView();
    const other = { ...visit, view: visit.view.cloneNode(true) as typeof visit.view };
    find(other, '[data-svc=banner]').hidden = true;
    document.body.append(other.view);
    await waitUntil(() => complaints.length, 'it is logged');
    expect(complaints[0]).to.contain('two <svc-consent-view>');
    expect([isAsked(visit), isAsked(other)]).to.deep.equal([true, false]);
    visit.view.remove();
    await waitUntil(() => isAsked(other), 'the other asks');
    expect(other.view.querySelectorAll('dialog li')).to.have.length(3);
    pressIn(findBanner(other), 'accept');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(everything);
  });

  it('hides when it is removed, and shows the same when it is inserted again', async () => {
    const visit = await meetView();
    visit.view.remove();
    await Promise.resolve();
    await Promise.resolve();
    expect(findBanner(visit).hidden).to.equal(true);
    pressIn(findBanner(visit), 'accept');
    expect(window.SvcConsent.get()).to.equal(null);
    document.body.append(visit.view);
    await waitUntil(() => isAsked(visit), 'it asks again');
    pressIn(findBanner(visit), 'reject');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(nothingOptional);
  });

  it('keeps its state when it is moved, with its preferences open and a switch turned', async () => {
    const visit = await meetView();
    await openPreferences(visit);
    listSwitches(visit)[1]?.click();
    document.body.append(document.createElement('main'));
    const main = document.body.lastElementChild as HTMLElement;
    main.append(visit.view);
    await waitUntil(() => isPreferencesShown(visit), 'they hold the page again');
    expect(listSwitches(visit)[1]?.checked).to.equal(true);
    pressIn(findDialog(visit), 'save');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal({ ...nothingOptional, statistics: true });
    main.remove();
  });

  it('is in the top layer again after its popover was moved', async () => {
    const visit = await meetView({ html: markup.replace('data-svc="banner"', 'data-svc="banner" popover="manual"') });
    document.body.prepend(visit.view);
    await waitUntil(() => findBanner(visit).matches(':popover-open'), 'it is above the page');
    expect(isAsked(visit)).to.equal(true);
  });

  it('shows the same after a framework rendered it again', async () => {
    const visit = await meetView();
    renew(findBanner(visit), bannerMarkup);
    await waitUntil(() => isAsked(visit), 'the banner shows');
    await openPreferences(visit);
    listSwitches(visit)[2]?.click();
    renew(findDialog(visit), dialogMarkup);
    await waitUntil(() => isPreferencesShown(visit), 'the preferences are open');
    expect(listSwitches(visit).map(({ checked }) => checked)).to.deep.equal([true, false, true]);
    pressIn(findDialog(visit), 'save');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal({ ...nothingOptional, marketing: true });
  });

  it('keeps its nodes, and the focus in them, when something else is rendered', async () => {
    const visit = await meetView();
    const dialog = await openPreferences(visit);
    const input = listSwitches(visit)[2];
    input?.focus();
    dialog.prepend(document.createElement('p'));
    find(visit, 'dialog li').remove();
    await waitUntil(() => listSwitches(visit).length === 3, 'what was taken away is drawn again');
    expect(document.activeElement === input).to.equal(true);
    expect(listSwitches(visit).map((one) => one.closest('li')?.dataset.svcKey)).to.deep.equal(Object.keys(everything));
  });

  it('does not write to the page without a change', async () => {
    const visit = await meetView();
    await openPreferences(visit);
    await new Promise((done) => setTimeout(done));
    const seen: MutationRecord[] = [];
    const observer = new MutationObserver((records) => seen.push(...records));
    const own = visit.view.appendChild(document.createElement('p'));
    observer.observe(visit.view, { subtree: true, childList: true, attributes: true, characterData: true });
    own.append('of the page');
    await new Promise((done) => setTimeout(done));
    observer.disconnect();
    expect(seen.filter(({ target }) => target !== own)).to.have.length(0);
    expect(seen).to.have.length(1);
  });

  it('shows again after a framework hid it by rendering its first markup', async () => {
    const visit = await meetView();
    findBanner(visit).hidden = true;
    await waitUntil(() => isAsked(visit), 'the banner shows');
    pressIn(findBanner(visit), 'reject');
    findBanner(visit).hidden = false;
    await waitUntil(() => !isAsked(visit), 'it goes again');
  });

  it('accepts a template that a framework filled with elements instead of a fragment', async () => {
    const visit = visitView({
      html:
        dialogMarkup.replace(/<template[\s\S]*<\/template>/, '<template data-svc="purpose"></template>') + bannerMarkup,
    });
    const item = document.createElement('li');
    item.innerHTML =
      '<input type="checkbox" data-svc="purpose-switch"><b data-svc="purpose-name"></b><i data-svc-when="required">*</i>';
    const complaints = listenToConsole();
    visit.view.querySelector('template')?.appendChild(item);
    await waitUntil(() => isAsked(visit), 'it asks');
    expect(visit.view.querySelectorAll('ul > li [data-svc=purpose-name]')[1]).to.have.text('Statistics');
    expect(complaints).to.deep.equal([]);
  });

  it('renders each purpose once when a framework removes its template and inserts another one elsewhere', async () => {
    const visit = await meetView();
    await openPreferences(visit);
    listSwitches(visit)[2]?.click();
    const template = find<HTMLTemplateElement>(visit, 'template');
    const list = template.parentElement as HTMLElement;
    template.remove();
    await waitUntil(() => listSwitches(visit).length === 0, 'they go with it');
    list.append(template.cloneNode(true));
    await waitUntil(() => listSwitches(visit).length > 0, 'they come with it');
    list.append(find(visit, 'template'));
    find(visit, 'template').replaceWith(template);
    await waitUntil(() => template.nextElementSibling !== null, 'they follow another');
    expect(listSwitches(visit).map(({ checked }) => checked)).to.deep.equal([true, false, true]);
  });

  for (const [name, fill] of [
    ['as a parser fills it', (template: HTMLTemplateElement) => template.content],
    ['as a framework fills it', (template: HTMLTemplateElement) => template],
  ] as const) {
    it(`renders a template again in another language (${name}), and keeps the switches`, async () => {
      const visit = await meetView();
      const template = find<HTMLTemplateElement>(visit, 'template');
      fill(template).append(...template.content.childNodes);
      await openPreferences(visit);
      const listDrawn = () => [...visit.view.querySelectorAll<HTMLInputElement>('ul > li input')];
      await waitUntil(() => listDrawn().length === 3, 'they are drawn');
      listDrawn()[2]?.click();
      const title = find(visit, '#preferences-title');
      const [words, heading] = [fill(template).querySelector('[data-svc-when=required]'), title.firstChild];
      (words?.firstChild as Text).data = 'Immer an';
      (heading as Text).data = 'Auswahl';
      await waitUntil(() => find(visit, 'ul > li [data-svc-when=required]').textContent === 'Immer an', 'it says so');
      expect(listDrawn().map(({ checked }) => checked)).to.deep.equal([true, false, true]);
      pressIn(findDialog(visit), 'save');
      expect(window.SvcConsent.get()?.purposes).to.deep.equal({ ...nothingOptional, marketing: true });
    });
  }

  it('stays open, with its switches, when a morph writes its first markup over it', async () => {
    const visit = await meetView();
    const dialog = await openPreferences(visit);
    listSwitches(visit)[2]?.click();
    dialog.removeAttribute('open');
    findBanner(visit).hidden = true;
    for (const line of visit.view.querySelectorAll('ul > li')) line.remove();
    await waitUntil(() => dialog.open, 'it is open');
    expect(dialog.checkVisibility()).to.equal(true);
    expect(listSwitches(visit).map(({ checked }) => checked)).to.deep.equal([true, false, true]);
    await sendKeys({ press: 'Escape' });
    await waitUntil(() => !isPreferencesShown(visit), 'Escape closes it');
    expect(document.querySelector(':modal')).to.equal(null);
    await openPreferences(visit);
    expect(listSwitches(visit)[2]?.checked, 'and forgets').to.equal(false);
  });

  it('does not duplicate what a client router kept with the markup', async () => {
    const first = await meetView();
    const html = first.view.innerHTML;
    expect(html).to.contain('data-svc-key="marketing"');
    const visit = await returnToView(first, { html });
    await waitUntil(() => isAsked(visit), 'it asks');
    expect(visit.view.querySelectorAll('dialog li')).to.have.length(3);
  });

  it('shows nothing while parts are missing, and shows when they are added', async () => {
    const visit = visitView({ html: '' });
    await waitUntil(() => visit.network.notices.length, 'the notice is asked for');
    visit.view.innerHTML = markup;
    await waitUntil(() => isAsked(visit), 'it asks');
  });

  it('works with any names that markup gives to its controls and images', async () => {
    const own = 'querySelectorAll matches closest getAttribute hasAttribute dataset hidden textContent children lang';
    const around = 'parentElement offsetParent getRootNode assignedSlot getBoundingClientRect clientWidth scrollWidth';
    const controls = `${own} ${around}`.split(' ').map((name) => `<input name="${name}" hidden>`);
    const names =
      'createElement elementFromPoint importNode readyState documentElement querySelectorAll getElementById body';
    const images = names.split(' ').map((name) => `<img name="${name}" alt="" hidden>`);
    const html = markup
      .replaceAll(
        '<div class="choices">',
        `<form data-svc="save" data-svc-text="name"></form><form lang="en" class="choices">${controls.join('')}`,
      )
      .replaceAll('</div>', '</form>');
    const holder = document.body.appendChild(document.createElement('div'));
    const complaints = listenToConsole();
    const visit = visitView({ html, css: 'form { overflow: auto }' });
    holder.innerHTML = images.join('');
    try {
      await waitUntil(() => isAsked(visit), 'it asks');
      await openPreferences(visit);
      const form = find(visit, 'dialog form.choices');
      for (const type of ['click', 'change'])
        HTMLElement.prototype.dispatchEvent.call(form, new Event(type, { bubbles: true }));
      await waitUntil(() => complaints.length, 'the problem is logged');
      expect(complaints.join()).to.contain('data-svc="save" is on a <form>').and.not.contain('nothing can be granted');
      pressIn(findDialog(visit), 'accept');
      expect(window.SvcConsent.get()?.purposes).to.deep.equal(everything);
    } finally {
      holder.remove();
    }
  });

  it('does not submit a form around it', async () => {
    const visit = await meetView();
    const form = document.createElement('form');
    let isSent = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      isSent = true;
    });
    document.body.append(form);
    form.append(visit.view);
    pressIn(findBanner(visit), 'reject');
    expect(isSent).to.equal(false);
    form.remove();
  });

  it('blocks tags, and updates Google Consent Mode, as the banner does', async () => {
    const page = window as { dataLayer?: ArrayLike<unknown>[] };
    const frame = document.body.appendChild(document.createElement('iframe'));
    frame.dataset.svcPurpose = 'marketing';
    frame.dataset.src = '/visitor-page/blank';
    const visit = await meetView({ attributes: { 'consent-mode': 'statistics: analytics_storage' } });
    expect(frame.hasAttribute('src')).to.equal(false);
    pressIn(findBanner(visit), 'accept');
    await waitUntil(() => frame.hasAttribute('src'), 'the frame loads');
    expect(page.dataLayer?.map((command) => [...(command as unknown[])])).to.deep.equal([
      ['consent', 'default', { analytics_storage: 'denied' }],
      ['consent', 'update', { analytics_storage: 'granted' }],
    ]);
    delete page.dataLayer;
    frame.remove();
  });

  it('reads its other attributes when they are needed', async () => {
    const visit = await meetView();
    visit.view.setAttribute('cookie-domain', location.hostname);
    pressIn(findBanner(visit), 'accept');
    expect(document.cookie).to.contain(encodeURIComponent(`svc-consent:${visit.noticeId}`));
    const key = `svc-consent:${visit.noticeId}`;
    const decidedAt = new Date(Date.now() - 40 * 86_400_000).toISOString();
    localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key) ?? ''), decidedAt }));
    const later = await returnToView(visit, { attributes: { 'max-age': '30' } });
    await waitUntil(() => isAsked(later), 'it asks again');
  });

  it('logs an invalid attribute', async () => {
    const complaints = listenToConsole();
    await meetView({ attributes: { 'refusal-max-age': 'a month' } });
    expect(complaints.join()).to.contain('refusal-max-age="a month" is not understood');
  });

  it('logs invalid markup, and how to fix it', async () => {
    const complaints = listenToConsole();
    const more = `<b data-svc="accept-all"></b><b data-svc-text="title"></b><b data-svc-text="domain"><i>x</i></b><b data-svc-when="never"></b><form data-svc="receipt"></form><section data-svc="banner" hidden></section>`;
    const visit = await meetView({
      html: `${markup.replace(' aria-labelledby="banner-title"', '').replace('<span data-svc="purpose-name"></span>', '')}${more}`,
      css: '[data-svc=preferences] { display: block !important }',
    });
    await waitUntil(() => complaints.some((one) => one.includes('two layers')), 'the last is logged');
    const text = complaints.join('\n');
    for (const words of [
      'data-svc="accept-all" is not understood',
      'data-svc-text="title" is not understood',
      'data-svc-text="domain" is on what has elements in it',
      'data-svc-when="never" is not understood',
      'data-svc="receipt" is on a <form>',
      'data-svc="banner" has no name',
      'data-svc="preferences" is to be seen although it is hidden',
      'without data-svc="purpose-name"',
    ])
      expect(text).to.contain(words);
    expect(listSwitches(visit)[1]?.getAttribute('aria-label'), 'it has a name all the same').to.equal('Statistics');
  });

  it('logs that no visitor is asked if there is no banner, and that nothing can be opened', async () => {
    const complaints = listenToConsole();
    visitView({ html: '<p>Nothing</p>' });
    await waitUntil(() => complaints.join().includes('nobody is asked'), 'it is logged');
    window.SvcConsent.open();
    await waitUntil(() => complaints.join().includes('has nothing to open'), 'that too');
  });

  it('does nothing if the page already asks about another notice', async () => {
    const complaints = listenToConsole();
    const other = createConsent({ noticeId: 'another-notice', apiBase: location.origin });
    const visit = visitView();
    await waitUntil(() => complaints.length, 'it is logged');
    expect(complaints[0]).to.contain('another-notice already');
    expect(isAsked(visit)).to.equal(false);
    other.destroy();
  });
});
