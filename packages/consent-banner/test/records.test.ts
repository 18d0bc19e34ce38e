import { expect, fixture, html } from '@open-wc/testing';
import type { SvcConsentElement } from '../src/index.ts';
import {
  createNotice,
  holdTimers,
  json,
  listenToConsole,
  type Network,
  replaceNetwork,
  restorePage,
} from './network.ts';
import {
  find,
  isBannerShown,
  listQueued,
  meetBanner,
  openPanel,
  press,
  readStored,
  returnToPage,
  type Visit,
  visitPage,
} from './visitor.ts';
import { waitUntil } from './wait-until.ts';
import { whenSettled } from './when-idle.ts';

const accept = '.banner [data-choice=accept]';
const unavailable = (): Response => json({ error: { code: 'internal_error' } }, { status: 500 });

/** A record that an earlier page has left. */
function queueRecord(noticeId: string, more: object): void {
  const capturedAt = '2026-11-20T10:00:00.000Z';
  const record = {
    subjectId: 'a-visitor',
    purposes: { necessary: true },
    method: 'banner',
    capturedAt,
    noticeVersion: 7,
  };
  localStorage.setItem(`svc-consent:${noticeId}:record:${capturedAt}:1`, JSON.stringify({ ...record, ...more }));
}

/** Waits until a record was sent this often and its response was processed. */
async function waitForTries({ network, noticeId }: Visit, tries: number): Promise<void> {
  await waitUntil(() => network.records.length === tries, `${tries} tries`);
  await navigator.locks.request(`svc-consent:${noticeId}`, () => {});
}

/** A visitor whose first record gets this answer. */
async function acceptWith(answer: Network['answerRecord']): Promise<Visit> {
  const visit = await meetBanner();
  visit.network.answerRecord = answer;
  await press(visit, accept);
  await waitForTries(visit, 1);
  return visit;
}

/** Sends as another tab does, until the function that it returns is called. */
async function sendInOtherTab({ noticeId }: Visit): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const otherTab = navigator.locks.request(`svc-consent:${noticeId}`, () => promise);
  await waitUntil(async () => (await navigator.locks.query()).held?.length, 'the other tab sends');
  return () => {
    resolve();
    return otherTab;
  };
}

/** Answers the records of a notice that the page does not show. @returns the requests. */
function listenElsewhere(noticeId: string): readonly { readonly url: string; readonly shownHash?: string }[] {
  const sent: { url: string; shownHash?: string }[] = [];
  const { fetch } = window;
  window.fetch = async (input, init) => {
    if (!String(input).includes(noticeId)) return fetch(input, init);
    sent.push({ ...JSON.parse(String(init?.body)), url: String(input) });
    return json({ data: {} }, { status: 201 });
  };
  return sent;
}

/** The SHA-256 of a response, hex. */
async function hashText(response: Response): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', await response.arrayBuffer()));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

