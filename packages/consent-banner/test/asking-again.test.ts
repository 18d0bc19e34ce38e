import { expect } from '@open-wc/testing';
import type { Notice } from '../src/notice/notice.ts';
import { createNotice, json, restorePage } from './network.ts';
import {
  find,
  isBannerShown,
  isPanelShown,
  leavePage,
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

const DAY = 86_400_000;
const accept = '.banner [data-choice=accept]';
const reject = '.banner [data-choice=reject]';
const asked = { necessary: 'required', statistics: 'consent', marketing: 'consent' };
const everything = { necessary: true, statistics: true, marketing: true };

/** A returning visitor with an older decision. */
function remember(id: string, decision: 'accepted' | 'rejected', days: number, more: object = {}): void {
  const isGranted = decision === 'accepted';
  const stored = {
    decision,
    purposes: { necessary: true, statistics: isGranted, marketing: isGranted },
    noticeVersion: 7,
    decidedAt: new Date(Date.now() - days * DAY).toISOString(),
    subjectId: 'the-visitor',
    ...more,
  };
  localStorage.setItem(`svc-consent:${id}`, JSON.stringify(stored));
  localStorage.setItem(`svc-consent:${id}:checked`, String(Date.now()));
}

function setSignal(isOn: boolean | undefined): void {
  Object.defineProperty(navigator, 'globalPrivacyControl', { configurable: true, value: isOn });
}

async function visitWith(id: string, attributes: Readonly<Record<string, string>>): Promise<Visit> {
  return visitPage({ id }, undefined, attributes);
}

describe('an expired decision', () => {
  afterEach(restorePage);

  for (const [name, decision, days, attributes, isAsked] of [
    ['counts for a year', 'accepted', 364, {}, false],
    ['ends after a year', 'accepted', 366, {}, true],
    ['ends when max-age says', 'accepted', 31, { 'max-age': '30' }, true],
    ['counts until max-age', 'accepted', 29, { 'max-age': '30' }, false],
    ['expires with max-age if it is a refusal', 'rejected', 201, { 'max-age': '200' }, true],
    ['if a refusal, ends when refusal-max-age says', 'rejected', 201, { 'refusal-max-age': '200' }, true],
    ['if a refusal, counts for half a year whatever max-age says', 'rejected', 182, { 'max-age': '30' }, false],
    ['if a refusal, counts for half a year at least', 'rejected', 182, { 'refusal-max-age': '7' }, false],
    ['if a refusal, ends after half a year then', 'rejected', 184, { 'refusal-max-age': '7' }, true],
    ['if a consent, does not end with refusal-max-age', 'accepted', 8, { 'refusal-max-age': '7' }, false],
    ['counts for a year when max-age is nonsense', 'accepted', 300, { 'max-age': 'soon' }, false],
    ['counts for a year when max-age is below 0', 'accepted', 300, { 'max-age': '-1' }, false],
    ...['1e9', 'Infinity', '0x10000', ' 999 '].map(
      (age) => [`ends after a year when max-age is ${age}`, 'accepted', 366, { 'max-age': age }, true] as const,
    ),
    ['does not count if it is in the future', 'accepted', -3, {}, true],
  ] as const) {
    it(name, async () => {
      const id = crypto.randomUUID();
      remember(id, decision, days);
      const visit = await visitWith(id, attributes);
      if (isAsked) {
        expect(window.SvcConsent.get(), 'nothing is granted meanwhile').to.equal(null);
        await waitUntil(() => isBannerShown(visit), 'the banner asks again');
      } else {
        await whenSettled();
        expect(window.SvcConsent.get()).to.not.equal(null);
        expect(isBannerShown(visit)).to.equal(false);
      }
    });
  }

  it('is followed by one of the same subject', async () => {
    const id = crypto.randomUUID();
    remember(id, 'accepted', 400);
    const visit = await visitWith(id, {});
    await waitUntil(() => isBannerShown(visit), 'the banner asks again');
    await press(visit, reject);
    expect(readStored(visit)).to.include({ decision: 'rejected', subjectId: 'the-visitor' });
  });
});

describe('a notice with a new version', () => {
  const grown = ({ purposes, ...notice }: Notice): Notice => ({
    ...notice,
    version: 8,
    asksSince: 8,
    purposes: [...purposes, { key: 'research', label: 'Research', description: 'Studies.', required: false }],
  });

  afterEach(restorePage);

  async function returnLater(days: number): Promise<Visit> {
    const id = crypto.randomUUID();
    remember(id, 'accepted', 3, { basis: asked });
    localStorage.setItem(`svc-consent:${id}:checked`, String(Date.now() - days * DAY));
    return visitPage({ id }, (network) => {
      network.answerNotice = () => json({ data: grown(createNotice(id)) });
    });
  }

  it('is asked about, with the date of the last decision, which counts until then', async () => {
    const visit = await returnLater(2);
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(everything);
    await waitUntil(() => isBannerShown(visit), 'the banner asks again');
    expect(find(visit, '.banner').textContent).to.contain('since your last choice on');
    expect(window.SvcConsent.get()?.purposes, 'and grants nothing new').to.deep.equal(everything);
    await openPanel(visit);
    const switches = [...(visit.element.shadowRoot?.querySelectorAll('input') ?? [])].map(({ checked }) => checked);
    expect(switches).to.deep.equal([true, true, true, false]);
    expect(find(visit, '#note-3')).to.have.text('New');
    await press(visit, '.save');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal({ ...everything, research: false });
    expect(isBannerShown(visit)).to.equal(false);
  });

  it('does not carry over a purpose that was required before: it was never chosen', async () => {
    const id = crypto.randomUUID();
    for (const [decision, more, expected] of [
      ['accepted', { basis: asked }, [false, true, true]],
      ['accepted', { basis: ['consent'] }, [false, false, false]],
      ['accepted', {}, [false, false, false]],
      ['rejected', { basis: asked }, [false, false, false]],
    ] as const) {
      remember(id, decision, 3, more);
      const freed = createNotice(id);
      const purposes = freed.purposes.map((purpose) => ({ ...purpose, required: false }));
      const visit = await visitPage({ id, version: 8, purposes });
      expect(window.SvcConsent.get()?.purposes.necessary).to.equal(true);
      await openPanel(visit);
      const switches = [...(visit.element.shadowRoot?.querySelectorAll('input') ?? [])];
      expect(
        switches.map(({ checked }) => checked),
        `${decision} ${JSON.stringify(more)}`,
      ).to.deep.equal(expected);
      await leavePage();
    }
  });

  it('does not grant a formerly required purpose with that of a frame', async () => {
    const id = crypto.randomUUID();
    remember(id, 'rejected', 3, { basis: asked });
    const frame = document.body.appendChild(document.createElement('iframe'));
    frame.dataset.svcPurpose = 'marketing';
    const purposes = createNotice(id).purposes.map((purpose) => ({ ...purpose, required: false }));
    const visit = await visitPage({ id, version: 8, purposes });
    const findBox = (): HTMLElement | null => document.querySelector('svc-consent-placeholder');
    await waitUntil(findBox, 'the frame is covered');
    findBox()?.shadowRoot?.querySelector<HTMLElement>('button:last-of-type')?.click();
    await waitUntil(() => isPanelShown(visit), 'the preferences open');
    frame.remove();
    await press(visit, '.save');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal({ necessary: false, statistics: false, marketing: true });
  });

  it('is checked for once a day, and is asked about on each page until the visitor decides', async () => {
    const today = await returnLater(0.5);
    await whenSettled();
    expect(today.network.notices).to.be.empty;
    const tomorrow = await returnLater(1.5);
    await waitUntil(() => isBannerShown(tomorrow), 'the banner asks again');
    const { noticeId } = tomorrow;
    const next = await returnToPage(tomorrow, (network) => {
      network.answerNotice = () => json({ data: grown(createNotice(noticeId)) });
    });
    await waitUntil(() => isBannerShown(next), 'the next page asks, too');
    await press(next, accept);
    const last = await returnToPage(next);
    await whenSettled();
    expect(last.network.notices).to.be.empty;
  });

  it('is not checked for again that day if it is unchanged or the server is down', async () => {
    for (const answer of [() => json({}, { status: 500 }), () => json({ data: createNotice('x') })]) {
      const id = crypto.randomUUID();
      remember(id, 'accepted', 3);
      localStorage.removeItem(`svc-consent:${id}:checked`);
      const visit = await visitPage({ id }, (network) => {
        network.answerNotice = answer as () => Response;
      });
      await waitUntil(() => visit.network.notices.length === 1, 'it is looked for');
      const later = await returnToPage(visit);
      await whenSettled();
      expect(later.network.notices).to.be.empty;
      expect(isBannerShown(later)).to.equal(false);
      expect(window.SvcConsent.get()?.purposes).to.deep.equal(everything);
    }
  });
});

describe('Global Privacy Control', () => {
  afterEach(() => {
    restorePage();
    setSignal(undefined);
  });

  it('is shown in the panel, is not a decision, and grants nothing', async () => {
    setSignal(true);
    const visit = await meetBanner();
    expect(window.SvcConsent.get()).to.equal(null);
    expect(Object.keys(localStorage).filter((key) => key.includes(visit.noticeId))).to.be.empty;
    const panel = await openPanel(visit);
    expect(panel.textContent).to.contain('Your browser asks sites not to sell or share your data');
    expect(visit.network.records).to.be.empty;
  });

  it('is not shown if the browser does not send it', async () => {
    const visit = await meetBanner();
    const panel = await openPanel(visit);
    expect(panel.textContent).to.not.contain('Your browser asks');
  });

  it('is overridden by a later choice', async () => {
    setSignal(true);
    const visit = await meetBanner();
    await press(visit, accept);
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(everything);
    await returnToPage(visit);
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(everything);
  });

  it('ends a consent that was given before it, but not a refusal', async () => {
    setSignal(true);
    const granted = crypto.randomUUID();
    remember(granted, 'accepted', 3);
    const visit = await visitPage({ id: granted });
    expect(window.SvcConsent.get()).to.equal(null);
    await waitUntil(() => isBannerShown(visit), 'the banner asks again');
    const refused = crypto.randomUUID();
    remember(refused, 'rejected', 3);
    await visitPage({ id: refused });
    expect(window.SvcConsent.get()?.purposes.marketing).to.equal(false);
  });
});
