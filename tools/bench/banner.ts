import { brotliCompressSync } from 'node:zlib';
import { readWidget, type Widget } from '../../server/site/widgets/widget.ts';
import { createBannerSite, noticeId } from './banner-site.ts';
import type { Bench, Benchmark, Finding } from './benchmark.ts';
import { measureSecondTab } from './second-tab.ts';
import { type Spread, spreadOf } from './slices.ts';
import { evaluate, openVisits, readScriptTime, type Site, type Visits } from './visits.ts';

/** The consent banner beside an element written by hand, a bare one with Lit, and two banners of others from npm. */
export const banner: Benchmark = {
  name: 'banner',
  builds: ['packages/consent-banner'],
  async run(bench) {
    const widget = readWidget('consent-banner');
    if (widget === undefined) throw new Error('the banner is not built: npm run build');
    const site = await createBannerSite(widget);
    await using visits = await openVisits(site);
    const rounds = await visitInRounds(bench, visits);
    return [
      ...measureBytes(widget, site, rounds),
      ...measureFirstVisit(rounds),
      ...(await measureClick(bench, visits)),
      await measureReturn(bench, visits),
      await measureSecondTab(bench, visits, '/ours'),
    ];
  },
};

/** One visit of an undecided visitor, up to the frame with the banner in it. */
interface FirstVisit {
  readonly visible: number;
  /** The processor time of its scripts until then, and of those that it left for later. */
  readonly script: number;
  readonly later: number;
  readonly shifts: number;
  /** The addresses that were requested before that frame. */
  readonly requested: readonly string[];
}

const near = ['/ours', '/ours-inline', '/german', '/lit', '/vanilla', '/orejime', '/vanilla-cookieconsent'];
/** Over a network with 150 ms to each response. */
const far = ['/ours', '/ours-inline', '/lit', '/orejime', '/vanilla-cookieconsent'].map((path) => `${path} far`);
const everyVisit = [...near, ...far];

/** The visits of a round, by their path, with `far` behind it over the slow network. */
type Round = Readonly<Record<string, FirstVisit>>;

/** Visits all pages in turn, another one first each round; what they took is compared within the round. */
async function visitInRounds({ pace, profiles }: Bench, visits: Visits): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  const last = 2 * pace.pairs - 1;
  for (let round = -1; round <= last; round++) {
    const seen: Record<string, FirstVisit> = {};
    for (let turn = 0; turn < everyVisit.length; turn++) {
      const name = everyVisit[(round + 1 + turn) % everyVisit.length] as string;
      const [path = '', distance] = name.split(' ');
      const profile = profiles && round === last ? `${profiles}/banner${name.replace(' ', '-').slice(1)}` : '';
      const options = { path: `${path}#hold`, slowdown: 4, latency: distance ? 150 : 0, ...(profile && { profile }) };
      seen[name] = await visits.visit(options, async (_page, session) => {
        const visible = await evaluate(session, 'seen');
        const script = await readScriptTime(session);
        const isOurs = name === '/ours';
        if (isOurs) await evaluate(session, settle);
        const requested = `performance.getEntriesByType('resource').filter(({ startTime }) => startTime < ${visible}).map(({ name }) => name)`;
        return {
          visible,
          script,
          later: isOurs ? (await readScriptTime(session)) - script : 0,
          shifts: await evaluate(session, 'shifts'),
          requested: await evaluate<readonly string[]>(session, requested),
        };
      });
    }
    if (round >= 0) rounds.push(seen);
  }
  return rounds;
}

/** Runs in the page: gives it idle time until its panel has come, or two seconds have gone. */
const settle = `new Promise((resolve) => {
  release();
  const isThere = () => performance.getEntriesByType('resource').some(({ name }) => name.endsWith('-panel.js'));
  const end = performance.now() + 2000;
  const look = () => {
    if (isThere()) setTimeout(resolve, 200);
    else if (performance.now() > end) resolve();
    else setTimeout(look, 50);
  };
  look();
})`;

