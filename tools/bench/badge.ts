import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { readWidget, type Widget } from '../../server/site/widgets/widget.ts';
import { compileHint } from '../widgets/define-script.ts';
import type { Bench, Benchmark, Finding } from './benchmark.ts';
import { compareInTurn, type Slice } from './slices.ts';
import { evaluate, openVisits, type SiteFile, type Visits } from './visits.ts';

/** The trust badge: its bytes, and the time until it is seen beside an element written by hand that does the least. */
export const badge: Benchmark = {
  name: 'badge',
  builds: ['packages/trust-badge'],
  async run(bench) {
    const widget = readWidget('trust-badge');
    if (widget === undefined) throw new Error('the badge is not built: npm run build');
    return [measureBytes(widget), await measureVisible(bench, widget)];
  },
};

function readScript({ name, files }: Widget): Buffer {
  return files.get(`${name}.js`)?.bytes as Buffer;
}

function measureBytes(widget: Widget): Finding {
  const script = readScript(widget);
  const kilobytes = brotliCompressSync(script).length / 1000;
  return {
    what: 'badge script, all variants (brotli)',
    ours: `${(script.length / 1000).toFixed(1)} kB min, ${(gzipSync(script, { level: 9 }).length / 1000).toFixed(1)} gzip`,
    floor: '',
    value: { low: kilobytes, median: kilobytes, high: kilobytes },
    unit: 'kB',
    budget: { atMost: 7.5 },
  };
}

const trust = {
  name: 'Example Ltd',
  slug: 'example',
  achievedFrameworks: ['GDPR', 'SOC 2'],
  updatedAt: '2026-11-20T12:00:00.000Z',
};

/** Loads the page of either element in turn, the processor slowed down four times as on a plain phone. */
async function measureVisible(bench: Bench, widget: Widget): Promise<Finding> {
  const script = (body: Buffer | string): SiteFile => ({ type: 'text/javascript', body });
  const floor = readFileSync(new URL('./children/vanilla-badge.js', import.meta.url));
  const data: SiteFile = { type: 'application/json', body: JSON.stringify({ data: trust }) };
  const site = new Map<string, SiteFile>([
    ['/ours.js', script(readScript(widget))],
    ['/ours', writePage('ours', 'svc-trust-badge')],
    ['/vanilla.js', script(`${compileHint}\n${floor}`)],
    ['/vanilla', writePage('vanilla', 'vanilla-badge')],
    ...['', '?language=en'].map((query) => [`/v1/public/trust/example/widget${query}`, data] as const),
  ]);
  await using visits = await openVisits(site);
  const pace = { ...bench.pace, pairs: bench.pace.pairs * 3 };
  const found = await compareInTurn(visibleSlice(visits, '/ours'), visibleSlice(visits, '/vanilla'), pace);
  return {
    what: 'badge: time to visible / element by hand (CPU 4 ×)',
    ours: `${found.ours.toFixed(0)} ms`,
    floor: `${found.floor.toFixed(0)} ms`,
    value: found.cost,
    unit: '×',
    budget: { atMost: 1.2 },
  };
}

/** The element of a script, and a look at every frame whether its data is there. */
function writePage(script: string, tag: string): SiteFile {
  const body = `<!doctype html><html lang="en"><title>Badge</title><script src="${script}.js" defer></script>
<${tag} tenant="example"></${tag}><h1>A page</h1><script>
const look = () => {
  const root = document.querySelector('${tag}').shadowRoot;
  if (/Example Ltd|GDPR/.test(root?.textContent)) resolveSeen(performance.now());
  else requestAnimationFrame(look);
};
let resolveSeen;
window.seen = new Promise((resolve) => { resolveSeen = resolve; });
look();
</script></html>`;
  return { type: 'text/html', body };
}

/** One visit: milliseconds from the start of the navigation to the frame with the data in it. */
function visibleSlice(visits: Visits, path: string): Slice {
  return () => visits.visit({ path, slowdown: 4 }, (_page, session) => evaluate(session, 'seen'));
}
