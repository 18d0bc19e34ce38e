import { expect } from '@open-wc/testing';
import { listenToConsole, restorePage } from './network.ts';
import { find, isBannerShown, leavePage, meetBanner, openPanel, press, type Visit, visitPage } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

const accept = '.banner [data-choice=accept]';
const reject = '.banner [data-choice=reject]';
const decision = {
  decision: 'custom',
  purposes: { necessary: true, statistics: false, marketing: true },
  noticeVersion: 7,
  decidedAt: new Date().toISOString(),
  subjectId: 'another-tab',
  basis: { necessary: 'required', statistics: 'consent', marketing: 'consent' },
};

function cookieNames(): readonly string[] {
  return document.cookie.split('; ').map((cookie) => cookie.split('=')[0] ?? '');
}

function setCookie(cookie: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: as pages and their scripts do.
  document.cookie = cookie;
}

function expireCookies(): void {
  for (const name of cookieNames()) setCookie(`${name}=; Max-Age=0; Path=/`);
}

async function visitOn(id: string, attributes: Readonly<Record<string, string>>): Promise<Visit> {
  const visit = await meetBanner({ id }, undefined, attributes);
  await customElements.whenDefined('svc-cookie-list'); // In the part that applies the attributes about cookies.
  return visit;
}

/** Waits until the banner has received the messages of a tab: its channel is older, so it gets each one first. */
async function whenDelivered(otherTab: BroadcastChannel): Promise<void> {
  const younger = new BroadcastChannel(otherTab.name);
  const received = new Promise((resolve) => (younger.onmessage = resolve));
  otherTab.postMessage(null);
  await received;
  younger.close();
}

describe('tabs of one visitor', () => {
  afterEach(restorePage);

  it('agree as soon as the message comes, without storage, and an open panel shows it', async () => {
    const visit = await meetBanner();
    await openPanel(visit);
    const otherTab = new BroadcastChannel(`svc-consent:${visit.noticeId}`);
    otherTab.postMessage(decision);
    await whenDelivered(otherTab);
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(decision.purposes);
    expect(isBannerShown(visit)).to.equal(false);
    expect(find<HTMLInputElement>(visit, '#purpose-2').checked).to.equal(true);
    expect(visit.network.records).to.be.empty;
    otherTab.close();
  });

  it('receive a decision made here', async () => {
    const visit = await meetBanner();
    const otherTab = new BroadcastChannel(`svc-consent:${visit.noticeId}`);
    const heard = new Promise<unknown>((resolve) => {
      otherTab.onmessage = ({ data }) => resolve(data.purposes);
    });
    await press(visit, reject);
    expect(await heard).to.deep.equal({ necessary: true, statistics: false, marketing: false });
    otherTab.close();
  });

  it('keep the newer of two decisions, and ignore garbage', async () => {
    const visit = await meetBanner();
    await press(visit, reject);
    await openPanel(visit); // Its script listens to the channel.
    const otherTab = new BroadcastChannel(`svc-consent:${visit.noticeId}`);
    const older = { ...decision, decidedAt: '2026-01-01T00:00:00.000Z' };
    for (const message of [
      older,
      null,
      'accepted',
      { ...decision, purposes: [true] },
      { ...decision, decidedAt: 'Z' },
    ]) {
      otherTab.postMessage(message);
    }
    await whenDelivered(otherTab);
    expect(window.SvcConsent.get()?.purposes.marketing).to.equal(false);
    otherTab.close();
  });

  it('receive no decision on a notice that was replaced', async () => {
    const visit = await meetBanner();
    await openPanel(visit);
    const otherTab = new BroadcastChannel(`svc-consent:${visit.noticeId}`);
    visit.element.setAttribute('notice-id', crypto.randomUUID());
    otherTab.postMessage(decision);
    await whenDelivered(otherTab);
    expect(window.SvcConsent.get()).to.equal(null);
    otherTab.close();
  });

  it('adopt a withdrawal although the clock was set back before it', async () => {
    const visit = await meetBanner();
    await press(visit, accept);
    const otherTab = new BroadcastChannel(`svc-consent:${visit.noticeId}`);
    const withdrawal = {
      ...decision,
      purposes: { necessary: true, statistics: true, marketing: false },
      decidedAt: new Date(Date.now() - 3_600_000).toISOString(),
    };
    // A tab stores its decision, too: the page reads the storage again when it is idle.
    localStorage.setItem(`svc-consent:${visit.noticeId}`, JSON.stringify(withdrawal));
    otherTab.postMessage(withdrawal);
    await waitUntil(() => window.SvcConsent.get()?.purposes.marketing === false, 'it is taken over');
    expect(window.SvcConsent.get()?.purposes.statistics).to.equal(true);
    otherTab.close();
  });

  it('reject a decision from the future, whatever its source', async () => {
    const visit = await meetBanner();
    await openPanel(visit);
    const future = { ...decision, decidedAt: new Date(Date.now() + 600_000).toISOString() };
    const otherTab = new BroadcastChannel(`svc-consent:${visit.noticeId}`);
    otherTab.postMessage(future);
    await whenDelivered(otherTab);
    localStorage.setItem(`svc-consent:${visit.noticeId}`, JSON.stringify(future));
    window.dispatchEvent(new Event('focus'));
    expect(window.SvcConsent.get()).to.equal(null);
    otherTab.close();
  });

  it('follow when they are visible again', async () => {
    const visit = await meetBanner();
    localStorage.setItem(`svc-consent:${visit.noticeId}`, JSON.stringify(decision));
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(decision.purposes);
  });
});