function measureBytes({ files }: Widget, site: Site, rounds: readonly Round[]): readonly Finding[] {
  const compress = (body: string | Buffer): number => brotliCompressSync(body).length / 1000;
  /** Weighs the files that a page requested before its banner was seen. */
  const weigh = (name: string, isCounted: (address: string) => boolean): number => {
    const requested = new Set(rounds.flatMap((round) => round[name]?.requested ?? []));
    const paths = [...requested].map((address) => address.slice(new URL(address).origin.length));
    return paths.filter(isCounted).reduce((sum, path) => sum + compress(site.get(path)?.body ?? ''), 0);
  };
  const isFile = (path: string): boolean => /\.(?:js|json|css)$/.test(path);
  const english = weigh('/ours', isFile);
  const german = weigh('/german', isFile);
  const others = ['lit', 'vanilla', 'orejime', 'vanilla-cookieconsent'].map(
    (name) => `${name} ${weigh(`/${name}`, isFile).toFixed(1)}`,
  );
  const stages = ['', '-ui', '-panel'].map((stage) => compress(files.get(`svc-consent${stage}.js`)?.bytes ?? ''));
  return [
    {
      what: 'banner: first visit until visible, all scripts (brotli)',
      ours: `German ${german.toFixed(1)} kB`,
      floor: others[0] as string,
      value: exactly(Math.max(english, german)),
      unit: 'kB',
      budget: { atMost: 7.5 },
      note: `by the same count, in kB: ${others.join(', ')}`,
    },
    {
      what: 'banner: the same with the panel',
      ours: '',
      floor: '',
      value: exactly(stages.reduce((sum, bytes) => sum + bytes, 0)),
      unit: 'kB',
      budget: { atMost: 16 },
    },
    {
      what: 'banner: German / English, scripts and notice (brotli)',
      ours: `${weigh('/german', () => true).toFixed(2)} kB`,
      floor: `${weigh('/ours', () => true).toFixed(2)} kB`,
      value: exactly(weigh('/german', () => true) / weigh('/ours', () => true)),
      unit: '×',
      budget: { atMost: 1.05 },
    },
  ];
}

function measureFirstVisit(rounds: readonly Round[]): readonly Finding[] {
  const median = (name: string, figure: 'visible' | 'script' | 'later' = 'visible'): number =>
    spreadOf(rounds.map((round) => (round[name] as FirstVisit)[figure])).median;
  const compare = (
    what: string,
    [name, floor]: readonly [string, string | readonly string[]],
    atMost: number,
    figure: 'visible' | 'script' = 'visible',
  ): Finding => {
    const floors = [floor].flat();
    const least = (round: Round): number => Math.min(...floors.map((one) => (round[one] as FirstVisit)[figure]));
    return {
      what: `banner: ${what} (CPU 4 ×)`,
      ours: `${median(name, figure).toFixed(0)} ms`,
      floor: `${spreadOf(rounds.map(least)).median.toFixed(0)} ms`,
      value: spreadOf(rounds.map((round) => (round[name] as FirstVisit)[figure] / least(round))),
      unit: '×',
      budget: { atMost },
    };
  };
  const list = (names: readonly string[]): string =>
    names.map((name) => `${name.slice(1)} ${median(name).toFixed(0)} ms`).join(', ');
  const peers = ['/orejime', '/vanilla-cookieconsent'];
  const farPeers = peers.map((name) => `${name} far`);
  return [
    { ...compare('visible, fetched / bare Lit element', ['/ours', '/lit'], 1.05), note: `visible: ${list(near)}` },
    compare('visible, inline / bare Lit element', ['/ours-inline', '/lit'], 0.95),
    {
      ...compare('visible, inline / bare Lit, 150 ms away', ['/ours-inline far', '/lit far'], 0.8),
      note: `visible: ${list(far)}`,
    },
    compare('visible, German / English, fetched', ['/german', '/ours'], 1.05),
    compare('visible, fetched / the earlier of two peers', ['/ours', peers], 1.05),
    compare('visible, inline / the earlier of two peers', ['/ours-inline', peers], 1.05),
    compare('visible, inline / the earlier peer, 150 ms away', ['/ours-inline far', farPeers], 1.05),
    {
      ...compare('script time until visible / bare Lit element', ['/ours', '/lit'], 1.2, 'script'),
      note: `by hand ${median('/vanilla', 'script').toFixed(0)} ms; in idle time after the first paint, ours takes ${median('/ours', 'later').toFixed(0)} ms more`,
    },
    {
      what: 'banner: layout shift',
      ours: '',
      floor: '',
      value: exactly(Math.max(...rounds.map((round) => (round['/ours'] as FirstVisit).shifts))),
      unit: '',
      budget: { atMost: 0 },
    },
  ];
}
/** From the click on "Accept all" to the event that notifies the page, and to the next frame with the banner gone. */
async function measureClick(bench: Bench, visits: Visits): Promise<readonly Finding[]> {
  const events: number[] = [];
  const paints: number[] = [];
  for (let round = -bench.pace.warmups; round < bench.pace.pairs; round++) {
    const { event, paint } = await visits.visit({ path: '/ours', slowdown: 4 }, async (page, session) => {
      await evaluate(session, 'seen');
      return page.evaluate(clickAccept);
    });
    if (round < 0) continue;
    events.push(event);
    paints.push(paint);
  }
  const row = (what: string, figures: readonly number[], atMost: number): Finding => ({
    what: `banner: ${what} (CPU 4 ×)`,
    ours: '',
    floor: '',
    value: spreadOf(figures),
    unit: 'ms',
    budget: { atMost },
  });
  return [row('click to decision event', events, 50), row('click to next paint', paints, 50)];
}

