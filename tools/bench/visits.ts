import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import {
  type Browser,
  type BrowserContextOptions,
  type CDPSession,
  chromium as launcher,
  type Page,
} from 'playwright-core';
import { build } from 'vite';
import { chromium } from '../test/chromium.ts';

export interface SiteFile {
  readonly type: string;
  readonly body: string | Buffer;
}

/** Responses of a site, by path. */
export type Site = ReadonlyMap<string, SiteFile>;

export interface VisitOptions {
  readonly path: string;
  /** How much slower the processor is made. */
  readonly slowdown: number;
  /** Milliseconds between a request and its response. */
  readonly latency?: number;
  /** The name of a file for a profile of the visit's scripts, without its ending. */
  readonly profile?: string;
  /** Runs in each document before its own scripts, whatever its policy says of inline ones. */
  readonly watch?: () => void;
  readonly context?: BrowserContextOptions;
}

/** A new site and a new browser; every visit is a first one. */
export interface Visits extends AsyncDisposable {
  readonly origin: string;
  visit<T>(options: VisitOptions, look: (page: Page, session: CDPSession) => Promise<T>): Promise<T>;
}

/** Builds `children/<name>.ts` for a page. */
export async function buildScript(name: string): Promise<Buffer> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2022',
      lib: { entry: join(import.meta.dirname, `children/${name}.ts`), formats: ['iife'], name: '_' },
    },
  });
  const [chunk] = [built].flat().flatMap((bundle) => ('output' in bundle ? bundle.output : []));
  if (chunk?.type !== 'chunk') throw new Error(`${name} gave no script`);
  return Buffer.from(chunk.code);
}

/** Serves a site and starts a browser for it. @param answer what answers for every path that the site does not have. */
export async function openVisits(site: Site, answer: RequestListener = refuse): Promise<Visits> {
  const server = createServer((request, response) => {
    const file = site.get(request.url ?? '');
    if (file === undefined) return answer(request, response);
    response.writeHead(200, { 'Content-Type': `${file.type}; charset=utf-8`, 'Cache-Control': 'no-store' });
    response.end(file.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await launcher.launch(chromium());
  return {
    origin,
    visit: (options, look) => visitOnce(browser, origin, options, look),
    async [Symbol.asyncDispose]() {
      await browser.close();
      server.close();
    },
  };
}

const refuse: RequestListener = (_request, response) => {
  response.writeHead(404, { 'Cache-Control': 'no-store' });
  response.end();
};

async function visitOnce<T>(
  browser: Browser,
  origin: string,
  { path, slowdown, latency = 0, profile, watch, context: contextOptions }: VisitOptions,
  look: (page: Page, session: CDPSession) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext(contextOptions);
  try {
    const page = await context.newPage();
    if (watch !== undefined) await page.addInitScript(watch);
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    if (latency > 0) {
      await session.send('Network.enable');
      const speed = { downloadThroughput: -1, uploadThroughput: -1 };
      await session.send('Network.emulateNetworkConditions', { offline: false, latency, ...speed });
    }
    if (profile !== undefined) await startProfile(session);
    // It counts from here on, in the processor time of the page, which other load on the machine changes least.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(origin + path);
    const seen = await look(page, session);
    if (profile !== undefined) await writeProfile(session, profile);
    return seen;
  } finally {
    await context.close();
  }
}

async function startProfile(session: CDPSession): Promise<void> {
  await session.send('Profiler.enable');
  await session.send('Profiler.setSamplingInterval', { interval: 100 });
  await session.send('Profiler.start');
}

async function writeProfile(session: CDPSession, name: string): Promise<void> {
  const { profile } = await session.send('Profiler.stop');
  mkdirSync(dirname(name), { recursive: true });
  writeFileSync(`${name}.cpuprofile`, JSON.stringify(profile));
}

/**
 * A value of the page, or one that it promises. It is asked for without Playwright's own script, which would run in the
 * page just when the banner comes, and count as the banner's.
 */
export async function evaluate<T = number>(session: CDPSession, expression: string): Promise<T> {
  const { result } = await session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  return result.value;
}

/** The milliseconds that the scripts of a page have taken so far. */
export async function readScriptTime(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0) * 1000;
}