describe('cookie-domain', () => {
  beforeEach(leavePage);
  afterEach(() => {
    restorePage();
    expireCookies();
  });

  it('without it there is no cookie', async () => {
    const visit = await meetBanner();
    const before = document.cookie; // Other pages of this browser may have some.
    await press(visit, accept);
    expect(document.cookie).to.equal(before);
    expect(before).not.to.contain(visit.noticeId);
  });

  it('stores the decision in one cookie, in place of one of this host only', async () => {
    const id = crypto.randomUUID();
    setCookie(`svc-consent%3A${id}=old; Path=/`);
    const visit = await visitOn(id, { 'cookie-domain': 'localhost' });
    await press(visit, accept);
    const cookies = document.cookie.split('; ').filter((cookie) => cookie.startsWith(`svc-consent%3A${id}=`));
    expect(cookies).to.have.length(1);
    const kept = JSON.parse(decodeURIComponent(cookies[0]?.split('=')[1] ?? ''));
    expect(kept).to.deep.include({ decision: 'accepted', noticeVersion: 7 });
  });

  it('adopts the decision of another host, the newer one if there are two', async () => {
    const id = crypto.randomUUID();
    const older = {
      ...decision,
      decision: 'rejected',
      purposes: { necessary: true },
      decidedAt: '2026-11-01T00:00:00.000Z',
    };
    localStorage.setItem(`svc-consent:${id}`, JSON.stringify(older));
    setCookie(`svc-consent%3A${id}=${encodeURIComponent(JSON.stringify(decision))}; Path=/`);
    await visitPage({ id }, undefined, { 'cookie-domain': 'localhost' });
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(decision.purposes);
    await leavePage();
    await visitPage({ id });
    expect(window.SvcConsent.get()?.purposes, 'without the attribute no cookie is read').to.deep.equal(older.purposes);
  });

  it('ignores garbage', async () => {
    const id = crypto.randomUUID();
    for (const value of ['%', '%7B', 'null', encodeURIComponent(JSON.stringify({ ...decision, purposes: { a: 1 } }))]) {
      setCookie(`svc-consent%3A${id}=${value}; Path=/`);
      await visitPage({ id }, undefined, { 'cookie-domain': 'localhost' });
      expect(window.SvcConsent.get(), value).to.equal(null);
      await leavePage();
    }
  });

  it('follows a newer decision of another host in place of writing over it', async () => {
    const visit = await visitOn(crypto.randomUUID(), { 'cookie-domain': 'localhost' });
    const decidedAt = new Date(Date.now() + 60_000).toISOString();
    const newer = {
      ...decision,
      decision: 'rejected',
      purposes: { necessary: true, statistics: false, marketing: false },
      decidedAt,
    };
    setCookie(`svc-consent%3A${visit.noticeId}=${encodeURIComponent(JSON.stringify(newer))}; Domain=localhost; Path=/`);
    await press(visit, accept);
    expect(window.SvcConsent.get()?.purposes.marketing).to.equal(false);
    expect(decodeURIComponent(document.cookie)).to.contain(decidedAt);
  });

  it('leaves no older grant in the cookie when the next decision does not fit', async () => {
    const visit = await visitOn(crypto.randomUUID(), { 'cookie-domain': 'localhost' });
    const written: string[] = [];
    Object.defineProperty(document, 'cookie', {
      configurable: true,
      get: () => '',
      set: (cookie: string) => written.push(cookie),
    });
    listenToConsole();
    await press(visit, reject);
    Reflect.deleteProperty(document, 'cookie');
    const [expired = -1, kept = -1] = [/=; Max-Age=0; Path=\/; Domain=localhost$/, /=%7B.*; Domain=localhost/].map(
      (form) => written.findIndex((cookie) => form.test(cookie)),
    );
    expect(expired, 'the older one goes first').to.be.within(0, kept - 1);
  });

  it('writes only a valid domain into the cookie', async () => {
    listenToConsole();
    const visit = await visitOn(crypto.randomUUID(), { 'cookie-domain': 'localhost; SameSite=None' });
    await press(visit, accept);
    expect(document.cookie).to.equal('');
  });

  it('logs when the browser rejects the cookie; the decision counts on this host', async () => {
    const errors = listenToConsole();
    const visit = await visitOn(crypto.randomUUID(), { 'cookie-domain': 'elsewhere.example' });
    await press(visit, accept);
    expect(errors[0]).to.contain('refused a cookie for cookie-domain "elsewhere.example"');
    expect(window.SvcConsent.get()?.purposes.marketing).to.equal(true);
  });
});

