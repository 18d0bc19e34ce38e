import { expect } from '@open-wc/testing';
import { json } from './network.ts';
import {
  ask,
  closePages,
  decideInBanner,
  findInLayer,
  findSwitch,
  meetTcfBanner,
  openLayer,
  openTcfPage,
  readGrants,
  readVendorChoices,
  type TcData,
  type TcfPage,
} from './tcf-page.ts';
import { createVendor, createVendorList } from './tcf-vendor-list.ts';
import { waitUntil } from './wait-until.ts';

describe('the TCF add-on asks again', () => {
  afterEach(closePages);

  const afterDecision = async (change: (choices: Record<string, unknown>) => Record<string, unknown> | null) => {
    const first = await meetTcfBanner();
    await decideInBanner(first, 'accept');
    const choices = change(readVendorChoices(first) ?? {});
    const id = `svc-consent:${first.noticeId}:vendors`;
    if (choices) localStorage.setItem(id, JSON.stringify(choices));
    else localStorage.removeItem(id);
    closePages();
    return openTcfPage({ noticeId: first.noticeId });
  };
  const saveLayer = async (page: TcfPage): Promise<void> => {
    findInLayer(page, '.save')?.click();
    await waitUntil(() => page.events.at(-1)?.eventStatus === 'useractioncomplete', 'the answer is reported');
  };
  const seen: Readonly<Record<string, Parameters<typeof afterDecision>[0]>> = {
    'the list has vendors that were not disclosed to the visitor': (choices) => ({ ...choices, disclosed: [1, 2] }),
    'the policy has another version': (choices) => ({ ...choices, policyVersion: 4 }),
    'the policy has another version, and partners were switched on by hand': (choices) => ({
      ...choices,
      policyVersion: 4,
      allowed: [1, 2, 5],
    }),
    'thirteen months have passed': (choices) => ({
      ...choices,
      savedAt: new Date(Date.now() - 396 * 86_400_000).toISOString(),
    }),
    'the visitor decided on a page without the add-on': () => null,
    'what is kept is garbage': () => ({ disclosed: 'everyone' }),
  };
  for (const [why, change] of Object.entries(seen)) {
    it(`when ${why}, and gives those vendors nothing that the visitor does not switch on`, async () => {
      const page = await afterDecision(change);
      await waitUntil(() => findInLayer(page, 'dialog:modal'), 'the layer opens');
      await waitUntil(() => page.events.at(-1)?.eventStatus === 'cmpuishown', 'it is reported as shown');
      const count = Number((change({ disclosed: [] })?.disclosed as readonly number[] | undefined)?.length);
      const known = count === 2 ? [1, 2] : [];
      const { purposes, features, vendors, disclosed } = readGrants(page.events.at(-1) as TcData);
      expect([vendors, disclosed]).to.deep.equal([known, known]);
      expect(purposes, 'no consent for anything, either').to.have.length(known.length ? 8 : 0);
      expect(features).to.have.length(known.length ? 1 : 0);
      expect([1, 2, 5].filter((id) => findSwitch(page, 'consent', id).checked)).to.deep.equal(known);
      await saveLayer(page);
      const saved = readGrants(page.events.at(-1) as TcData);
      expect([saved.vendors, saved.disclosed]).to.deep.equal([known, [1, 2, 3, 4, 5]]);
    });
  }

  it('and gives consent to the new partner that the visitor switches on', async () => {
    const page = await afterDecision((choices) => ({ ...choices, disclosed: [1, 2] }));
    await waitUntil(() => findInLayer(page, 'dialog:modal'), 'the layer opens');
    findSwitch(page, 'consent', 5).click();
    await saveLayer(page);
    expect(readGrants(page.events.at(-1) as TcData).vendors).to.deep.equal([1, 2, 5]);
  });

  it('with a new partner switched off after all partners were rejected', async () => {
    const page = await afterDecision((choices) => ({ ...choices, disclosed: [1, 2], refused: [1, 2] }));
    await waitUntil(() => findInLayer(page, 'dialog:modal'), 'the layer opens');
    expect(findSwitch(page, 'consent', 5).checked).to.equal(false);
    await saveLayer(page);
    expect(readGrants(page.events.at(-1) as TcData).vendors).to.deep.equal([]);
  });

  it('no more when a partner that was rejected starts to ask for consent, and gives it none', async () => {
    const first = await meetTcfBanner();
    await openLayer(first);
    findInLayer(first, '[data-choice=reject]')?.click();
    await decideInBanner(first, 'accept');
    const list = createVendorList() as { vendors: Record<string, object> };
    list.vendors['3'] = createVendor(3, 'Cedar Measurement', { legIntPurposes: [7] });
    const next = await openTcfPage({ noticeId: first.noticeId, answerList: () => json(list) });
    await waitUntil(() => next.events.at(-1)?.eventStatus === 'tcloaded', 'the next page has the string');
    expect(readGrants(next.events.at(-1) as TcData)).to.deep.include({ vendors: [], vendorInterests: [] });
  });

  it('on another host of the cookie-domain, with no partner switched on', async () => {
    const banner = { 'cookie-domain': 'localhost' };
    const first = await meetTcfBanner({ banner });
    await decideInBanner(first, 'accept');
    const key = `svc-consent:${first.noticeId}`;
    closePages();
    // What another host of the domain has: the cookie, and a storage of its own.
    for (const name of [key, `${key}:vendors`]) localStorage.removeItem(name);
    const page = await openTcfPage({ noticeId: first.noticeId, banner });
    await waitUntil(() => findInLayer(page, 'dialog:modal'), 'the layer opens');
    await saveLayer(page);
    expect(page.window.SvcConsent.get()?.purposes.marketing, 'the decision is shared').to.equal(true);
    expect(readGrants(page.events.at(-1) as TcData).vendors).to.deep.equal([]);
    // biome-ignore lint/suspicious/noDocumentCookie: as pages and their scripts do.
    document.cookie = `${encodeURIComponent(key)}=; Max-Age=0; Path=/; Domain=localhost`;
  });

  it('only once a day if the visitor closes it', async () => {
    const page = await afterDecision(() => null);
    await waitUntil(() => findInLayer(page, 'dialog:modal'), 'the layer opens');
    findInLayer(page, '.close')?.click();
    const next = await openTcfPage({ noticeId: page.noticeId });
    await ask(next, 'getVendorList');
    expect(findInLayer(next, 'dialog') ?? null).to.equal(null);
    expect(next.events.at(-1)?.tcString).to.equal('');
  });
});
