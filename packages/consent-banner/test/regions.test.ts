import { expect } from '@open-wc/testing';
import { createNotice, json, type Network, restorePage } from './network.ts';
import { find, isBannerShown, leavePage, openPanel, press, type Visit, visitPage } from './visitor.ts';
import { waitUntil } from './wait-until.ts';
import { whenSettled } from './when-idle.ts';

const all = { necessary: true, statistics: true, marketing: true };
const chosen = { necessary: true, statistics: false, marketing: false };

/** Statistics can be objected to in the United States, marketing is exempt there; both need consent elsewhere. */
function regional(id: string, marketingBasis: 'object' | 'exempt' = 'exempt') {
  const [necessary, statistics, marketing] = createNotice(id).purposes;
  if (!necessary || !statistics || !marketing) throw new Error('the notice has three purposes');
  return {
    id,
    purposes: [
      necessary,
      { ...statistics, basisByRegion: { US: 'object' as const } },
      { ...marketing, basisByRegion: { US: marketingBasis } },
    ],
  };
}

/** A visit from a region that the page names, or the server. */
async function comeFrom(
  id: string,
  region: string,
  isHeader = false,
  marketingBasis: 'object' | 'exempt' = 'exempt',
): Promise<Visit> {
  await leavePage();
  const notice = createNotice(id, regional(id, marketingBasis));
  const prepare = (network: Network): void => {
    if (!isHeader) return;
    localStorage.removeItem(`svc-consent:${id}:checked`);
    network.answerNotice = () => json({ data: notice }, { headers: { 'Svc-Region': region } });
  };
  return visitPage(regional(id, marketingBasis), prepare, isHeader ? {} : { region });
}

/** A visitor in California who left everything on. */
async function acceptInCalifornia(): Promise<string> {
  const id = crypto.randomUUID();
  const visit = await comeFrom(id, 'US-CA');
  await openPanel(visit);
  await press(visit, '.save');
  expect(window.SvcConsent.get()?.purposes).to.deep.equal(all);
  return id;
}

describe('a visitor who moves to another region', () => {
  afterEach(restorePage);

  for (const isHeader of [false, true]) {
    const source = isHeader ? 'the server' : 'the page';
    it(`is asked for what needs consent there, and nothing of it is on, as ${source} names it`, async () => {
      const id = await acceptInCalifornia();
      let visit = await comeFrom(id, 'FR', isHeader);
      await waitUntil(() => isBannerShown(visit), 'the banner asks');
      expect(window.SvcConsent.get()?.purposes).to.deep.equal(chosen);
      await openPanel(visit);
      const switches = [...(visit.element.shadowRoot?.querySelectorAll('input') ?? [])];
      expect(switches.map(({ checked }) => checked)).to.deep.equal([true, false, false]);
      await leavePage();
      visit = await visitPage(regional(id), undefined, isHeader ? {} : { region: 'FR' });
      expect(window.SvcConsent.get()?.purposes, 'on the next page from the start').to.deep.equal(chosen);
      await waitUntil(() => isBannerShown(visit), 'the banner asks again');
    });

    it(`is not asked where nothing needs consent, nor back home, as ${source} names it`, async () => {
      const id = await acceptInCalifornia();
      for (const region of ['US-CO', 'US-CA', 'FR', 'US-CA']) {
        const visit = await comeFrom(id, region, isHeader);
        const isAsked = region === 'FR';
        await waitUntil(
          () =>
            window.SvcConsent.get()?.purposes.marketing !== isAsked && (!isHeader || visit.network.notices.length > 0),
          region,
        );
        await whenSettled();
        await waitUntil(() => isBannerShown(visit) === isAsked, region);
      }
      const visit = await comeFrom(id, 'US-CA');
      expect(window.SvcConsent.get()?.purposes).to.deep.equal(all);
      await whenSettled();
      expect(visit.network.notices, 'and nothing is fetched').to.be.empty;
    });
  }

  it('finds what could not be refused off where the signal of the browser objects to it', async () => {
    const id = crypto.randomUUID();
    Object.defineProperty(navigator, 'globalPrivacyControl', { configurable: true, value: true });
    try {
      const first = await comeFrom(id, 'US-CO', false, 'exempt');
      await openPanel(first);
      await press(first, 'footer [data-choice=reject]');
      expect(window.SvcConsent.get()?.purposes.marketing).to.equal(true);
      const visit = await comeFrom(id, 'US-CA', false, 'object');
      await waitUntil(() => visit.network.notices.length > 0, 'the notice says what the basis is');
      await waitUntil(() => !window.SvcConsent.get()?.purposes.marketing, 'the signal objects');
      expect(window.SvcConsent.get()?.purposes).to.deep.equal(chosen);
    } finally {
      Reflect.deleteProperty(navigator, 'globalPrivacyControl');
    }
  });

  it('changes no decision, which another tab may have made about a newer version', async () => {
    const id = await acceptInCalifornia();
    const key = `svc-consent:${id}`;
    const before = localStorage[key];
    const visit = await comeFrom(id, 'FR', true);
    await waitUntil(() => isBannerShown(visit), 'the banner asks');
    expect(localStorage[key]).to.equal(before);
  });

  it('keeps a consent, and a refusal as an objection', async () => {
    const id = crypto.randomUUID();
    const first = await comeFrom(id, 'FR');
    await openPanel(first);
    find<HTMLInputElement>(first, '#purpose-2').click();
    await press(first, '.save');
    const consented = { ...chosen, marketing: true };
    for (const region of ['US-CA', 'DE']) {
      const visit = await comeFrom(id, region);
      expect(window.SvcConsent.get()?.purposes, region).to.deep.equal(consented);
      await whenSettled();
      expect(isBannerShown(visit), region).to.equal(false);
    }
  });

  it('is granted nothing by a damaged decision that was not required', async () => {
    const id = await acceptInCalifornia();
    const key = `svc-consent:${id}`;
    const stored = JSON.parse(localStorage[key]);
    for (const basis of [undefined, null, 'consent', ['consent'], { statistics: true, marketing: ['object'] }]) {
      localStorage.setItem(key, JSON.stringify({ ...stored, basis }));
      await comeFrom(id, 'US-TX');
      const { statistics, marketing } = window.SvcConsent.get()?.purposes ?? {};
      expect([statistics, marketing], JSON.stringify(basis)).to.deep.equal([false, false]);
    }
  });
});
