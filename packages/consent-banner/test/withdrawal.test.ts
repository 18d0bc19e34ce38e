import { expect } from '@open-wc/testing';
import { createNotice, json, listenToConsole, type Network, restorePage } from './network.ts';
import {
  find,
  isBannerShown,
  isPanelShown,
  listQueued,
  meetBanner,
  openPanel,
  press,
  readStored,
  returnToPage,
  type Visit,
} from './visitor.ts';
import { waitUntil } from './wait-until.ts';

const everything = { necessary: true, statistics: true, marketing: true };
const nothingOptional = { necessary: true, statistics: false, marketing: false };

function archive(network: Network): void {
  network.answerNotice = () => json({ error: {} }, { status: 404 });
}

function stop(network: Network): void {
  network.answerNotice = network.answerRecord = () => Promise.reject(new TypeError('Failed to fetch'));
}

async function accept(): Promise<Visit> {
  const visit = await meetBanner();
  await press(visit, '.banner [data-choice=accept]');
  await waitUntil(() => visit.network.records.length, 'a record goes out');
  return visit;
}

function readPanel({ element }: Visit): readonly (readonly unknown[])[] {
  const entries = [...(element.shadowRoot?.querySelectorAll('li') ?? [])];
  return entries.map((entry) => {
    const input = entry.querySelector('input');
    return [entry.querySelector('label span')?.textContent, input?.checked, input?.disabled];
  });
}

describe('a consent can be taken back', () => {
  afterEach(restorePage);

  for (const [name, fail] of [
    ['the notice is archived', archive],
    ['the server is down', stop],
  ] as const) {
    it(`when ${name}, in a panel of what was answered`, async () => {
      listenToConsole();
      const visit = await returnToPage(await accept(), fail);
      await openPanel(visit);
      expect(readPanel(visit)).to.deep.equal([
        ['Necessary', true, true],
        ['Statistics', true, false],
        ['Marketing', true, false],
      ]);
      expect(isBannerShown(visit)).to.equal(false);
      await press(visit, 'footer [data-choice=reject]');
      expect(isPanelShown(visit)).to.equal(false);
      expect(window.SvcConsent.get()?.purposes).to.deep.equal(nothingOptional);
      expect(readStored(visit)).to.deep.include({ decision: 'rejected', purposes: nothingOptional, noticeVersion: 7 });
      await waitUntil(() => visit.network.records.length, 'a record goes out');
      expect(visit.network.records[0]?.body).to.deep.include({ purposes: nothingOptional, noticeVersion: 7 });
    });
  }

  it('when the receipt is lost as well, by the keys of the purposes', async () => {
    listenToConsole();
    const first = await accept();
    localStorage.removeItem(`svc-consent:${first.noticeId}:receipt`);
    const visit = await returnToPage(first, stop);
    await openPanel(visit);
    expect(readPanel(visit)).to.deep.equal([
      ['necessary', true, true],
      ['statistics', true, false],
      ['marketing', true, false],
    ]);
    find(visit, '#purpose-1').click();
    await press(visit, '.save');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal({ ...everything, statistics: false });
    const queued = listQueued(visit).map((key) => JSON.parse(String(localStorage.getItem(key))).purposes);
    expect(queued.at(-1)).to.deep.equal({ ...everything, statistics: false });
  });

  it('and shows the notice itself as soon as it can be had again', async () => {
    listenToConsole();
    const visit = await returnToPage(await accept(), stop);
    await openPanel(visit);
    await press(visit, '.close');
    visit.network.answerNotice = () =>
      json({
        data: createNotice(visit.noticeId, {
          purposes: [{ key: 'statistics', label: 'Counting', description: '', required: false }],
        }),
      });
    await openPanel(visit);
    expect(readPanel(visit)).to.deep.equal([['Counting', true, false]]);
  });
});
