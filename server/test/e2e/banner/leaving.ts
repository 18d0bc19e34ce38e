import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createRandom } from '../../crash/random.ts';
import type { Weather } from './api-gate.ts';
import type { GatedSite } from './gated-site.ts';

const domain = 'visits.localhost';
const ways = ['navigates', 'closes the tab', 'is killed'] as const;
const weathers: readonly Weather[] = [
  'fine',
  'slow preflight',
  'rate limited',
  'failing',
  'unreachable',
  'lost answer',
  'offline',
];
const choices = ['accept', 'reject'] as const;

export interface LeavingOptions {
  readonly site: GatedSite;
  readonly browser: Browser;
  readonly visitors: number;
  /** Determines the behaviour of each visitor. */
  readonly seed: number;
  /** The number of concurrent visitors. */
  readonly atOnce?: number;
  /** Called with the behaviour of each visitor who has left. */
  readonly onLeft?: (does: string) => void;
}

/** The decisions of many visitors who left immediately. */
export interface LeavingReport {
  readonly visitors: number;
  /** Visitors whose decision is missing from the ledger, or differs. */
  readonly lost: readonly string[];
  /** Visitors who have more than one record. */
  readonly doubled: readonly string[];
  readonly records: number;
}

interface Visitor {
  readonly host: string;
  readonly does: string;
  readonly way: (typeof ways)[number];
  readonly weather: Weather;
  readonly choice: (typeof choices)[number];
}

interface Decision {
  readonly subjectId: string;
  readonly decidedAt: string;
  readonly purposes: Readonly<Record<string, boolean>>;
}

/**
 * Lets visitors decide and leave immediately, under any condition, each on a separate origin; then each comes back once, under
 * good conditions. At the end the ledger is compared with the visitors' decisions.
 */
export async function leaveAtOnce({
  site,
  browser,
  visitors,
  seed,
  atOnce = 3,
  onLeft = () => {},
}: LeavingOptions): Promise<LeavingReport> {
  const noticeId = await site.publish(domain);
  const path = site.addPage({ head: site.writeTag(), body: `<svc-consent notice-id="${noticeId}"></svc-consent>` });
  const elsewhere = site.addPage({});
  const random = createRandom(seed);
  const waiting = Array.from({ length: visitors }, (_, index) => draftVisitor(index, random));
  const decisions = new Map<string, Decision>();

  async function visitInTurn(): Promise<void> {
    const context = await browser.newContext();
    const later = await context.newPage();
    for (let visitor = waiting.shift(); visitor; visitor = waiting.shift()) {
      const origin = site.originOf(visitor.host);
      site.gate.setWeather(origin, visitor.weather);
      const { does, weather } = visitor;
      const page = await openTab(context, origin + path);
      await inTime(does, leave(page, visitor, weather === 'offline' ? 'about:blank' : origin + elsewhere));
      site.gate.setWeather(origin, 'fine');
      onLeft(does);
      decisions.set(does, await inTime(does, comeBack(later, origin + path, noticeId)));
    }
    await context.close();
  }

  await Promise.all(Array.from({ length: atOnce }, visitInTurn));
  return compareLedger(await readLedger(site, noticeId), decisions);
}

/** Names the visitor in the error if the browser does not respond. */
async function inTime<T>(does: string, step: Promise<T>): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`visitor ${does}: the browser does not answer`)), 90_000);
  return Promise.race([step, tooLate]).finally(() => clearTimeout(timer));
}

/** Combines every way of leaving with every condition in turn, and the rest at random. */
function draftVisitor(index: number, random: () => number): Visitor {
  const way = ways[index % ways.length] as Visitor['way'];
  const weather = weathers[Math.floor(index / ways.length) % weathers.length] as Weather;
  const choice = choices[Math.floor(random() * choices.length)] as Visitor['choice'];
  const host = `visitor-${index}.${domain}`;
  return { host, way, weather, choice, does: `${index}: ${choice}, ${weather}, ${way}` };
}

/** Opens a page in a tab without a history, because a script may close only such a tab. */
async function openTab(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.evaluate((address) => location.replace(address), url);
  return page;
}

/** Decides and leaves within the same task of the page; a killed page gets no further task. */
async function leave(page: Page, { way, weather, choice }: Visitor, elsewhere: string): Promise<void> {
  await page.locator('svc-consent .banner:popover-open').waitFor();
  if (weather === 'offline') await cutOff(page);
  const decide = `document.querySelector('svc-consent').shadowRoot.querySelector('.banner [data-choice=${choice}]').click()`;
  if (way === 'navigates') {
    const gone = page.waitForURL(elsewhere, { waitUntil: 'commit' });
    await page.evaluate(`${decide}; location.href = ${JSON.stringify(elsewhere)}`).catch(() => {});
    await gone;
    // The visitor has left. A tab whose former page still waits for a response may be slow to close.
    page.close().catch(() => {});
  } else if (way === 'closes the tab') {
    const gone = page.waitForEvent('close');
    await page.evaluate(`${decide}; close()`).catch(() => {});
    await gone;
  } else {
    await page.evaluate(decide);
    await kill(page);
  }
}

/** Disables the network of only this page. */
async function cutOff(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const conditions = { offline: true, latency: 0, downloadThroughput: 0, uploadThroughput: 0 };
  await session.send('Network.emulateNetworkConditions', conditions);
}

/** Kills its process immediately. The rest of its tab is closed with the browser. */
async function kill(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const gone = page.waitForEvent('crash');
  session.send('Page.crash').catch(() => {});
  await gone;
}

/** Comes back and stays until no record is waiting to be sent. @returns the decision that this browser stored. */
async function comeBack(page: Page, url: string, noticeId: string): Promise<Decision> {
  await page.goto(url);
  await page.waitForFunction(
    (start) => !Object.keys(localStorage).some((key) => key.startsWith(start)),
    `svc-consent:${noticeId}:record:`,
    { polling: 20 },
  );
  return JSON.parse(await page.evaluate((key) => localStorage.getItem(key) ?? '{}', `svc-consent:${noticeId}`));
}

async function readLedger({ server }: GatedSite, noticeId: string): Promise<readonly LedgerRow[]> {
  const rows: LedgerRow[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = cursor && `&cursor=${cursor}`;
    const { body } = await server.request('GET', `/v1/consent/${noticeId}/records?limit=200${query}`);
    rows.push(...body.data.data);
    cursor = body.data.page.nextCursor;
  }
  return rows;
}

interface LedgerRow {
  readonly subjectId: string;
  readonly capturedAt: string;
  readonly purposes: Decision['purposes'];
}

function compareLedger(rows: readonly LedgerRow[], decisions: ReadonlyMap<string, Decision>): LeavingReport {
  const bySubject = Map.groupBy(rows, ({ subjectId }) => subjectId);
  const describe = ({ purposes }: Pick<Decision, 'purposes'>, at: string): string =>
    `${at} ${JSON.stringify(Object.entries(purposes).toSorted())}`;
  const lost: string[] = [];
  const doubled: string[] = [];
  for (const [visitor, decision] of decisions) {
    const records = bySubject.get(decision.subjectId) ?? [];
    const decided = decision.purposes && describe(decision, decision.decidedAt);
    if (!records.some((record) => describe(record, record.capturedAt) === decided)) lost.push(visitor);
    if (records.length > 1) doubled.push(visitor);
  }
  return { visitors: decisions.size, lost, doubled, records: rows.length };
}
