import { expect } from '@open-wc/testing';
import type { Purposes } from '../src/notice/notice.ts';
import { openFrame, query, readSeen, type Seen, type VisitorFrame } from './visitor-frame.ts';
import { waitUntil } from './wait-until.ts';
import { whenSettled } from './when-idle.ts';

const held = '<script type="text/plain" data-svc-purpose="statistics" src="/visitor-page/held.js"></script>';
const frames: VisitorFrame[] = [];

/** A page of a visitor, and how often it was loaded and left. */
interface Page {
  readonly frame: VisitorFrame;
  readonly loads: () => number;
  readonly departures: () => number;
}

async function visit(noticeId: string, attributes: string): Promise<Page> {
  const frame = await openFrame({ noticeId, above: held, attributes });
  let loads = 0;
  let departures = 0;
  const arrive = (): void => {
    loads++;
    // The event comes within the call of `location.reload()`, long before the page is loaded again.
    Reflect.get(frame.contentWindow, 'navigation').addEventListener('navigate', () => departures++);
  };
  arrive();
  frame.addEventListener('load', arrive);
  frames.push(frame);
  return { frame, loads: () => loads, departures: () => departures };
}

async function press(page: Page, selector: string): Promise<void> {
  await waitUntil(() => query(page.frame, selector)?.checkVisibility(), `${selector} is there`);
  query(page.frame, selector)?.click();
}

async function decideAgain(page: Page, choice: string): Promise<void> {
  page.frame.contentWindow.SvcConsent.open();
  await press(page, `footer [data-choice=${choice}]`);
}

const hasRun = ({ frame }: Page): boolean => frame.contentDocument?.body.dataset.held === 'held ';
const isWithdrawal = ({ purposes, method }: Seen['records'][number]): boolean =>
  method === 'modal' && (purposes as Purposes).statistics === false;
const isGranted = ({ frame }: Page): boolean | undefined => frame.contentWindow.SvcConsent.get()?.purposes.statistics;

describe('reload-on-withdrawal', () => {
  afterEach(() => {
    for (const frame of frames.splice(0)) frame.remove();
  });

  it('reloads the page once after a withdrawal; the record arrives, and no script is left', async () => {
    const noticeId = crypto.randomUUID();
    const page = await visit(noticeId, 'reload-on-withdrawal');
    await press(page, '.banner [data-choice=accept]');
    await waitUntil(() => hasRun(page), 'the script runs');
    await decideAgain(page, 'reject');
    await waitUntil(() => page.loads() === 2, 'the page is reloaded');
    await waitUntil(() => isGranted(page) === false, 'it knows the withdrawal');
    // A page that is left sends all its records at once: they arrive in any order, and some again from the next page.
    await waitUntil(async () => (await readSeen(noticeId)).records.some(isWithdrawal), 'the record arrives');
    await whenSettled(page.frame.contentWindow);
    expect(page.departures()).to.equal(1);
    expect(hasRun(page)).to.equal(false);
  });

  it('does nothing without a withdrawal', async () => {
    const page = await visit(crypto.randomUUID(), 'reload-on-withdrawal');
    await press(page, '.banner [data-choice=reject]');
    await decideAgain(page, 'reject');
    await decideAgain(page, 'accept');
    await waitUntil(() => hasRun(page), 'the script runs');
    await decideAgain(page, 'accept');
    await whenSettled(page.frame.contentWindow);
    expect(page.departures()).to.equal(0);
  });

  it('does nothing when a purpose is no longer granted because the notice no longer has it', async () => {
    const noticeId = crypto.randomUUID();
    const purposes = { necessary: true, statistics: true, films: true };
    const stored = { decision: 'accepted', purposes, noticeVersion: 3, subjectId: 'a-visitor' };
    localStorage.setItem(`svc-consent:${noticeId}`, JSON.stringify({ ...stored, decidedAt: new Date().toISOString() }));
    const page = await visit(noticeId, 'reload-on-withdrawal');
    await press(page, '.banner [data-choice=accept]');
    await waitUntil(async () => (await readSeen(noticeId)).records.length, 'the record arrives');
    await whenSettled(page.frame.contentWindow);
    expect(page.departures()).to.equal(0);
  });

  it('does not reload other tabs, in which the visitor may be typing, but notifies them', async () => {
    const noticeId = crypto.randomUUID();
    const page = await visit(noticeId, 'reload-on-withdrawal');
    await press(page, '.banner [data-choice=accept]');
    await waitUntil(() => hasRun(page), 'the script runs');
    const other = await visit(noticeId, 'reload-on-withdrawal');
    await waitUntil(() => hasRun(other), 'it runs there, too');
    await decideAgain(page, 'reject');
    await waitUntil(() => page.loads() === 2, 'the page is reloaded');
    await waitUntil(() => isGranted(other) === false, 'the other page knows');
    await whenSettled(other.frame.contentWindow);
    expect(other.departures()).to.equal(0);
  });

  for (const attributes of ['', 'reload-on-withdrawal="false"', 'reload-on-withdrawal="no"']) {
    it(`is off by default: with ${attributes || 'nothing'} the page is not reloaded`, async () => {
      const page = await visit(crypto.randomUUID(), attributes);
      await press(page, '.banner [data-choice=accept]');
      await waitUntil(() => hasRun(page), 'the script runs');
      await decideAgain(page, 'reject');
      await waitUntil(() => isGranted(page) === false, 'it is taken back');
      await whenSettled(page.frame.contentWindow);
      expect(page.departures()).to.equal(0);
    });
  }
});