describe('the record of a decision', () => {
  afterEach(() => {
    restorePage();
    localStorage.clear(); // The next test would send queued records.
  });

  it('is posted in the format of the API', async () => {
    const visit = await meetBanner();
    await press(visit, accept);
    await waitForTries(visit, 1);
    const [{ url, init, body } = { url: '', init: {}, body: {} }] = visit.network.records;
    const { subjectId, decidedAt } = readStored(visit);
    expect(url).to.equal(`${location.origin}/v1/public/consent/${visit.noticeId}/records`);
    expect(init).to.include({ method: 'POST', credentials: 'omit', keepalive: true });
    expect(new Headers(init.headers).get('Content-Type')).to.equal('application/json');
    expect(body).to.deep.equal({
      subjectId,
      purposes: { necessary: true, statistics: true, marketing: true },
      method: 'banner',
      capturedAt: decidedAt,
      noticeVersion: 7,
      language: 'en',
      shownHash: await hashText(await visit.network.answerNotice()),
    });
    expect(visit.network.notices[0]?.init.credentials).to.equal('omit');
  });

  it('leaves the queue when the server has it', async () => {
    const visit = await meetBanner();
    find(visit, accept).click();
    expect(listQueued(visit)).to.have.length(1);
    await waitForTries(visit, 1);
    expect(listQueued(visit)).to.be.empty;
  });

  for (const status of [408, 429, 500, 503]) {
    it(`is retried unchanged after ${status}`, async () => {
      const timers = holdTimers();
      const visit = await acceptWith(() => json({}, { status }));
      expect(listQueued(visit)).to.have.length(1);
      visit.network.answerRecord = () => json({ data: {} }, { status: 201 });
      timers.at(-1)?.run();
      await waitForTries(visit, 2);
      expect(listQueued(visit)).to.be.empty;
      expect(visit.network.records[1]?.body).to.deep.equal(visit.network.records[0]?.body);
    });
  }

  it('is retried with an exponential backoff, within bounds', async () => {
    const timers = holdTimers();
    const visit = await meetBanner();
    visit.network.answerRecord = unavailable;
    await press(visit, accept);
    for (let tries = 1; tries <= 9; tries++) {
      await waitForTries(visit, tries);
      const doubled = Math.min(5_000 * 2 ** (tries - 1), 300_000);
      expect(timers.at(-1)?.wait).to.be.within(doubled / 2, doubled);
      timers.at(-1)?.run();
    }
  });

  it('is retried after Retry-After, also on the next page', async () => {
    const timers = holdTimers();
    const visit = await acceptWith(() => json({}, { status: 429, headers: { 'Retry-After': '120' } }));
    expect(timers.at(-1)?.wait).to.equal(120_000);
    const later = await returnToPage(visit);
    await waitUntil(() => timers.length === 3, 'the next page waits too, and so did one between them');
    expect(timers.at(-1)?.wait).to.be.within(100_000, 120_000);
    expect(later.network.records).to.be.empty;
    localStorage.setItem(`svc-consent:${visit.noticeId}:wait`, '0');
    window.dispatchEvent(new Event('online'));
    await waitForTries(later, 1);
    expect(listQueued(later)).to.be.empty;
  });

  it('is retried although the clock is far off', async () => {
    const visit = await meetBanner();
    localStorage.setItem(`svc-consent:${visit.noticeId}:wait`, String(Date.now() + 1e12));
    await press(visit, accept);
    await waitForTries(visit, 1);
    expect(localStorage.getItem(`svc-consent:${visit.noticeId}:wait`)).to.equal(null);
  });

  it('is sent when the network is back', async () => {
    holdTimers();
    const visit = await acceptWith(() => Promise.reject(new TypeError('Failed to fetch')));
    visit.network.answerRecord = () => json({ data: {} }, { status: 201 });
    window.dispatchEvent(new Event('online'));
    await waitForTries(visit, 2);
    expect(listQueued(visit)).to.be.empty;
  });

  it('is sent by the next page, with the time of the click, and without a banner', async () => {
    holdTimers();
    const visit = await acceptWith(unavailable);
    const later = await returnToPage(visit);
    await waitForTries(later, 1);
    expect(later.network.records[0]?.body).to.deep.equal(visit.network.records[0]?.body);
    expect(later.network.notices).to.be.empty;
    expect(isBannerShown(later)).to.equal(false);
    expect(listQueued(later)).to.be.empty;
  });

  it('is sent in the order of the decisions', async () => {
    holdTimers();
    const visit = await acceptWith(unavailable);
    await openPanel(visit);
    await press(visit, 'footer [data-choice=reject]');
    await waitForTries(visit, 2);
    visit.network.answerRecord = () => json({ data: {} }, { status: 201 });
    window.dispatchEvent(new Event('online'));
    await waitForTries(visit, 4);
    const sent = visit.network.records.slice(2).map(({ body }) => body.purposes.marketing);
    expect(sent).to.deep.equal([true, false]);
    expect(listQueued(visit)).to.be.empty;
  });

  for (const status of [400, 403, 404, 409, 422]) {
    it(`is dropped, and logged once, after ${status}`, async () => {
      const errors = listenToConsole();
      const visit = await acceptWith(() => json({ error: { code: `refused_${status}` } }, { status }));
      await waitUntil(() => !listQueued(visit).length, 'it leaves the queue');
      expect(errors).to.have.length(1);
      expect(errors[0]).to.contain(`${status} {"error":{"code":"refused_${status}"}}`).and.to.contain('domain');
      expect(window.SvcConsent.get()).to.not.equal(null);
    });
  }

  for (const [name, answer] of [
    ['a page that is all right', () => new Response('<h1>Sign in</h1>')],
    ['an empty answer', () => new Response(null, { status: 204 })],
    ['JSON that is none of ours', () => json({ ok: true })],
    ['a missing page', () => new Response('<h1>Not found</h1>', { status: 404 })],
    ['a firewall', () => json({ message: 'blocked' }, { status: 403 })],
  ] as const) {
    it(`is retried when ${name} responds in place of the API`, async () => {
      const errors = listenToConsole();
      const timers = holdTimers();
      const visit = await acceptWith(answer);
      expect(listQueued(visit)).to.have.length(1);
      expect(timers.at(-1)?.wait).to.be.within(2_500, 5_000);
      expect(errors).to.be.empty;
    });
  }

  it('is never sent to the site itself because api-base is invalid', async () => {
    listenToConsole();
    const visit = await visitPage({}, undefined, { 'api-base': 'http://' });
    queueRecord(visit.noticeId, {});
    window.dispatchEvent(new Event('online'));
    await navigator.locks.request(`svc-consent:${visit.noticeId}`, () => {});
    await whenSettled();
    expect(visit.network.records.length).to.equal(0);
    expect(listQueued(visit)).to.have.length(1);
  });

  it('is sent immediately when the page is left, even while another tab sends', async () => {
    const visit = await meetBanner();
    const release = await sendInOtherTab(visit);
    find(visit, accept).click();
    window.dispatchEvent(new PageTransitionEvent('pagehide'));
    expect(visit.network.records.length, 'within the same task').to.equal(1);
    expect(visit.network.records[0]?.init.keepalive).to.equal(true);
    await waitUntil(() => !listQueued(visit).length, 'it leaves the queue');
    await release();
  });

  it('stays in the queue if it cannot be stored while the page is left', async () => {
    holdTimers();
    const visit = await meetBanner();
    visit.network.answerRecord = unavailable;
    const release = await sendInOtherTab(visit);
    find(visit, accept).click();
    window.dispatchEvent(new PageTransitionEvent('pagehide'));
    await waitUntil(() => visit.network.records.length === 1, 'it is sent');
    await whenSettled();
    expect(listQueued(visit)).to.have.length(1);
    await release();
  });

  it('keeps in the queue what was shown while the server is slow to answer', async () => {
    const visit = await meetBanner();
    visit.network.answerRecord = () => new Promise(() => {});
    const shownHash = await hashText(await visit.network.answerNotice());
    await press(visit, accept);
    await waitUntil(() => visit.network.records.length, 'it is sent');
    const [key = ''] = listQueued(visit);
    expect(JSON.parse(localStorage.getItem(key) ?? '')).to.include({ shownHash });
  });

  it('of a page that was left early is sent by the next one with the hash of what that page showed', async () => {
    const id = crypto.randomUUID();
    const address = `${location.origin}/v1/public/consent/${id}`;
    const shown = createNotice(id, { controllerName: 'Bücher & Söhne' });
    queueRecord(id, { language: 'en', address });
    localStorage.setItem(`svc-consent:${id}:receipt`, JSON.stringify({ notice: shown, address }));
    const visit = await visitPage({ id, version: 8 });
    await waitUntil(() => visit.network.records.length, 'it is sent');
    const shownHash = await hashText(json({ data: shown }));
    expect(visit.network.records[0]?.body).to.include({ shownHash, noticeVersion: 7 });
  });

  it('proves a notice with "<", which the server writes as \\u003c', async () => {
    const notice = createNotice(crypto.randomUUID(), { controllerName: 'A <b> B' });
    const text = JSON.stringify({ data: notice }).replaceAll('<', '\\u003c');
    const visit = await visitPage({ id: notice.id }, (network) => {
      network.answerNotice = () => new Response(text);
    });
    await waitUntil(() => isBannerShown(visit), 'the banner shows');
    await press(visit, accept);
    await waitUntil(() => visit.network.records.length, 'it is sent');
    expect(visit.network.records[0]?.body.shownHash).to.equal(await hashText(new Response(text)));
  });

  it('on another notice does not claim that the words of this one were shown', async () => {
    const other = crypto.randomUUID();
    const address = `${location.origin}/v1/public/consent/${other}`;
    queueRecord(other, { language: 'en', address });
    let sent: ReturnType<typeof listenElsewhere> = [];
    const visit = await visitPage({}, () => {
      sent = listenElsewhere(other);
    });
    await waitUntil(() => isBannerShown(visit), 'the banner shows');
    await waitUntil(() => sent.length, 'it is sent');
    expect(sent.map(({ shownHash }) => shownHash)).to.deep.equal(['unverified']);
  });

  it('on an earlier notice is sent, too, to the address of that notice', async () => {
    holdTimers();
    const visit = await acceptWith(unavailable);
    let sent: ReturnType<typeof listenElsewhere> = [];
    const now = await visitPage({}, () => {
      sent = listenElsewhere(visit.noticeId);
    });
    await waitUntil(() => sent.length && !listQueued(visit).length, 'it is sent');
    expect(sent.map(({ url }) => url)).to.deep.equal([
      `${location.origin}/v1/public/consent/${visit.noticeId}/records`,
    ]);
    expect(now.network.records.length).to.equal(0);
  });

  it('is not blocked by foreign data in the queue', async () => {
    const visit = await meetBanner();
    for (const text of ['', '{', 'null', '[]', '{"subjectId":1}']) {
      localStorage.setItem(`svc-consent:${visit.noticeId}:record:0${text}`, text);
    }
    await press(visit, accept);
    await waitForTries(visit, 1);
    expect(listQueued(visit)).to.be.empty;
  });

  it('is sent by one tab at a time, and not twice', async () => {
    const visit = await meetBanner();
    const release = await sendInOtherTab(visit);
    await press(visit, accept);
    await waitUntil(async () => (await navigator.locks.query()).pending?.length, 'this tab waits');
    expect(visit.network.records).to.be.empty;
    localStorage.removeItem(listQueued(visit)[0] ?? '');
    await release();
    await navigator.locks.request(`svc-consent:${visit.noticeId}`, () => {});
    expect(visit.network.records).to.be.empty;
  });

  it('is sent in browsers without locks', async () => {
    const visit = await meetBanner();
    const { locks } = navigator;
    Object.defineProperty(navigator, 'locks', { configurable: true, value: undefined });
    await press(visit, accept);
    await waitUntil(() => visit.network.records.length === 1 && !listQueued(visit).length, 'it is sent');
    Object.defineProperty(navigator, 'locks', { configurable: true, value: locks });
  });

  for (const base of [
    'https://api.test',
    'https://api.test/',
    'https://api.test/svc/eu',
    'https://api.test/svc/eu//',
    '/svc',
  ]) {
    it(`and the notice use api-base ${base}`, async () => {
      const id = crypto.randomUUID();
      const network = replaceNetwork(createNotice(id));
      const element = await fixture<SvcConsentElement>(
        html`<svc-consent notice-id=${id} api-base=${base}></svc-consent>`,
      );
      await waitUntil(() => isBannerShown({ element }), 'the banner shows');
      find({ element }, accept).click();
      await waitUntil(() => network.records.length, 'the record goes out');
      const root = new URL(base, location.origin).href.replace(/\/+$/, '');
      expect(network.notices[0]?.url).to.equal(`${root}/v1/public/consent/${id}`);
      expect(network.records[0]?.url).to.equal(`${root}/v1/public/consent/${id}/records`);
    });
  }
});
