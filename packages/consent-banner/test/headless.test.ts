import { expect } from '@open-wc/testing';
import { type Consent, type ConsentOptions, type ConsentSnapshot, createConsent } from '../src/headless.ts';
import type { Notice } from '../src/notice/notice.ts';
import { createNotice, json, listenToConsole, type Network, replaceNetwork, restorePage } from './network.ts';
import { waitUntil } from './wait-until.ts';

const everything = { necessary: true, statistics: true, marketing: true };
const nothingOptional = { necessary: true, statistics: false, marketing: false };

interface Visit {
  readonly noticeId: string;
  readonly consent: Consent;
  readonly network: Network;
  /** Every snapshot that a listener received, in order. */
  readonly snapshots: readonly ConsentSnapshot[];
}

const open: Consent[] = [];

function create(options: Partial<ConsentOptions> & Pick<ConsentOptions, 'noticeId'>): Consent {
  const consent = createConsent({ apiBase: location.origin, ...options });
  open.push(consent);
  return consent;
}

function leave(): void {
  for (const consent of open.splice(0)) consent.destroy();
}

/** A page of a site with a custom interface; each visit has its own notice unless it returns to one. */
async function visit(options: Partial<ConsentOptions> = {}, changes: Partial<Notice> = {}): Promise<Visit> {
  const noticeId = options.noticeId ?? crypto.randomUUID();
  const network = replaceNetwork(createNotice(noticeId, changes));
  const consent = create({ ...options, noticeId });
  const snapshots: ConsentSnapshot[] = [];
  consent.subscribe((snapshot) => snapshots.push(snapshot));
  await waitUntil(() => consent.get() || network.notices.length, 'the page was looked at');
  if (network.notices.length) await consent.loadNotice();
  return { noticeId, consent, network, snapshots };
}

/** The same visitor on another page: nothing stays in memory. */
async function returnTo({ noticeId }: Visit, options: Partial<ConsentOptions> = {}, changes: Partial<Notice> = {}) {
  leave();
  create({ noticeId: crypto.randomUUID() });
  leave();
  return visit({ ...options, noticeId }, changes);
}

function add(html: string): HTMLElement {
  const holder = document.body.appendChild(document.createElement('div'));
  holder.innerHTML = html;
  return holder;
}

