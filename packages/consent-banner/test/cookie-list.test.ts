import { expect } from '@open-wc/testing';
import { emulateMedia, setViewport } from '@web/test-runner-commands';
import type { Purpose } from '../src/notice/notice.ts';
import { restoreMedia } from './media.ts';
import { createNotice, restorePage } from './network.ts';
import { meetBanner, press, returnToPage, visitPage } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

const [necessary, statistics, marketing] = createNotice('x').purposes as [Purpose, Purpose, Purpose];

function createTrackers(count: number) {
  return Array.from({ length: count }, (_, index) => {
    return { name: `tracker_${index}_${'x'.repeat(60)}`, provider: 'Acme', lifetime: 'P1Y', thirdParty: false };
  });
}

function addList(): HTMLElement {
  return document.body.appendChild(document.createElement('svc-cookie-list'));
}

function listNames(list: HTMLElement): readonly (string | null)[] {
  return [...(list.shadowRoot?.querySelectorAll('tbody th') ?? [])].map(({ textContent }) => textContent);
}

describe('<svc-cookie-list>', () => {
  afterEach(async () => {
    restorePage();
    for (const list of document.querySelectorAll('svc-cookie-list')) list.remove();
    await setViewport({ width: 800, height: 600 });
    await restoreMedia();
  });

  it('lists the trackers of each purpose that has some, for a visitor who has not decided', async () => {
    const list = addList();
    await visitPage({ purposes: [necessary, { ...statistics, trackers: createTrackers(2) }, marketing] });
    await waitUntil(() => listNames(list).length, 'the list is there');
    expect([...(list.shadowRoot?.querySelectorAll('h3') ?? [])].map(({ textContent }) => textContent)).to.deep.equal([
      'Statistics',
    ]);
    expect(listNames(list)).to.have.length(2);
    expect(window.SvcConsent.get()).to.equal(null);
    for (const colorScheme of ['dark', 'light'] as const) {
      await emulateMedia({ colorScheme });
      await expect(list).to.be.accessible();
    }
  });

  for (const [language, side] of [
    ['en', 'left'],
    ['ar', 'right'],
  ] as const) {
    it(`has names and descriptions in any script at the ${side} in ${language}`, async () => {
      const list = addList();
      const described = [
        { ...statistics, label: 'إحصاءات' },
        { ...marketing, description: 'Shows offers.' },
      ];
      const purposes = described.map((purpose) => ({ ...purpose, trackers: createTrackers(1) }));
      await visitPage({ language, purposes });
      const find = () => [...(list.shadowRoot?.querySelectorAll(`[lang=${language}] :is(h3, p) > bdi`) ?? [])];
      await waitUntil(() => find().length === 4, 'the list is there');
      for (const text of find()) {
        const edge = text.getBoundingClientRect()[side];
        expect(edge, text.textContent).to.be.closeTo(list.getBoundingClientRect()[side], 1);
      }
    });
  }

  it('is there for a returning visitor, too', async () => {
    const changes = { purposes: [necessary, { ...statistics, trackers: createTrackers(1) }] };
    const first = await meetBanner(changes);
    await press(first, '.banner [data-choice=reject]');
    const list = addList();
    await returnToPage(first, (network) => {
      network.answerNotice = () => Response.json({ data: createNotice(first.noticeId, changes) });
    });
    await waitUntil(() => listNames(list).length === 1, 'the list is there');
  });

  it('shows 60 trackers without a scroll bar across, in the widest and the narrowest window', async () => {
    const list = addList();
    await visitPage({ purposes: [necessary, { ...statistics, trackers: createTrackers(60) }] });
    await waitUntil(() => listNames(list).length === 60, 'the list is there');
    for (const width of [1280, 320]) {
      await setViewport({ width, height: 600 });
      expect(list.scrollWidth).to.be.at.most(list.clientWidth);
      const table = list.shadowRoot?.querySelector('table') as HTMLElement;
      expect(table.getBoundingClientRect().width).to.be.at.most(list.clientWidth);
    }
    const [cell] = list.shadowRoot?.querySelectorAll('td') ?? [];
    expect(getComputedStyle(cell as Element).display, 'its rows are blocks there').to.equal('block');
    await expect(list).to.be.accessible();
  });
});
