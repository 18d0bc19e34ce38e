import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { type Browser, type BrowserContext, chromium as launcher, type Page } from 'playwright-core';
import { chromium } from '../../../tools/test/chromium.ts';
import type { DemoCredentials } from '../../site/demo/seed.ts';

const root = join(import.meta.dirname, '../../..');

// A decision must reach the ledger even if the server dies between the click and the record.
describe('the record of a decision', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-records-'));
  let server: ChildProcess;
  let credentials: DemoCredentials;
  let browser: Browser;
  let context: BrowserContext;

  async function startServer(port: string): Promise<void> {
    server = spawn(process.execPath, ['server/cli/svc.js', 'demo'], {
      cwd: root,
      env: { ...process.env, PORT: port, SVC_DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: server.stdout as NodeJS.ReadableStream })) {
      if (/http:\/\/\S+:\d+/.test(line)) return;
    }
    throw new Error('the server exited before it was ready');
  }

  async function killServer(): Promise<void> {
    if (server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill('SIGKILL');
    await gone;
  }

  /** Restarts the server. @returns the status of the request that a visitor's next page sends. */
  async function restartAndVisit(): Promise<number> {
    await startServer(new URL(credentials.baseUrl).port);
    const next = await context.newPage();
    const captured = next.waitForResponse((response) => response.request().method() === 'POST');
    await next.goto(`${credentials.baseUrl}/demo`);
    const status = (await captured).status();
    assert.equal(await next.getByRole('button', { name: 'Accept all' }).isVisible(), false);
    await next.reload();
    await next.close();
    return status;
  }

  async function readStored(page: Page): Promise<{ readonly decidedAt: string }> {
    const stored = await page.evaluate((id) => localStorage.getItem(`svc-consent:${id}`), credentials.noticeId);
    return JSON.parse(stored ?? '{}');
  }

  async function readRecords(): Promise<readonly { readonly capturedAt: string; readonly purposes: object }[]> {
    const response = await fetch(`${credentials.baseUrl}/v1/consent/${credentials.noticeId}/records`, {
      headers: { Authorization: `Bearer ${credentials.apiKey}` },
    });
    return ((await response.json()) as { data: { data: [] } }).data.data;
  }

  before(async () => {
    await startServer('0');
    while (credentials === undefined) {
      try {
        credentials = JSON.parse(readFileSync(join(dataDir, 'demo-credentials.json'), 'utf8'));
      } catch {
        await new Promise(setImmediate);
      }
    }
    browser = await launcher.launch(chromium());
  });

  after(async () => {
    await browser?.close();
    await killServer();
    rmSync(dataDir, { recursive: true });
  });

  beforeEach(async () => {
    context = await browser.newContext();
  });

  afterEach(() => context.close());

  test('arrives after the server is back, once, with the time of the click', async () => {
    const page = await context.newPage();
    const sender = page.waitForResponse(/svc-consent-panel\.js/);
    await page.goto(`${credentials.baseUrl}/demo`);
    // This script sends records: without it, nothing is tried.
    await (await sender).finished();
    const accept = page.getByRole('button', { name: 'Accept all' });
    await accept.waitFor();
    await killServer();
    const failed = page.waitForEvent('requestfailed', (request) => request.method() === 'POST');
    await accept.click();
    await failed;
    const { decidedAt } = await readStored(page);
    assert.match(decidedAt, /Z$/);
    await page.close();

    assert.equal(await restartAndVisit(), 201);
    const [record, ...others] = await readRecords();
    assert.equal(record?.capturedAt, decidedAt);
    assert.deepEqual(record?.purposes, { necessary: true, analytics: true, marketing: true });
    assert.deepEqual(others, []);
  });

  test('arrives after a visit in which the script that sends it could not be loaded', async () => {
    const page = await context.newPage();
    await page.route(/svc-consent-panel\.js/, (route) => route.abort());
    await page.goto(`${credentials.baseUrl}/demo`);
    await page.getByRole('button', { name: 'Reject all' }).click();
    const { decidedAt } = await readStored(page);
    await killServer();
    await page.close();

    assert.equal(await restartAndVisit(), 201);
    const records = await readRecords();
    assert.deepEqual(
      records.filter(({ capturedAt }) => capturedAt === decidedAt).map(({ purposes }) => purposes),
      [{ necessary: true, analytics: false, marketing: false }],
    );
  });
});
