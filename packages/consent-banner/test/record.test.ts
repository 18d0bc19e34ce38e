import { expect } from '@open-wc/testing';
import { type Decision, record } from '../src/records/record.ts';
import {
  createNotice,
  holdTimers,
  json,
  listenToConsole,
  type Network,
  replaceNetwork,
  restorePage,
} from './network.ts';
import { waitUntil } from './wait-until.ts';

const storageDescriptor = Object.getOwnPropertyDescriptor(window, 'localStorage') as PropertyDescriptor;
const purposes = { necessary: true, statistics: false, marketing: true };

/** A site with a banner of its own, and a notice. */
function openSite(): { readonly network: Network; readonly decision: Decision } {
  const noticeId = crypto.randomUUID();
  const network = replaceNetwork(createNotice(noticeId));
  return { network, decision: { noticeId, apiBase: 'https://consent.example.com/', purposes } };
}

const listQueued = ({ noticeId }: Decision): readonly string[] =>
  Object.keys(localStorage).filter((key) => key.startsWith(`svc-consent:${noticeId}:record:`));

/** Waits until the queue of a notice is empty and its sender is idle. */
const settle = (decision: Decision): Promise<unknown> => waitUntil(() => listQueued(decision).length === 0, 'the end');

describe('record()', () => {
  afterEach(() => {
    Object.defineProperty(window, 'localStorage', storageDescriptor);
    restorePage();
    localStorage.clear(); // The next test would send queued records.
  });

  it('stores the decision before it sends it, and sends every field that it got', async () => {
    const { network, decision } = openSite();
    const shown = { noticeVersion: 3, language: 'de', shownHash: 'a'.repeat(64), region: 'US-CA' };
    const given = { method: 'modal', subjectId: 'a-visitor', capturedAt: '2026-11-20T10:00:00.000Z' } as const;
    expect(record({ ...decision, ...given, ...shown })).to.equal('a-visitor');
    expect(network.records).to.be.empty;
    expect(listQueued(decision)).to.have.length(1);
    await settle(decision);
    const [sent] = network.records;
    expect(sent?.url).to.equal(`https://consent.example.com/v1/public/consent/${decision.noticeId}/records`);
    expect(sent?.init).to.include({ method: 'POST', credentials: 'omit', keepalive: true });
    expect(sent?.body).to.deep.equal({ ...given, purposes, ...shown });
  });

  it('keeps one visitor for all decisions on a notice, and sends them in their order', async () => {
    const { network, decision } = openSite();
    const refused = { ...purposes, marketing: false };
    const decide = (second: number, more = {}): string =>
      record({ ...decision, capturedAt: `2026-11-20T10:00:0${second}.000Z`, ...more });
    const subjectId = decide(1);
    expect(decide(2, { purposes: refused })).to.equal(subjectId);
    expect(decide(3, { subjectId: 'another' })).to.equal('another');
    expect(decide(4)).to.equal(subjectId);
    await settle(decision);
    expect(network.records.map(({ body }) => [body.subjectId, body.method, body.purposes.marketing])).to.deep.equal([
      [subjectId, 'banner', true],
      [subjectId, 'banner', false],
      ['another', 'banner', true],
      [subjectId, 'banner', true],
    ]);
  });

  it('is sent once more as unverified if the text that was shown is of no published version', async () => {
    const errors = listenToConsole();
    const { network, decision } = openSite();
    network.answerRecord = () => {
      const details = [{ path: 'body.shownHash', message: 'No published version.' }];
      const isRefused = network.records.at(-1)?.body.shownHash !== 'unverified';
      return isRefused
        ? json({ error: { code: 'validation_failed', details } }, { status: 422 })
        : json({ data: {} }, { status: 201 });
    };
    const shownHash = 'a'.repeat(64);
    record({ ...decision, shownHash });
    await settle(decision);
    const [first, second] = network.records.map(({ body }) => body);
    expect([first.shownHash, second]).to.deep.equal([shownHash, { ...first, shownHash: 'unverified' }]);
    expect(network.records).to.have.length(2);
    expect(errors.join()).to.contain('no published version');
  });

  it('retries after a failure of the server', async () => {
    const timers = holdTimers();
    const { network, decision } = openSite();
    network.answerRecord = () => json({}, { status: 503 });
    record(decision);
    await waitUntil(() => timers.length === 1, 'a retry waits');
    expect(timers[0]?.wait).to.be.within(2_500, 5_000);
    network.answerRecord = () => json({ data: {} }, { status: 201 });
    timers[0]?.run();
    await settle(decision);
    expect(network.records[1]?.body).to.deep.equal(network.records[0]?.body);
  });

  it('drops a record that the server refuses, with one error in the console', async () => {
    const errors = listenToConsole();
    const { network, decision } = openSite();
    network.answerRecord = () => json({ error: { code: 'validation_failed' } }, { status: 422 });
    record(decision);
    record(decision);
    await settle(decision);
    expect(network.records).to.have.length(2);
    expect(errors).to.have.length(1);
    expect(errors[0]).to.contain('validation_failed');
  });

  it('sends from memory when storage is blocked', async () => {
    const blocked = (): never => {
      throw new DOMException('blocked', 'SecurityError');
    };
    const { network, decision } = openSite();
    Object.defineProperty(window, 'localStorage', { configurable: true, get: blocked });
    const subjectId = record(decision);
    await waitUntil(() => network.records.length === 1, 'it is sent');
    expect(network.records[0]?.body.subjectId).to.equal(subjectId);
  });

  it('sends on the next page what an earlier one could not', async () => {
    const { network, decision } = openSite();
    const address = `https://consent.example.com/v1/public/consent/${decision.noticeId}`;
    const left = { subjectId: 'a-visitor', purposes, method: 'banner', capturedAt: '2026-11-20T10:00:00.000Z' };
    localStorage.setItem(`svc-consent:${decision.noticeId}:record:1`, JSON.stringify({ ...left, address }));
    await import(`../src/records/record.ts?${decision.noticeId}`);
    await settle(decision);
    expect(network.records.map(({ body }) => body)).to.deep.equal([left]);
  });

  it('reports an address that is none and sends nothing', () => {
    const errors = listenToConsole();
    const { network, decision } = openSite();
    record({ ...decision, apiBase: 'mailto:privacy@example.com' });
    expect(errors.join()).to.contain('"mailto:privacy@example.com" is not a valid address');
    expect([network.records.length, listQueued(decision).length]).to.deep.equal([0, 0]);
  });
});
