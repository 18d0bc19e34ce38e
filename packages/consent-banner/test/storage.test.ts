import { expect } from '@open-wc/testing';
import { restorePage } from './network.ts';
import { find, isBannerShown, listQueued, meetBanner, press, readStored, returnToPage, visitPage } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

const accept = '.banner [data-choice=accept]';
const uuid = /^[0-9a-z]{8,}(-[0-9a-z]{1,7}){4}$/;
const storageDescriptor = Object.getOwnPropertyDescriptor(window, 'localStorage') as PropertyDescriptor;
const { setItem } = Storage.prototype;

const stored = {
  decision: 'accepted',
  purposes: { necessary: true, statistics: true, marketing: true },
  noticeVersion: 7,
  decidedAt: '2026-11-21T08:00:00.000Z',
  subjectId: '0d3c0f1e-0000-4000-8000-000000000000',
};

const garbage: Readonly<Record<string, string>> = {
  'no JSON': '{"decision":"accepted"',
  'a string': '"accepted"',
  'a list': '[]',
  null: 'null',
  true: 'true',
  'an unknown decision': JSON.stringify({ ...stored, decision: 'yes' }),
  'no purposes': JSON.stringify({ ...stored, purposes: {} }),
  'purposes that are a list': JSON.stringify({ ...stored, purposes: [true] }),
  'a purpose that is no boolean': JSON.stringify({ ...stored, purposes: { necessary: true, marketing: 'false' } }),
  'a purpose that is 1': JSON.stringify({ ...stored, purposes: { marketing: 1 } }),
  'no version': JSON.stringify({ ...stored, noticeVersion: '7' }),
  'no date': JSON.stringify({ ...stored, decidedAt: 'lately' }),
  'no subject': JSON.stringify({ ...stored, subjectId: '' }),
};

describe('the stored decision', () => {
  afterEach(() => {
    Object.defineProperty(window, 'localStorage', storageDescriptor);
    Storage.prototype.setItem = setItem;
    restorePage();
  });

  it('has the documented form', async () => {
    const before = Date.now();
    const visit = await meetBanner();
    await press(visit, '.banner [data-choice=reject]');
    const { decidedAt, subjectId, ...rest } = readStored(visit);
    expect(rest).to.deep.equal({
      decision: 'rejected',
      purposes: { necessary: true, statistics: false, marketing: false },
      noticeVersion: 7,
      basis: { necessary: 'required', statistics: 'consent', marketing: 'consent' },
    });
    expect(subjectId).to.match(uuid);
    expect(new Date(String(decidedAt)).toISOString()).to.equal(decidedAt);
    expect(Date.parse(String(decidedAt))).to.be.within(before, Date.now());
  });

  it('is stored before anything is sent', async () => {
    const visit = await meetBanner();
    const seen: unknown[] = [];
    visit.network.answerRecord = () => {
      seen.push(readStored(visit).decision, listQueued(visit).length);
      return Response.json({ data: {} }, { status: 201 });
    };
    await press(visit, accept);
    await waitUntil(() => seen.length, 'the record goes out');
    expect(seen).to.deep.equal(['accepted', 1]);
  });

  it('contains nothing about a visitor who has not decided', async () => {
    const visit = await meetBanner();
    expect(Object.keys(localStorage).filter((key) => key.includes(visit.noticeId))).to.be.empty;
  });

  it('is accepted if it is complete', async () => {
    const id = crypto.randomUUID();
    localStorage.setItem(`svc-consent:${id}`, JSON.stringify(stored));
    await visitPage({ id });
    expect(window.SvcConsent.get()).to.deep.equal({ decided: true, purposes: stored.purposes });
  });

  for (const [name, text] of Object.entries(garbage)) {
    it(`grants nothing if it is invalid: ${name}`, async () => {
      const id = crypto.randomUUID();
      localStorage.setItem(`svc-consent:${id}`, text);
      const visit = await visitPage({ id });
      expect(window.SvcConsent.get()).to.equal(null);
      await waitUntil(() => isBannerShown(visit), 'the banner asks again');
    });
  }

  it('is not needed: the page works when the getter throws', async () => {
    Object.defineProperty(window, 'localStorage', {
      configurable: true,
      get: () => {
        throw new DOMException('blocked', 'SecurityError');
      },
    });
    const visit = await meetBanner();
    await press(visit, accept);
    expect(isBannerShown(visit)).to.equal(false);
    expect(window.SvcConsent.get()?.purposes.marketing).to.equal(true);
    await waitUntil(() => visit.network.records.length, 'the record is sent all the same');
    await waitUntil(() => visit.network.records.length === 1, 'and once');
  });

  it('is not needed: the page works when the browser forbids to talk to other tabs, too', async () => {
    const { BroadcastChannel } = window;
    window.BroadcastChannel = class {
      constructor() {
        throw new DOMException('blocked', 'SecurityError');
      }
    } as unknown as typeof BroadcastChannel;
    const visit = await meetBanner();
    await press(visit, accept);
    window.BroadcastChannel = BroadcastChannel;
    expect(window.SvcConsent.get()?.purposes.marketing).to.equal(true);
  });

  it('leaves no older grant behind when a refusal does not fit any more', async () => {
    const visit = await meetBanner();
    await press(visit, accept);
    await waitUntil(() => !listQueued(visit).length, 'the first record is sent');
    const later = await returnToPage(visit);
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    window.SvcConsent.open();
    await waitUntil(() => later.element.shadowRoot?.querySelector('footer'), 'the panel opens');
    find(later, 'footer [data-choice=reject]').click();
    expect(window.SvcConsent.get()?.purposes.marketing).to.equal(false);
    expect(readStored(later)).to.equal(null);
    await waitUntil(() => later.network.records.length, 'the refusal is sent from memory');
  });

  it('works without crypto.randomUUID, as on plain http', async () => {
    const visit = await meetBanner();
    const { randomUUID } = crypto;
    Object.defineProperty(crypto, 'randomUUID', { configurable: true, value: undefined });
    await press(visit, accept);
    Object.defineProperty(crypto, 'randomUUID', { configurable: true, value: randomUUID });
    expect(readStored(visit).subjectId).to.match(uuid);
  });
});
