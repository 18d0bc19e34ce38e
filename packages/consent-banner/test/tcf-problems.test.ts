import { expect } from '@open-wc/testing';
import { json } from './network.ts';
import {
  ask,
  closePages,
  decideInBanner,
  findInBanner,
  meetTcfBanner,
  openTcfPage,
  readGrants,
  type TcData,
} from './tcf-page.ts';
import { createVendorList } from './tcf-vendor-list.ts';
import { waitUntil } from './wait-until.ts';

describe('the TCF add-on, in case of an error,', () => {
  afterEach(closePages);

  const wrongOptions: Readonly<Record<string, readonly [Record<string, unknown>, RegExp]>> = {
    'there is no number of a CMP': [{ cmpId: undefined }, /cmp-id is missing. Only an organisation that IAB Europe/],
    'the number of the CMP is none': [{ cmpId: 1 }, /cmp-id is missing/],
    'the country is none': [{ publisherCountry: 'Germany' }, /publisher-country must be two letters/],
    'there is no vendor list': [{ vendorList: '' }, /vendor-list must be/],
    'the vendor list is no address of the web': [{ vendorList: 'data:application/json,{}' }, /vendor-list must be/],
    'there are no vendors': [{ vendors: [] }, /vendors must name/],
  };
  for (const [what, [options, message]] of Object.entries(wrongOptions)) {
    it(`provides no TC string when ${what}, and logs it once`, async () => {
      const page = await openTcfPage({ options });
      await waitUntil(() => findInBanner(page, '.banner:popover-open'), 'the banner shows all the same');
      findInBanner(page, '.banner [data-choice=accept]')?.click();
      await waitUntil(() => (page.window as unknown as Window).SvcConsent.get(), 'the visitor decides');
      expect(page.events, 'no listener is called').to.deep.equal([]);
      expect((await ask<TcData>(page, 'ping')).answer).to.include({ cmpStatus: 'error' });
      expect(page.errors.filter((text) => message.test(text))).to.have.length(1);
      expect(page.requests).to.not.contain('/vendor-list.json');
      expect(page.document.querySelector('[slot=more]')).to.equal(null);
    });
  }

  const answers: Readonly<Record<string, readonly [() => Response | Promise<Response>, RegExp]>> = {
    'cannot be reached': [() => Promise.reject(new TypeError('Failed to fetch')), /cannot be reached/],
    'is not there': [() => json({}, { status: 404 }), /answered 404/],
    'is no JSON': [() => new Response('<html>'), /is no JSON/],
    'is of an older format': [() => json(createVendorList({ gvlSpecificationVersion: 2 })), /must be 3/],
    'is far too long': [() => new Response(' '.repeat(20_000_001)), /longer than/],
  };
  for (const [what, [answerList, message]] of Object.entries(answers)) {
    it(`provides no TC string and grants nothing when the vendor list ${what}`, async () => {
      const page = await openTcfPage({ answerList });
      await waitUntil(() => page.errors.some((text) => message.test(text)), 'an error is logged');
      findInBanner(page, '.banner [data-choice=accept]')?.click();
      await waitUntil(() => (page.window as unknown as Window).SvcConsent.get(), 'the visitor decides');
      expect((await ask<TcData>(page, 'ping')).answer).to.include({ cmpStatus: 'error' });
      expect(page.events.map(({ tcString }) => tcString)).to.deep.equal(['']);
      expect(page.requests.filter((path) => path === '/vendor-list.json')).to.have.length(1);
    });
  }

  it('grants nothing to a vendor with an invalid entry, and logs its id', async () => {
    const list = createVendorList() as { vendors: Record<string, object> };
    list.vendors['1'] = { ...list.vendors['1'], purposes: 'all' };
    const page = await meetTcfBanner({ answerList: () => json(list) });
    await decideInBanner(page, 'accept');
    expect(readGrants(page.events.at(-1) as TcData).disclosed).to.deep.equal([2, 3, 4, 5]);
    expect(page.errors.join()).to.contain('vendor 1 has purposes that are no list of ids');
  });

  it('logs the purposes that vendors need and that have no mapping', async () => {
    const page = await meetTcfBanner({ options: { purposes: 'marketing: 1 2; statistics: 8 99 s77 x' } });
    await waitUntil(() => page.errors.some((text) => text.includes('need the purposes 3, 4')), 'an error is logged');
    for (const name of ['99', 's77', 'x']) expect(page.errors.join()).to.contain(`"statistics" to "${name}"`);
  });
});
