import { expect } from '@open-wc/testing';
import { createConsent } from '../src/headless.ts';
import { createNotice, replaceNetwork, restorePage } from './network.ts';

// In a separate page: after asking once, a page no longer treats its visitor as a robot.
it('consent without an interface asks no robot', async () => {
  Object.defineProperty(navigator, 'userAgent', { value: 'ExampleBot/1.0', configurable: true });
  const noticeId = crypto.randomUUID();
  const network = replaceNetwork(createNotice(noticeId));
  const consent = createConsent({ noticeId, apiBase: location.origin });
  const asked: boolean[] = [];
  consent.subscribe(({ isAsking }) => asked.push(isAsking));
  expect(await consent.acceptAll()).to.equal(null);
  expect(await consent.loadNotice()).to.equal(null);
  expect(asked).to.not.include(true);
  expect([...network.notices, ...network.records]).to.be.empty;
  consent.destroy();
  restorePage();
});
