import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { TCString } from '@iabtechlabtcf/core';
import { type Browser, chromium as launcher, type Page } from 'playwright-core';
import { chromium } from '../../../../chromium.ts';
import { createVendorList } from '../tcf-vendor-list.ts';

// The built script by a tag of its own, in a whole page of a strict site: policy, integrity hash, real requests.

const widget = join(import.meta.dirname, '../..');
const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js');
const strictPolicy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types svc-consent svc-consent-ui";
const settings =
  'data-cmp-id="31" data-publisher-country="DE" data-vendor-list="/vendor-list.json" data-vendors="1 2 3 4 5" data-purposes="marketing: 1 2 3 4 7; statistics: 8 9 10" data-use-non-standard-texts="false"';

const places = {
  'before the banner': (banner: string, addOn: string) => `<head>${addOn}${banner}`,
  'after the banner': (banner: string, addOn: string) => `<head>${banner}</head><body>${addOn}`,
  'before the banner, with async': (banner: string, addOn: string) =>
    `<head>${addOn.replace('<script', '<script async')}${banner}`,
} as const;

function writeTag(folder: string, name: string, attributes = ''): string {
  const integrity = `sha384-${createHash('sha384')
    .update(readFileSync(join(folder, name)))
    .digest('base64')}`;
  return `<script src="/${name}" integrity="${integrity}" crossorigin="anonymous" ${attributes}></script>`;
}

function serve(folder: string): Server {
  return createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const send = (type: string, body: string | Buffer, headers = {}): void => {
      response.writeHead(200, { 'Content-Type': type, ...headers }).end(body);
    };
    if (pathname === '/') {
      const write = places[searchParams.get('place') as keyof typeof places];
      const tags = write(writeTag(folder, 'svc-consent.js'), writeTag(folder, 'svc-consent-tcf.js', settings));
      const element = `<svc-consent notice-id="${searchParams.get('notice')}"></svc-consent>`;
      const html = `<!doctype html><html lang="en"><title>A page</title>${tags}<main><h1>A page</h1></main>${element}</html>`;
      send('text/html', html, { 'Content-Security-Policy': strictPolicy });
    } else if (pathname === '/vendor-list.json') send('application/json', JSON.stringify(createVendorList()));
    else if (pathname.endsWith('/records')) response.writeHead(201).end('{"data":{}}');
    else if (pathname.startsWith('/v1/')) {
      send('application/json', JSON.stringify({ data: createNotice(pathname.split('/').at(-1) ?? '') }));
    } else if (/^\/svc-consent[\w-]*\.js$/.test(pathname)) {
      send('text/javascript', readFileSync(join(folder, pathname)));
    } else response.writeHead(404).end();
  });
}

function createNotice(id: string): object {
  const purposes = ['marketing', 'statistics'].map((key) => ({ key, label: key, description: key, required: false }));
  return { id, name: 'Site', controllerName: 'Acme', language: 'en', domain: 'localhost', version: 1, purposes };
}

describe('the built TCF script', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tcf-'));
  const server = serve(folder);
  let browser: Browser;
  before(async () => {
    const args = [vite, 'build', '--config', '../../vite.config.ts', '--outDir', folder, '--logLevel', 'error'];
    execFileSync(process.execPath, args, { cwd: widget });
    await new Promise<void>((resolve) => server.listen(0, resolve));
    browser = await launcher.launch(chromium());
  });
  after(async () => {
    await browser?.close();
    server.close();
    rmSync(folder, { recursive: true });
  });

  async function visit(place: keyof typeof places): Promise<Page> {
    const page = await browser.newPage();
    const query = new URLSearchParams({ place, notice: crypto.randomUUID() });
    await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/?${query}`);
    return page;
  }

  for (const place of Object.keys(places) as (keyof typeof places)[]) {
    test(`works ${place}, under a strict policy with Trusted Types, and violates nothing`, async () => {
      const page = await visit(place);
      const wrong: string[] = [];
      page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
      page.on('pageerror', (error) => wrong.push(String(error)));
      await page.getByRole('button', { name: 'Show partners' }).click();
      const layer = page.getByRole('dialog', { name: 'Our partners' });
      await layer.getByText('Acorn Ads').click();
      await layer.getByText('Purposes by consent').first().waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Accept all' }).click();
      const tcString = await page.evaluate(
        () =>
          new Promise((resolve) => {
            const { __tcfapi } = globalThis as unknown as { __tcfapi: (...call: unknown[]) => void };
            __tcfapi('addEventListener', 2, (data: { eventStatus: string; tcString: string }) => {
              if (data.eventStatus === 'useractioncomplete') resolve(data.tcString);
            });
          }),
      );
      assert.match(String(tcString), /^C[\w-]+\.I[\w-]+$/);
      assert.equal(TCString.decode(String(tcString)).useNonStandardTexts, false, 'as the tag says');
      assert.deepEqual(wrong, []);
      await page.close();
    });
  }

  test('leaves no names on the page but the one that the standard prescribes', async () => {
    const page = await visit('after the banner');
    await page.getByRole('button', { name: 'Show partners' }).waitFor();
    const names = await page.evaluate(() =>
      Object.getOwnPropertyNames(globalThis).filter((name) => /svc|tcf|consent/i.test(name)),
    );
    assert.deepEqual(names.sort(), ['SvcConsent', '__tcfapi']);
    await page.close();
  });

  test('is listed with its hash in integrity.json, and stays within 15,500 bytes', () => {
    const { files } = JSON.parse(readFileSync(join(folder, 'integrity.json'), 'utf8'));
    const listed = files.find(({ file }: { file: string }) => file === 'svc-consent-tcf.js');
    const bytes = readFileSync(join(folder, 'svc-consent-tcf.js'));
    assert.equal(listed.integrity, `sha384-${createHash('sha384').update(bytes).digest('base64')}`);
    const size = brotliCompressSync(bytes).length;
    assert.ok(size <= 15_500, `it is ${size}`);
    assert.doesNotMatch(bytes.toString(), /\n\s/, 'no white space in the styles');
  });
});
