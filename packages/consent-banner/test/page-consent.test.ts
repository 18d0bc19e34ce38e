import { expect, fixture, html } from '@open-wc/testing';
import type { ConsentState } from '../src/index.ts';
import { createNotice, json, listenToConsole, restorePage } from './network.ts';
import { isBannerShown, isPanelShown, meetBanner, openPanel, press, returnToPage, visitPage } from './visitor.ts';
import { waitUntil } from './wait-until.ts';
import { whenSettled } from './when-idle.ts';

const accept = '.banner [data-choice=accept]';
const everything = { necessary: true, statistics: true, marketing: true };

function hearEvents(): ConsentState[] {
  const heard: ConsentState[] = [];
  const listen = ({ detail }: CustomEvent<ConsentState>): number => heard.push(detail);
  document.addEventListener('svc-consent', listen);
  stopHearing = () => document.removeEventListener('svc-consent', listen);
  return heard;
}
let stopHearing = (): void => {};

describe('window.SvcConsent', () => {
  afterEach(() => {
    restorePage();
    stopHearing();
  });

  it('returns null before a decision, and the decision after it', async () => {
    const visit = await meetBanner();
    expect(window.SvcConsent.get()).to.equal(null);
    await press(visit, accept);
    expect(window.SvcConsent.get()).to.deep.equal({ decided: true, purposes: everything });
  });

  it('calls back on each decision until unsubscribed', async () => {
    const heard: ConsentState[] = [];
    const visit = await meetBanner();
    const unsubscribe = window.SvcConsent.onDecision((state) => heard.push(state));
    expect(heard).to.be.empty;
    await press(visit, accept);
    expect(heard).to.deep.equal([{ decided: true, purposes: everything }]);
    await openPanel(visit);
    await press(visit, 'footer [data-choice=reject]');
    expect(heard).to.have.length(2);
    unsubscribe();
    unsubscribe();
    await openPanel(visit);
    await press(visit, 'footer [data-choice=accept]');
    expect(heard).to.have.length(2);
  });

  it('calls back immediately if there already is a decision', async () => {
    const visit = await meetBanner();
    await press(visit, accept);
    let heard: ConsentState | undefined;
    window.SvcConsent.onDecision((state) => {
      heard = state;
    })();
    expect(heard?.purposes).to.deep.equal(everything);
  });

  it('does not let a listener stop the others or change their state', async () => {
    const visit = await meetBanner();
    const failures: unknown[] = [];
    const { onerror } = window;
    window.onerror = (_message, _source, _line, _column, error) => failures.push(error);
    const unsubscribe = window.SvcConsent.onDecision(({ purposes }) => {
      (purposes as Record<string, boolean>).marketing = false;
    });
    let heard: ConsentState | undefined;
    const unsubscribeOther = window.SvcConsent.onDecision((state) => {
      heard = state;
    });
    await press(visit, accept);
    expect(heard?.purposes).to.deep.equal(everything);
    expect(failures).to.have.length(1);
    window.onerror = onerror;
    unsubscribe();
    unsubscribeOther();
  });

  it('dispatches the event on document for a decision, and for one from storage', async () => {
    const heard = hearEvents();
    const visit = await meetBanner();
    await press(visit, accept);
    await waitUntil(() => visit.network.records.length, 'the record goes out');
    await returnToPage(visit);
    expect(heard).to.deep.equal([
      { decided: true, purposes: everything },
      { decided: true, purposes: everything },
    ]);
  });

  it('shows a returning visitor no banner and sends no request', async () => {
    const visit = await meetBanner();
    await press(visit, accept);
    await waitUntil(
      () => !Object.keys(localStorage).some((key) => key.includes(`${visit.noticeId}:record`)),
      'it is sent',
    );
    const later = await returnToPage(visit);
    await whenSettled();
    expect(isBannerShown(later)).to.equal(false);
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(everything);
    expect([...later.network.notices, ...later.network.records]).to.be.empty;
  });

  it('opens the panel only once for repeated calls', async () => {
    const visit = await meetBanner();
    window.SvcConsent.open();
    window.SvcConsent.open();
    await openPanel(visit);
    window.SvcConsent.open();
    await press(visit, '.close');
    expect(isPanelShown(visit)).to.equal(false);
  });

  it('logs once that open() needs an element', () => {
    const errors = listenToConsole();
    window.SvcConsent.open();
    window.SvcConsent.open();
    expect(errors).to.have.length(1);
    expect(errors[0]).to.contain('open() needs the element');
  });

  it('follows a decision made in another tab', async () => {
    const visit = await meetBanner();
    const heard = hearEvents();
    const purposes = { necessary: true, statistics: false, marketing: true };
    const decision = {
      decision: 'custom',
      purposes,
      noticeVersion: 7,
      decidedAt: '2026-11-21T08:00:00.000Z',
      subjectId: 'a',
    };
    const key = `svc-consent:${visit.noticeId}`;
    localStorage.setItem(key, JSON.stringify(decision));
    window.dispatchEvent(new StorageEvent('storage', { key }));
    await waitUntil(() => !isBannerShown(visit), 'the banner goes');
    expect(heard).to.deep.equal([{ decided: true, purposes }]);
    expect(visit.network.records).to.be.empty;
    localStorage.setItem(key, '{"decision":');
    window.dispatchEvent(new StorageEvent('storage', { key }));
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(purposes);
  });

  it('shows one banner for several elements, and the next one when the first is removed', async () => {
    const visit = await meetBanner();
    const copy = await fixture<typeof visit.element>(html`<svc-consent notice-id=${visit.noticeId}></svc-consent>`);
    await whenSettled();
    expect(isBannerShown({ element: copy })).to.equal(false);
    visit.element.remove();
    await waitUntil(() => isBannerShown({ element: copy }), 'the copy shows');
    expect(visit.network.notices).to.have.length(1);
  });

  it('does not take the notice of the place before, which comes late', async () => {
    const noticeId = crypto.randomUUID();
    const decision = { decision: 'accepted', purposes: { statistics: true }, noticeVersion: 7, subjectId: 'a-visitor' };
    const stored = JSON.stringify({ ...decision, decidedAt: new Date().toISOString() });
    localStorage.setItem(`svc-consent:${noticeId}`, stored);
    let answer = (_: Response): void => {};
    const visit = await visitPage({}, (network) => {
      network.answerNotice = () => new Promise((resolve) => (answer = resolve));
    });
    visit.element.setAttribute('notice-id', noticeId);
    expect(window.SvcConsent.get()?.purposes).to.deep.equal({ statistics: true });
    const late = json({ data: createNotice(visit.noticeId) });
    answer(late);
    await waitUntil(() => late.bodyUsed, 'it comes');
    await whenSettled();
    const { view } = Reflect.get(window, Symbol.for('svc-consent'));
    expect(view.noticeId).to.equal(noticeId);
    expect(view.notice).to.equal(null);
  });

  it('is undecided again for another notice', async () => {
    await press(await meetBanner(), accept);
    expect(window.SvcConsent.get()).to.not.equal(null);
    const other = await visitPage();
    expect(window.SvcConsent.get()).to.equal(null);
    await waitUntil(() => isBannerShown(other), 'its banner shows');
  });
});