/** Runs in the page. */
function clickAccept(): Promise<{ event: number; paint: number }> {
  const root = document.querySelector('svc-consent')?.shadowRoot;
  const start = performance.now();
  let event = 0;
  document.addEventListener('svc-consent', () => {
    event = performance.now() - start;
  });
  root?.querySelector<HTMLElement>('.banner [data-choice=accept]')?.click();
  return new Promise((resolve) => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => resolve({ event, paint: performance.now() - start });
      port2.postMessage(0);
    });
  });
}

/** Script time of a page for a visitor who has decided, minus that of the same page without a banner. */
async function measureReturn(bench: Bench, visits: Visits): Promise<Finding> {
  const decidedAt = new Date().toISOString();
  const purposes = { necessary: true, statistics: true, marketing: true };
  const decision = { decision: 'accepted', purposes, noticeVersion: 1, decidedAt, subjectId: 'a-visitor' };
  const localStorage = [
    { name: `svc-consent:${noticeId}`, value: JSON.stringify(decision) },
    { name: `svc-consent:${noticeId}:checked`, value: String(Date.now()) },
  ];
  const context = { storageState: { cookies: [], origins: [{ origin: visits.origin, localStorage }] } };
  const time = (path: string): Promise<number> =>
    visits.visit({ path, slowdown: 1, context }, async (page, session) => {
      await page.waitForLoadState('load');
      return readScriptTime(session);
    });
  const figures: { readonly ours: number; readonly none: number }[] = [];
  for (let round = -bench.pace.warmups; round < bench.pace.pairs; round++) {
    const found = { ours: await time('/ours'), none: await time('/none') };
    if (round >= 0) figures.push(found);
  }
  const median = (side: 'ours' | 'none'): string => `${spreadOf(figures.map((one) => one[side])).median.toFixed(1)} ms`;
  return {
    what: 'banner: script time of a returning visitor, over the page',
    ours: median('ours'),
    floor: median('none'),
    value: spreadOf(figures.map(({ ours, none }) => ours - none)),
    unit: 'ms',
    budget: { atMost: 5 },
  };
}

function exactly(figure: number): Spread {
  return { low: figure, median: figure, high: figure };
}
