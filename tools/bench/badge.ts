import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type Browser, chromium as launcher } from 'playwright-core';
import { readWidget, type Widget } from '../../server/widgets/widget.ts';
import { chromium } from '../test/chromium.ts';
import type { Bench, Benchmark, Finding } from './benchmark.ts';
import { compareInTurn, type Slice } from './slices.ts';

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

/** Loads the page of either element in turn, the processor slowed down four times as on a plain phone. */
async function measureVisible(bench: Bench, widget: Widget): Promise<Finding> {
  const vanilla = readFileSync(new URL('./children/vanilla-badge.js', import.meta.url));
  const server = createServer(({ url = '' }, response) => {
    const script = url === '/ours.js' ? readScript(widget) : vanilla;
    if (url.endsWith('.js')) send(response, 'text/javascript', script);
    else if (url.startsWith('/v1/')) send(response, 'application/json', JSON.stringify({ data: trust }));
    else send(response, 'text/html', writePage(url));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await launcher.launch(chromium());
  try {
    const found = await compareInTurn(
      visibleSlice(browser, `${address}/ours`),
      visibleSlice(browser, `${address}/vanilla`),
      { ...bench.pace, pairs: bench.pace.pairs * 3 },
    );
    return {
      what: 'badge: time to visible / element by hand (CPU 4 ×)',
      ours: `${found.ours.toFixed(0)} ms`,
      floor: `${found.floor.toFixed(0)} ms`,
      value: found.cost,
      unit: '×',
      budget: { atMost: 1.3 },
    };
  } finally {
    await browser.close();
    server.close();
  }
}

const trust = {
  name: 'Example Ltd',
  slug: 'example',
  achievedFrameworks: ['GDPR', 'SOC 2'],
  updatedAt: '2026-11-20T12:00:00.000Z',
};

function send(response: ServerResponse, type: string, body: string | Buffer): void {
  response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'no-store' }).end(body);
}

/** The element of either script, and a look at every frame whether its name is there. */
function writePage(name: string): string {
  const tag = name === '/ours' ? 'svc-trust-badge' : 'vanilla-badge';
  return `<!doctype html><html lang="en"><title>Badge</title><script src="${name}.js" defer></script>
<${tag} tenant="example"></${tag}><h1>A page</h1><script>
const look = () => {
  const root = document.querySelector('${tag}').shadowRoot;
  if (root?.textContent.includes('Example Ltd')) window.seen = performance.now();
  else requestAnimationFrame(look);
};
look();
</script></html>`;
}

/** One visit: milliseconds from the start of the navigation to the frame with the name of the tenant in it. */
function visibleSlice(browser: Browser, url: string): Slice {
  return async () => {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      const session = await context.newCDPSession(page);
      await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
      await page.goto(url);
      const seen = await page.waitForFunction(() => (window as unknown as { seen?: number }).seen);
      return (await seen.jsonValue()) as number;
    } finally {
      await context.close();
    }
  };
}
