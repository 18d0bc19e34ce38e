import { expect } from '@open-wc/testing';
import {
  ask,
  closePages,
  decideInBanner,
  findInLayer,
  meetTcfBanner,
  openTcfPage,
  readGrants,
  readVendorChoices,
  type TcData,
} from './tcf-page.ts';
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
  const seen: Readonly<Record<string, Parameters<typeof afterDecision>[0]>> = {
    'the list has vendors whom the visitor was not told of': (choices) => ({ ...choices, disclosed: [1, 2] }),
    'the policy has another version': (choices) => ({ ...choices, policyVersion: 4 }),
    'thirteen months have passed': (choices) => ({
      ...choices,
      savedAt: new Date(Date.now() - 396 * 86_400_000).toISOString(),
    }),
    'the visitor decided on a page without the add-on': () => null,
    'what is kept is garbage': () => ({ disclosed: 'everyone' }),
  };
  for (const [why, change] of Object.entries(seen)) {
    it(`when ${why}, and gives those vendors nothing meanwhile`, async () => {
      const page = await afterDecision(change);
      await waitUntil(() => findInLayer(page, 'dialog:modal'), 'the layer opens');
      await waitUntil(() => page.events.at(-1)?.eventStatus === 'cmpuishown', 'it is told to be shown');
      const told = Number((change({ disclosed: [] })?.disclosed as readonly number[] | undefined)?.length);
      const { vendors, disclosed } = readGrants(page.events.at(-1) as TcData);
      expect(vendors).to.deep.equal(told === 2 ? [1, 2] : []);
      expect(disclosed).to.deep.equal(told === 2 ? [1, 2] : []);
      findInLayer(page, '.save')?.click();
      await waitUntil(() => page.events.at(-1)?.eventStatus === 'useractioncomplete', 'the answer is told');
      expect(readGrants(page.events.at(-1) as TcData).vendors).to.deep.equal([1, 2, 5]);
    });
  }

  it('no second time on the same day when the visitor closes it', async () => {
    const page = await afterDecision(() => null);
    await waitUntil(() => findInLayer(page, 'dialog:modal'), 'the layer opens');
    findInLayer(page, '.close')?.click();
    const next = await openTcfPage({ noticeId: page.noticeId });
    await ask(next, 'getVendorList');
    expect(findInLayer(next, 'dialog') ?? null).to.equal(null);
    expect(next.events.at(-1)?.tcString).to.equal('');
  });
});
