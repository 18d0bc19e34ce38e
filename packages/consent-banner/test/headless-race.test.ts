import { expect } from '@open-wc/testing';
import { createConsent } from '../src/headless.ts';
import { restorePage } from './network.ts';
import { find, meetBanner } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

// In a separate page: only the first load on a page is delayed.
it('a custom interface never asks if the banner was faster', async () => {
  const { noticeId, element } = await meetBanner();
  const consent = createConsent({ noticeId, apiBase: location.origin });
  const asked: boolean[] = [];
  consent.subscribe(({ isAsking }) => asked.push(isAsking));
  find({ element }, '.banner [data-choice=reject]').click();
  await waitUntil(() => asked.length, 'the listener is notified');
  expect(asked).to.deep.equal([false]);
  consent.destroy();
  restorePage();
});
