import { expect } from '@open-wc/testing';
import { type ConsentSnapshot, createConsent } from '../src/headless.ts';
import { createNotice, replaceNetwork, restorePage } from './network.ts';
import { waitUntil } from './wait-until.ts';

const purposes = { necessary: true, statistics: true, marketing: false };

// In a separate page: after the first notification on a page, later ones are immediate.
it('consent without an interface reports a returning visitor’s decision soon, even on a busy page', async () => {
  const noticeId = crypto.randomUUID();
  const network = replaceNetwork(createNotice(noticeId));
  const decidedAt = new Date().toISOString();
  const stored = { decision: 'custom', purposes, noticeVersion: 7, decidedAt, subjectId: 'a-visitor' };
  localStorage.setItem(`svc-consent:${noticeId}`, JSON.stringify(stored));
  const { requestIdleCallback } = window;
  window.requestIdleCallback = () => 0;
  let opened = 0;
  const consent = createConsent({ noticeId, apiBase: location.origin, openPreferences: () => opened++ });
  expect(consent.get()).to.deep.equal({ decided: true, purposes });
  const snapshots: ConsentSnapshot[] = [];
  consent.subscribe((snapshot) => snapshots.push(snapshot));
  await waitUntil(() => snapshots.length, 'the listener is notified');
  expect(snapshots[0]).to.deep.include({ decidedAt, isAsking: false });
  expect(network.notices).to.be.empty;
  expect((await consent.loadNotice())?.id).to.equal(noticeId);
  expect(opened).to.equal(0);
  window.SvcConsent.open();
  expect(opened).to.equal(1);
  window.requestIdleCallback = requestIdleCallback;
  consent.destroy();
  restorePage();
  localStorage.clear();
});