describe('clear-cookies', () => {
  beforeEach(leavePage);
  afterEach(() => {
    restorePage();
    expireCookies();
  });

  it('deletes the cookies of purposes that are not granted, by name or prefix, and no others', async () => {
    const attributes = { 'clear-cookies': 'statistics: _ga _ga_*; marketing: _fbp' };
    const visit = await visitOn(crypto.randomUUID(), attributes);
    for (const name of ['_ga', '_ga_ABC', '_gat', '_fbp', 'session']) setCookie(`${name}=1; Path=/`);
    await press(visit, accept);
    expect(cookieNames()).to.include.members(['_ga', '_ga_ABC', '_gat', '_fbp', 'session']);
    await openPanel(visit);
    find(visit, '#purpose-1').click();
    await press(visit, '.save');
    expect(cookieNames()).to.have.members(['_gat', '_fbp', 'session']);
    await openPanel(visit);
    await press(visit, 'footer [data-choice=reject]');
    expect(cookieNames()).to.have.members(['_gat', 'session']);
  });

  it('deletes them again on a later page and in another tab, whatever has set them', async () => {
    const attributes = { 'clear-cookies': 'statistics: _ga; marketing: _fbp __Secure-* shared' };
    const first = await visitOn(crypto.randomUUID(), attributes);
    await press(first, reject);
    await leavePage();
    for (const name of ['_ga', '_fbp', 'session']) setCookie(`${name}=1; Path=/`);
    setCookie('__Secure-ads=1; Path=/; Secure');
    setCookie('shared=1; Path=/; Secure; SameSite=None; Partitioned');
    expect(cookieNames()).to.include.members(['__Secure-ads', 'shared']);
    const { noticeId } = await visitPage({ id: first.noticeId }, undefined, attributes);
    await waitUntil(() => cookieNames().join() === 'session', 'the page clears them');
    const otherTab = new BroadcastChannel(`svc-consent:${noticeId}`);
    const decidedAt = new Date(Date.now() + 1_000).toISOString();
    setCookie('_fbp=1; Path=/');
    otherTab.postMessage({ ...decision, purposes: { statistics: true, marketing: false }, decidedAt });
    await waitUntil(() => cookieNames().join() === 'session', 'the decision of the other tab clears them');
    otherTab.close();
  });
});
