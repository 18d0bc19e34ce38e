import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Browser,
  type BrowserContextOptions,
  type CDPSession,
  chromium as launcher,
  type Page,
} from 'playwright-core';
import { chromium } from '../test/chromium.ts';

export interface SiteFile {
  readonly type: string;
  readonly body: string | Buffer;
}

/** What a site answers with, by path. */
export type Site = ReadonlyMap<string, SiteFile>;

export interface VisitOptions {
  readonly path: string;
  /** How much slower the processor is made. */
  readonly slowdown: number;
  readonly context?: BrowserContextOptions;
}

/** A site and a browser of its own; every visit is a first one. */
export interface Visits extends AsyncDisposable {
  readonly origin: string;
  visit<T>(options: VisitOptions, look: (page: Page, session: CDPSession) => Promise<T>): Promise<T>;
}

/** Serves a site and starts a browser for it. */
export async function openVisits(site: Site): Promise<Visits> {
  const server = createServer(({ url = '' }, response) => {
    const { type, body } = site.get(url) ?? { type: 'text/plain', body: '' };
    response.writeHead(site.has(url) ? 200 : 404, {
      'Content-Type': `${type}; charset=utf-8`,
      'Cache-Control': 'no-store',
    });
    response.end(body);
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

async function visitOnce<T>(
  browser: Browser,
  origin: string,
  { path, slowdown, context: contextOptions }: VisitOptions,
  look: (page: Page, session: CDPSession) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext(contextOptions);
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await session.send('Performance.enable'); // It counts from here on.
    await page.goto(origin + path);
    return await look(page, session);
  } finally {
    await context.close();
  }
}

/**
 * A number of the page, or one that it promises. It is asked for without Playwright's own script, which would run in the
 * page just when the banner comes, and count as the banner's.
 */
export async function evaluate(session: CDPSession, expression: string): Promise<number> {
  const { result } = await session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  return result.value;
}

/** The milliseconds that the scripts of a page have taken so far. */
export async function readScriptTime(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0) * 1000;
}
