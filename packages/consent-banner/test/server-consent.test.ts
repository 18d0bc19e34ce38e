import { expect } from '@open-wc/testing';
import { readConsent } from '../src/server.ts';
import { restorePage } from './network.ts';
import { meetBanner, press } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

describe('a server behind the page', () => {
  afterEach(restorePage);

  for (const choice of ['accept', 'reject']) {
    it(`reads from the cookie of the next request what the page knows: ${choice}`, async () => {
      const visit = await meetBanner({}, undefined, { 'cookie-domain': 'localhost' });
      const { noticeId } = visit;
      const read = () => readConsent({ noticeId, headers: { cookie: document.cookie } });
      expect(read()).to.equal(null);
      await press(visit, `.banner [data-choice=${choice}]`);
      await waitUntil(read, 'the cookie is there');
      expect(read()).to.deep.equal(window.SvcConsent.get());
      expect(read()?.purposes.marketing).to.equal(choice === 'accept');
      // biome-ignore lint/suspicious/noDocumentCookie: as a page does.
      document.cookie = `${encodeURIComponent(`svc-consent:${noticeId}`)}=; Max-Age=0; Path=/`;
    });
  }
});
