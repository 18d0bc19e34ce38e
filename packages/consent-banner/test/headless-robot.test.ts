import { expect } from '@open-wc/testing';
import { createConsent } from '../src/headless.ts';
import { createNotice, replaceNetwork, restorePage } from './network.ts';

// A page of its own: whoever was asked once on a page is no robot.
it('consent without an interface asks no robot', async () => {
  Object.defineProperty(navigator, 'userAgent', { value: 'ExampleBot/1.0', configurable: true });
  const noticeId = crypto.randomUUID();
  const network = replaceNetwork(createNotice(noticeId));
  const consent = createConsent({ noticeId, apiBase: location.origin });
  const told: unknown[] = [];
  consent.subscribe((snapshot) => told.push(snapshot));
  expect(await consent.acceptAll()).to.equal(null);
  expect(await consent.loadNotice()).to.equal(null);
  expect([...told, ...network.notices, ...network.records]).to.be.empty;
  consent.destroy();
  restorePage();
});
