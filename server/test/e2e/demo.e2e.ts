import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { type Browser, type BrowserContext, chromium as launcher, type Page } from 'playwright-core';
import { chromium } from '../../../tools/test/chromium.ts';
import type { DemoCredentials } from '../../site/demo/seed.ts';

const root = join(import.meta.dirname, '../../..');

// The whole path of a site owner and a visitor: npm start, the demo page, a decision, the ledger, the proof.
describe('the demo', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-demo-'));
  const environment = { ...process.env, PORT: '0', SVC_DATA_DIR: dataDir };
  let server: ChildProcess;
  let browser: Browser;
  let context: BrowserContext;
  let credentials: DemoCredentials;

  before(async () => {
    server = spawn(process.execPath, ['server/cli/svc.js', 'demo'], {
      cwd: root,
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await readUntil(server, 'demo-credentials.json');
    credentials = JSON.parse(readFileSync(join(dataDir, 'demo-credentials.json'), 'utf8'));
    browser = await launcher.launch(chromium());
    context = await browser.newContext();
  });

  after(async () => {
    await browser?.close();
    server.kill('SIGTERM');
    await once(server, 'exit');
    rmSync(dataDir, { recursive: true });
  });

  test('asks on the first visit, without violating a strict policy', async () => {
    const { page, complaints } = await openDemo(context, credentials);
    await page.getByRole('button', { name: 'Reject all' }).waitFor();
    assert.equal(await page.evaluate(() => window.SvcConsent?.get()), null);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  test('a decision hides the banner, is announced to the page, and is recorded in the ledger', async () => {
    const { page, complaints } = await openDemo(context, credentials);
    const captured = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByRole('button', { name: 'Accept all' }).click();
    assert.equal((await captured).status(), 201);
    await page.getByRole('button', { name: 'Accept all' }).waitFor({ state: 'hidden' });
    const purposes = { necessary: true, analytics: true, marketing: true };
    assert.deepEqual(await page.evaluate(() => window.SvcConsent?.get()), { decided: true, purposes });

    const { data } = await readRecords(credentials);
    assert.equal(data.length, 1);
    assert.deepEqual(data[0]?.purposes, purposes);
    assert.match(data[0]?.ledgerHash ?? '', /^sha256:[0-9a-f]{64}$/);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  test('does not ask again on the next visit, and sends no request to the API', async () => {
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${credentials.baseUrl}/demo`);
    await page.waitForFunction(() => window.SvcConsent?.get()?.decided);
    assert.equal(await page.getByRole('button', { name: 'Accept all' }).isVisible(), false);
    assert.deepEqual(
      asked.filter((path) => path.startsWith('/v1/public/consent/')),
      [],
    );
    await page.close();
  });

  test('a changed decision withdraws the first record', async () => {
    const { page } = await openDemo(context, credentials);
    await page.getByRole('button', { name: 'Change my choices' }).click();
    const captured = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByRole('dialog').getByRole('button', { name: 'Reject all' }).click();
    assert.equal((await captured).status(), 201);
    const { data } = await readRecords(credentials);
    assert.deepEqual(
      data.map(({ kind }) => kind),
      ['withdrawal', 'capture'],
    );
    assert.equal(data[0]?.withdrawsRecordId, data[1]?.id);
    await page.close();
  });

  test('its trust badge lists the achieved frameworks and links to the trust page', async () => {
    const { page, complaints } = await openDemo(context, credentials);
    const card = page.locator('svc-trust-badge[variant=card]');
    await card.scrollIntoViewIfNeeded();
    await card.getByText('ISO/IEC 27001:2022').waitFor({ state: 'visible' });
    await card.getByRole('link').first().click();
    await page.waitForURL(`${credentials.baseUrl}/trust/demo`);
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Demo');
    assert.deepEqual(complaints, []);
    await page.close();
  });

  test('svc verify confirms both chains', () => {
    const { status, stdout } = spawnSync(process.execPath, ['server/cli/svc.js', 'verify', '--json'], {
      cwd: root,
      env: environment,
      encoding: 'utf8',
    });
    assert.equal(status, 0);
    const [tenant] = JSON.parse(stdout).tenants;
    assert.deepEqual(
      tenant.chains.map(({ ledger, fault }: { ledger: string; fault: unknown }) => [ledger, fault]),
      [
        ['consent', null],
        ['audit', null],
      ],
    );
    assert.equal(tenant.chains[0].entries, 2);
  });
});

async function openDemo(
  context: BrowserContext,
  { baseUrl }: DemoCredentials,
): Promise<{ page: Page; complaints: string[] }> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(`${baseUrl}/demo`);
  return { page, complaints };
}

interface RecordPage {
  readonly data: readonly {
    readonly id: string;
    readonly kind: string;
    readonly withdrawsRecordId: string | null;
    readonly purposes: object;
    readonly ledgerHash: string;
  }[];
}

async function readRecords({ baseUrl, noticeId, apiKey }: DemoCredentials): Promise<RecordPage> {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${baseUrl}/v1/consent/${noticeId}/records`, { headers });
  return ((await response.json()) as { data: RecordPage }).data;
}

async function readUntil(child: ChildProcess, text: string): Promise<void> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    if (line.includes(text)) return;
  }
  throw new Error('the server exited before it was ready');
}
