import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { readWidget, type Widget } from '../../server/widgets/widget.ts';
import type { Bench, Benchmark, Finding } from './benchmark.ts';
import { measureSecondTab } from './second-tab.ts';
import { type Spread, spreadOf } from './slices.ts';
import { buildScript, evaluate, openVisits, readScriptTime, type Site, type SiteFile, type Visits } from './visits.ts';

const noticeId = '0199f0c4-6f2e-7c4a-9a51-3d2f6f0f8f11';

/** The consent banner: its bytes and its times, beside an element written by hand and a bare one with Lit, which ask for the same notice. */
export const banner: Benchmark = {
  name: 'banner',
  builds: ['packages/consent-banner'],
  async run(bench) {
    const widget = readWidget('consent-banner');
    if (widget === undefined) throw new Error('the banner is not built: npm run build');
    const lit = await buildScript('lit-banner');
    const vanilla = readFileSync(new URL('./children/vanilla-banner.js', import.meta.url));
    await using visits = await openVisits(createSite(widget, lit, vanilla));
    return [
      ...measureBytes(widget, lit, vanilla),
      ...(await measureFirstVisit(bench, visits)),
      ...(await measureClick(bench, visits)),
      await measureReturn(bench, visits),
      await measureSecondTab(bench, visits, '/ours'),
    ];
  },
};

function createSite(widget: Widget, lit: Buffer, vanilla: Buffer): Site {
  const purposes = ['Necessary', 'Statistics', 'Marketing'].map((label, index) => ({
    key: label.toLowerCase(),
    label,
    description: `${label} of the site.`,
    required: index === 0,
  }));
  const notice = { id: noticeId, name: 'Site', controllerName: 'Example Ltd', language: 'en', domain: '127.0.0.1' };
  const script = (body: Buffer) => ({ type: 'text/javascript', body });
  const page = (name: string, file: string) => ({ type: 'text/html', body: writePage(name, file) });
  const files = [...widget.files].map(([name, { bytes }]) => [`/widget/${name}`, script(bytes)] as const);
  return new Map<string, SiteFile>([
    ...files,
    ['/lit.js', script(lit)],
    ['/vanilla.js', script(vanilla)],
    ['/none.js', script(Buffer.from(''))],
    ['/ours', page('svc-consent', 'widget/svc-consent.js')],
    ['/lit', page('lit-banner', 'lit.js')],
    ['/vanilla', page('vanilla-banner', 'vanilla.js')],
    ['/none', page('no-banner', 'none.js')],
    [
      `/v1/public/consent/${noticeId}`,
      { type: 'application/json', body: JSON.stringify({ data: { ...notice, purposes, version: 1 } }) },
    ],
    [`/v1/public/consent/${noticeId}/records`, { type: 'application/json', body: '{"data":{}}' }],
  ]);
}

/** An element with its script, and a look at every frame whether its first button is there. */
function writePage(name: string, file: string): string {
  return `<!doctype html><html lang="en"><title>Banner</title><script src="/${file}" defer></script>
<${name} notice-id="${noticeId}"></${name}><h1>A page</h1><p>${'Some words of it. '.repeat(200)}</p><script>
window.shifts = 0;
new PerformanceObserver((list) => {
  for (const { value } of list.getEntries()) window.shifts += value;
}).observe({ type: 'layout-shift', buffered: true });
const look = () => {
  const button = document.querySelector('${name}').shadowRoot?.querySelector('.banner button');
  if (button?.checkVisibility()) tellSeen(performance.now());
  else if (performance.now() < 20000) requestAnimationFrame(look);
};
let tellSeen;
window.seen = new Promise((resolve) => { tellSeen = resolve; });
look();
</script></html>`;
}

