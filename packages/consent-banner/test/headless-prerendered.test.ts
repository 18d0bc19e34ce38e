import { expect } from '@open-wc/testing';
import { createConsent } from '../src/headless.ts';
import { createNotice, replaceNetwork, restorePage } from './network.ts';

// In a separate page: after the first notification on a page, later ones are immediate.
it('consent without an interface accepts a decision as soon as a prerendered page is visible, even if it is busy', async () => {
  const noticeId = crypto.randomUUID();
  replaceNetwork(createNotice(noticeId));
  const purposes = { necessary: true, statistics: true, marketing: true };
  const decidedAt = new Date().toISOString();
  const basis = { necessary: 'required', statistics: 'consent', marketing: 'consent' };
  const stored = { decision: 'accepted', purposes, basis, noticeVersion: 7, decidedAt, subjectId: 'a-visitor' };
  localStorage.setItem(`svc-consent:${noticeId}`, JSON.stringify(stored));
  const { requestIdleCallback } = window;
  window.requestIdleCallback = () => 0;
  Object.defineProperty(document, 'prerendering', { configurable: true, value: true });
  const consent = createConsent({ noticeId, apiBase: location.origin });
  expect(consent.get()).to.equal(null);
  Reflect.deleteProperty(document, 'prerendering');
  document.dispatchEvent(new Event('prerenderingchange'));
  expect((await consent.withdraw(['marketing']))?.purposes).to.deep.equal({ ...purposes, marketing: false });
  window.requestIdleCallback = requestIdleCallback;
  consent.destroy();
  restorePage();
  localStorage.clear();
});