describe('consent without an interface', () => {
  afterEach(() => {
    leave();
    restorePage();
    localStorage.clear();
  });

  it('asks an undecided visitor, and decides nothing for them', async () => {
    const { consent, snapshots, network } = await visit();
    expect(snapshots[0], 'before it is known what about').to.deep.include({ state: null, isAsking: false });
    expect(snapshots).to.have.length(2);
    expect(snapshots[1]).to.deep.equal({
      state: null,
      allowed: {},
      region: null,
      isAsking: true,
      decidedAt: null,
      decidedVersion: null,
      hasPrivacySignal: false,
      heldTags: [],
    });
    expect(consent.isAsking()).to.equal(true);
    expect(consent.get()).to.equal(null);
    expect(network.records).to.be.empty;
  });

  it('loads the notice, with one request', async () => {
    const { consent, network } = await visit();
    const [notice, again] = await Promise.all([consent.loadNotice(), consent.loadNotice()]);
    expect(notice?.purposes.map(({ key }) => key)).to.deep.equal(['necessary', 'statistics', 'marketing']);
    expect(again).to.equal(notice);
    expect(network.notices).to.have.length(1);
  });

  const choices = [
    ['acceptAll', (consent: Consent) => consent.acceptAll(), everything, 'accepted'],
    ['rejectAll', (consent: Consent) => consent.rejectAll(), nothingOptional, 'rejected'],
    [
      'decide',
      (consent: Consent) => consent.decide({ statistics: true }),
      { ...nothingOptional, statistics: true },
      'custom',
    ],
  ] as const;
  for (const [name, choose, purposes, decision] of choices) {
    it(`${name}() stores, reports and records the choice`, async () => {
      const { consent, noticeId, network, snapshots } = await visit();
      const state = await choose(consent);
      expect(state).to.deep.equal({ decided: true, purposes });
      expect(consent.get()).to.equal(state);
      expect(consent.isAsking()).to.equal(false);
      expect(snapshots.at(-1)).to.deep.include({ state, isAsking: false, decidedVersion: 7 });
      const stored = JSON.parse(localStorage.getItem(`svc-consent:${noticeId}`) ?? '');
      expect(stored).to.deep.include({ decision, purposes });
      await waitUntil(() => network.records.length, 'the record arrives');
      const [{ shownHash, ...record }] = network.records.map(({ body }) => body) as [Record<string, unknown>];
      expect(record).to.deep.equal({
        subjectId: stored.subjectId,
        purposes,
        method: 'banner',
        capturedAt: stored.decidedAt,
        noticeVersion: 7,
        language: 'en',
      });
      expect(shownHash).to.match(/^[0-9a-f]{64}$/);
    });
  }

  it('queues the record within the click if the notice is loaded', async () => {
    const { consent, noticeId } = await visit();
    await consent.loadNotice();
    void consent.rejectAll();
    const queued = Object.keys(localStorage).filter((key) => key.startsWith(`svc-consent:${noticeId}:record:`));
    expect(queued).to.have.length(1);
  });

  it('records how the visitor was asked', async () => {
    const { consent, network } = await visit({ method: 'checkbox' });
    await consent.acceptAll();
    await waitUntil(() => network.records.length === 1, 'the first record arrives');
    await consent.rejectAll({ method: 'modal' });
    await waitUntil(() => network.records.length === 2, 'the second record arrives');
    expect(network.records.map(({ body }) => body.method)).to.deep.equal(['checkbox', 'modal']);
  });

  it('grants only what is true, and logs unknown purposes', async () => {
    const complaints = listenToConsole();
    const { consent } = await visit();
    const purposes = { statistics: 'yes', marketing: 1, unheard: true } as unknown as Record<string, boolean>;
    expect((await consent.decide(purposes))?.purposes).to.deep.equal(nothingOptional);
    expect(complaints).to.have.length(1);
    expect(complaints[0]).to.contain('"unheard"');
  });

  it('does not ask a returning visitor, and loads nothing for them', async () => {
    const first = await visit();
    await first.consent.acceptAll();
    const { consent, network, snapshots } = await returnTo(first);
    expect(consent.get()?.purposes).to.deep.equal(everything);
    expect(snapshots[0]).to.deep.include({ isAsking: false, decidedVersion: 7 });
    expect(network.notices).to.be.empty;
    expect(network.records).to.be.empty;
  });

  it('asks again when the decision has expired, not sooner than half a year after a refusal', async () => {
    const first = await visit();
    await first.consent.rejectAll();
    const key = `svc-consent:${first.noticeId}`;
    const age = (days: number): string => {
      const decidedAt = new Date(Date.now() - days * 86_400_000).toISOString();
      localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key) ?? ''), decidedAt }));
      return decidedAt;
    };
    age(180);
    const kept = await returnTo(first, { refusalMaxAge: 30 });
    expect(kept.snapshots.at(-1)?.isAsking).to.equal(false);
    const decidedAt = age(190);
    const asked = await returnTo(first, { refusalMaxAge: 30 });
    expect(asked.snapshots.at(-1)).to.deep.include({ isAsking: true, state: null, decidedAt });
  });

  it('withdraws some purposes and keeps the rest', async () => {
    const { consent } = await visit();
    await consent.acceptAll();
    expect((await consent.withdraw(['marketing']))?.purposes).to.deep.equal({ ...everything, marketing: false });
    expect((await consent.withdraw())?.purposes).to.deep.equal(nothingOptional);
  });

  it('withdraws from the answered version, and still asks about the newer one', async () => {
    const first = await visit();
    await first.consent.acceptAll();
    const checked = `svc-consent:${first.noticeId}:checked`;
    localStorage.removeItem(checked);
    const { consent, network, snapshots } = await returnTo(first, {}, { version: 8 });
    await waitUntil(() => snapshots.at(-1)?.isAsking, 'the visitor is asked again');
    await consent.loadNotice();
    const state = await consent.withdraw(['marketing']);
    expect(state?.purposes).to.deep.equal({ ...everything, marketing: false });
    expect(snapshots.at(-1)).to.deep.include({ state, isAsking: true, decidedVersion: 7 });
    expect(localStorage.getItem(checked), 'the next page looks again').to.equal(null);
    await waitUntil(() => network.records.length, 'the record arrives');
    expect(network.records.at(-1)?.body.noticeVersion).to.equal(7);
    await consent.rejectAll();
    expect(snapshots.at(-1)).to.deep.include({ isAsking: false, decidedVersion: 8 });
  });

  for (const [name, takeBack] of [
    ['withdraw', (consent: Consent) => consent.withdraw()],
    ['rejectAll', (consent: Consent) => consent.rejectAll()],
  ] as const) {
    it(`${name}() does not wait for the server if there is a decision`, async () => {
      const first = await visit();
      await first.consent.acceptAll();
      const { consent, network } = await returnTo(first);
      network.answerNotice = () => new Promise(() => {});
      void takeBack(consent);
      await waitUntil(() => consent.get()?.purposes.marketing === false, 'it is taken back');
      expect(network.notices).to.be.empty;
    });
  }

  it('has nothing to withdraw before a decision', async () => {
    const { consent, network } = await visit();
    expect(await consent.withdraw()).to.equal(null);
    expect(network.records).to.be.empty;
  });

  it('withdraws, but grants nothing, while the notice cannot be loaded', async () => {
    const complaints = listenToConsole();
    const first = await visit();
    await first.consent.decide({ statistics: true });
    const { consent, network } = await returnTo(first);
    network.answerNotice = () => json({}, { status: 404 });
    expect(await consent.acceptAll()).to.equal(null);
    expect(await consent.decide({ marketing: true })).to.equal(null);
    expect(consent.get()?.purposes).to.deep.equal({ ...nothingOptional, statistics: true });
    expect((await consent.withdraw(['statistics']))?.purposes).to.deep.equal(nothingOptional);
    expect(complaints).to.have.length(1);
    expect(complaints[0]).to.contain('404');
  });

  for (const [name, answer] of [
    ['is down', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['answers garbage', () => json({ data: { id: 7 } })],
    ['fails', () => json({}, { status: 500 })],
  ] as const) {
    it(`grants and records nothing when the server ${name}, and retries when called again`, async () => {
      const complaints = listenToConsole();
      const noticeId = crypto.randomUUID();
      const network = replaceNetwork(createNotice(noticeId));
      network.answerNotice = answer;
      const consent = create({ noticeId });
      expect(await consent.loadNotice()).to.equal(null);
      expect(await consent.rejectAll()).to.equal(null);
      expect(await consent.acceptAll()).to.equal(null);
      expect(consent.get()).to.equal(null);
      expect(network.records).to.be.empty;
      expect(complaints).to.have.length(1);
      network.answerNotice = () => json({ data: createNotice(noticeId) });
      expect((await consent.rejectAll())?.purposes).to.deep.equal(nothingOptional);
    });
  }

  it('keeps a record that could not be sent, for the next page', async () => {
    const first = await visit();
    first.network.answerRecord = () => json({}, { status: 503 });
    await first.consent.rejectAll();
    await waitUntil(() => first.network.records.length, 'it is tried');
    const { network } = await returnTo(first);
    await waitUntil(() => network.records.length, 'the next page sends it');
    expect(network.records[0]?.body).to.deep.equal(first.network.records[0]?.body);
  });

  it('follows another tab', async () => {
    const { consent, noticeId, snapshots, network } = await visit();
    const otherTab = new BroadcastChannel(`svc-consent:${noticeId}`);
    const purposes = { ...nothingOptional, marketing: true };
    const decidedAt = new Date().toISOString();
    await waitUntil(() => {
      // It listens once it is idle.
      otherTab.postMessage({ decision: 'custom', purposes, noticeVersion: 7, decidedAt, subjectId: 'another-tab' });
      return consent.get();
    }, 'it is followed');
    expect(snapshots.at(-1)?.state?.purposes).to.deep.equal(purposes);
    expect(network.records).to.be.empty;
    otherTab.close();
  });

  it('releases blocked tags, and reports blocked frames', async () => {
    const { consent, snapshots } = await visit();
    const page = add(
      '<iframe data-svc-purpose="marketing" data-svc-src="/visitor-page/blank" title="A film"></iframe><img data-svc-purpose="statistics" data-svc-src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="">',
    );
    const [frame, image] = page.children as unknown as [HTMLIFrameElement, HTMLImageElement];
    await waitUntil(() => snapshots.at(-1)?.heldTags.length, 'the frame is reported');
    expect(snapshots.at(-1)?.heldTags).to.deep.equal([{ tag: frame, purposes: ['marketing'] }]);
    await consent.decide({ marketing: true }, { method: 'inline' });
    await waitUntil(() => frame.getAttribute('src'), 'the frame loads');
    expect(image.hasAttribute('src')).to.equal(false);
    await consent.withdraw();
    await waitUntil(() => !frame.hasAttribute('src'), 'the frame is emptied');
    page.remove();
  });

  it('deletes the cookies of purposes that are not granted, and shares the decision of a domain', async () => {
    // biome-ignore lint/suspicious/noDocumentCookie: as scripts of a page do.
    document.cookie = 'h_visits=1; Path=/';
    const { consent, noticeId } = await visit({
      clearCookies: { statistics: ['h_*'], marketing: ['m_one', 'm_two'] },
      cookieDomain: location.hostname,
    });
    await consent.decide({ marketing: true });
    expect(document.cookie).to.not.contain('h_visits');
    expect(document.cookie).to.contain(encodeURIComponent(`svc-consent:${noticeId}`));
  });

  it('also deletes the cookies of refused purposes on a later page', async () => {
    const first = await visit();
    await first.consent.rejectAll();
    // biome-ignore lint/suspicious/noDocumentCookie: as scripts of a page do.
    document.cookie = 'late_visits=1; Path=/';
    await returnTo(first, { clearCookies: { statistics: ['late_*'] } });
    await waitUntil(() => !document.cookie.includes('late_visits'), 'it is deleted');
  });

  it('updates Google Consent Mode before and after the decision', async () => {
    const queue = window as { dataLayer?: ArrayLike<unknown>[] };
    await visit();
    leave();
    const { consent } = await visit({ consentMode: { statistics: ['analytics_storage'] } });
    await consent.acceptAll();
    const commands = queue.dataLayer?.filter((entry) => !Object.hasOwn(entry, 'event'));
    expect(commands?.map((command) => [...(command as unknown[])])).to.deep.equal([
      ['consent', 'default', { analytics_storage: 'denied', wait_for_update: 500 }],
      ['consent', 'update', { analytics_storage: 'granted' }],
    ]);
    delete queue.dataLayer;
  });

  it('asks again under Global Privacy Control, and accepts a later choice', async () => {
    const first = await visit();
    await first.consent.acceptAll();
    Object.defineProperty(navigator, 'globalPrivacyControl', { value: true, configurable: true });
    try {
      const later = await returnTo(first);
      expect(later.snapshots.at(-1)).to.deep.include({ state: null, isAsking: true, hasPrivacySignal: true });
      await later.consent.decide({ statistics: true });
      const last = await returnTo(first);
      expect(last.snapshots[0]?.state?.purposes.statistics).to.equal(true);
    } finally {
      Reflect.deleteProperty(navigator, 'globalPrivacyControl');
    }
  });

  it('carries over the choice when the notice has a new version', async () => {
    const first = await visit();
    await first.consent.decide({ statistics: true });
    localStorage.removeItem(`svc-consent:${first.noticeId}:checked`);
    const { consent, snapshots } = await returnTo(first, {}, { version: 8 });
    await waitUntil(() => snapshots.at(-1)?.isAsking, 'the visitor is asked again');
    const notice = await consent.loadNotice();
    expect(notice && consent.carryOver(notice)).to.deep.equal({ statistics: true });
    expect(consent.get()?.purposes.statistics).to.equal(true);
  });

  it('has a receipt, with its proof as soon as the server has responded', async () => {
    const { consent, network, snapshots } = await visit();
    expect(consent.readReceipt()).to.equal(null);
    network.answerRecord = () => {
      const { body, url } = network.records[0] ?? { body: {}, url: '' };
      const [, noticeId] = /consent\/([^/]+)/.exec(url) ?? [];
      const hash = `sha256:${'a'.repeat(64)}`;
      const proof = { noticeContentHash: 'b'.repeat(64), ledgerHash: hash, prevLedgerHash: null };
      const data = { ...body, ...proof, noticeId, id: 'a-record', recordedAt: body.capturedAt };
      return json({ data }, { status: 201 });
    };
    await consent.acceptAll();
    expect(consent.readReceipt()?.shown).to.deep.include({ language: 'en', region: null });
    expect(consent.readReceipt()?.shown.notice.controllerName).to.equal('Acme');
    const before = snapshots.length;
    await waitUntil(() => snapshots.length > before, 'the listeners are notified');
    expect(consent.readReceipt()?.proof?.recordId).to.equal('a-record');
  });

  it('notifies no listener after it was unsubscribed or destroyed, and decides nothing', async () => {
    const { consent, snapshots, network } = await visit();
    let count = 0;
    const stop = consent.subscribe(() => count++);
    stop();
    await consent.decide({});
    expect(count).to.equal(1);
    await waitUntil(() => network.records.length, 'the record arrives');
    consent.destroy();
    const before = snapshots.length;
    expect(await consent.acceptAll()).to.equal(null);
    expect(await consent.loadNotice()).to.equal(null);
    expect(consent.get()).to.equal(null);
    expect(snapshots).to.have.length(before);
    expect(network.records).to.have.length(1);
  });

  it('calls the other listeners although one throws', async () => {
    const failures: unknown[] = [];
    const { onerror } = window;
    window.onerror = (_message, _source, _line, _column, error) => failures.push(error);
    const { consent } = await visit();
    const stop = consent.subscribe(() => {
      throw new Error('a mistake of the page');
    });
    let state: unknown;
    consent.subscribe((snapshot) => {
      state = snapshot.state;
    });
    await consent.rejectAll();
    expect(state).to.equal(consent.get());
    expect(failures).to.have.length(2);
    window.onerror = onerror;
    stop();
  });

  it('exists once per page: a second one of the same notice shares it, one of another notice has to wait', async () => {
    const { consent, noticeId, network } = await visit();
    const second = create({ noticeId });
    await second.acceptAll();
    expect(consent.get()).to.equal(second.get());
    expect(() => create({ noticeId: 'another' })).to.throw(TypeError, 'destroy()');
    consent.destroy();
    expect(second.get()?.purposes).to.deep.equal(everything);
    await waitUntil(() => network.records.length, 'the record arrives');
    expect(network.records).to.have.length(1);
    expect(network.notices).to.have.length(1);
  });

  it('is available to other scripts of the page as SvcConsent', async () => {
    let opened = 0;
    const { consent } = await visit({ openPreferences: () => opened++ });
    await consent.acceptAll();
    expect(window.SvcConsent.get()).to.equal(consent.get());
    window.SvcConsent.open();
    expect(opened).to.equal(1);
    consent.destroy();
    const complaints = listenToConsole();
    window.SvcConsent.open();
    expect(opened).to.equal(1);
    expect(complaints).to.have.length(1);
  });

  it('opens the preferences of the newest one that has any, and of the first again when that is destroyed', async () => {
    const opened: string[] = [];
    const { consent, noticeId } = await visit({ openPreferences: () => opened.push('first') });
    await consent.rejectAll();
    const second = create({ noticeId, openPreferences: () => opened.push('second') });
    const silent = create({ noticeId });
    window.SvcConsent.open();
    second.destroy();
    window.SvcConsent.open();
    silent.destroy();
    window.SvcConsent.open();
    expect(opened).to.deep.equal(['second', 'first', 'first']);
  });

  it('is not overwritten by a script of the page', async () => {
    await visit();
    const { SvcConsent } = window;
    expect(Reflect.set(window, 'SvcConsent', {})).to.equal(false);
    expect(window.SvcConsent).to.equal(SvcConsent);
  });

  it('rejects names that cannot be written', () => {
    const noticeId = crypto.randomUUID();
    expect(() => create({ noticeId, clearCookies: { 'a b': ['c'] } })).to.throw(TypeError, '"a b"');
    expect(() => create({ noticeId, consentMode: { statistics: ['x; marketing: y'] } })).to.throw(TypeError);
  });

  it('logs what is missing without a notice', async () => {
    const complaints = listenToConsole();
    const consent = create({ noticeId: '' });
    expect(await consent.loadNotice()).to.equal(null);
    expect(await consent.acceptAll()).to.equal(null);
    expect(complaints).to.have.length(1);
  });
});