function measureBytes({ files }: Widget, lit: Buffer, vanilla: Buffer): readonly Finding[] {
  const stub = files.get('svc-consent.js')?.bytes as Buffer;
  const ui = files.get('svc-consent-ui.js')?.bytes as Buffer;
  const panel = files.get('svc-consent-panel.js')?.bytes as Buffer;
  const sizes = (scripts: readonly Buffer[]): string => {
    const gzip = scripts.reduce((sum, script) => sum + gzipSync(script, { level: 9 }).length, 0);
    return `${kilobytes(Buffer.concat(scripts).length)} kB min, ${kilobytes(gzip)} gzip`;
  };
  const brotli = (scripts: readonly Buffer[]): number =>
    scripts.reduce((sum, script) => sum + brotliCompressSync(script).length, 0) / 1000;
  const floor = `Lit ${brotli([lit]).toFixed(1)}, by hand ${brotli([vanilla]).toFixed(1)}`;
  return [
    {
      what: 'banner: what a returning visitor loads (brotli)',
      ours: sizes([stub]),
      floor: '',
      value: exactly(brotli([stub])),
      unit: 'kB',
      budget: { atMost: 2 },
    },
    {
      what: 'banner: what an undecided visitor loads (brotli)',
      ours: sizes([stub, ui]),
      floor,
      value: exactly(brotli([stub, ui])),
      unit: 'kB',
      budget: { atMost: 12 },
    },
    {
      what: 'banner: the same with the preferences panel (brotli)',
      ours: sizes([stub, ui, panel]),
      floor,
      value: exactly(brotli([stub, ui, panel])),
      unit: 'kB',
      budget: { atMost: 18.6 }, // The fullest of its peers.
    },
  ];
}

interface FirstVisit {
  readonly visible: number;
  readonly script: number;
  readonly shifts: number;
}

const elements = ['/ours', '/lit', '/vanilla'] as const;

/** Visits all three in turn, another one first each round; what they took is compared within the round. */
async function measureFirstVisit({ pace }: Bench, visits: Visits): Promise<readonly Finding[]> {
  const rounds: Record<(typeof elements)[number], FirstVisit>[] = [];
  for (let round = -pace.warmups; round < pace.pairs; round++) {
    const seen: Partial<Record<string, FirstVisit>> = {};
    for (let turn = 0; turn < elements.length; turn++) {
      const path = elements.at((round + turn) % elements.length) as string;
      seen[path] = await visitFirst(visits, path);
    }
    if (round >= 0) rounds.push(seen as (typeof rounds)[number]);
  }
  const beside = (floor: '/lit' | '/vanilla', figure: 'visible' | 'script', what: string, atMost: number): Finding => {
    const median = (path: '/ours' | typeof floor) => spreadOf(rounds.map((round) => round[path][figure])).median;
    return {
      what: `banner: ${what} (CPU 4 ×)`,
      ours: `${median('/ours').toFixed(0)} ms`,
      floor: `${median(floor).toFixed(0)} ms`,
      value: spreadOf(rounds.map((round) => round['/ours'][figure] / round[floor][figure])),
      unit: '×',
      budget: { atMost },
    };
  };
  return [
    beside('/lit', 'visible', 'time to visible / bare Lit element', 1),
    beside('/vanilla', 'visible', 'time to visible / element by hand', 1.25),
    beside('/lit', 'script', 'script time / bare Lit element', 1.3),
    {
      what: 'banner: layout shift',
      ours: '',
      floor: '',
      value: exactly(Math.max(...rounds.map((round) => round['/ours'].shifts))),
      unit: '',
      budget: { atMost: 0 },
    },
  ];
}

/** One visit of an undecided visitor, up to the frame with the banner in it. */
function visitFirst(visits: Visits, path: string): Promise<FirstVisit> {
  return visits.visit({ path, slowdown: 4 }, async (_page, session) => {
    const visible = await evaluate(session, 'seen');
    const script = await readScriptTime(session);
    return { visible, script, shifts: await evaluate(session, 'shifts') };
  });
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

/** What the scripts of a page take for a visitor who has decided, more than those of the same page without a banner. */
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

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}
