import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Browser, chromium as launcher } from 'playwright-core';
import { manifestName } from '../../server/site/widgets/widget.ts';
import { chromium } from '../../tools/test/chromium.ts';
import { readWidgetBuilds } from '../site/widget-manifest.ts';
import { readAllBlocks } from './code-blocks.ts';
import { type DemoServer, startDemoServer } from './demo-server.ts';

const blocks = readAllBlocks().flatMap((page) =>
  page.blocks
    .filter(({ language, isRun }) => language === 'html' && isRun)
    .map(({ code, line }) => ({ code, place: `${page.page}, line ${line}` })),
);

// Site owners paste these blocks as they are: each must work in a browser, without messages in the console.
describe('every block of HTML of every page', { skip: blocks.length === 0 }, () => {
  let server: DemoServer;
  let browser: Browser;
  before(async () => {
    server = await startDemoServer();
    browser = await launcher.launch(chromium());
  });
  after(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  for (const { code, place } of blocks)
    test(`loads: ${place}`, async () => {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(String(error)));
      const address = `${server.credentials.baseUrl}/a-page-of-the-site`;
      await page.route(address, (route) =>
        route.fulfill({ contentType: 'text/html; charset=utf-8', body: fill(code, server) }),
      );
      await page.goto(address, { waitUntil: 'networkidle' });
      assert.deepEqual(complaints, []);
      await page.close();
    });
});

/** A block with the values of a real server, in a document where it is none itself. */
function fill(code: string, { credentials }: DemoServer): string {
  const filled = readWidgetBuilds()
    .reduce(
      (text, { name, version, folder }) =>
        text.replaceAll(
          new RegExp(`(/widgets/${name}/)[^/"]+/([\\w-]+\\.js)("[^>]*?)sha384-…`, 'gs'),
          (_, path, file, between) => `${path}${version}/${file}${between}${readIntegrity(folder, file)}`,
        ),
      code,
    )
    .replaceAll('https://consent.example.com', credentials.baseUrl)
    .replaceAll('your-notice-id', credentials.noticeId)
    .replaceAll('your-slug', credentials.tenantSlug);
  if (/^\s*<!doctype/i.test(filled)) return filled;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title><link rel="icon" href="data:,"></head><body>${filled}</body></html>`;
}

/** The hash of a file of a build, be it that of the widget's own tag or of an add-on's. */
function readIntegrity(folder: string, file: string): string {
  const { files } = JSON.parse(readFileSync(join(folder, manifestName), 'utf8'));
  const found = files.find((one: { readonly file: string }) => one.file === file);
  assert.ok(found, `${file} is in ${folder}`);
  return found.integrity;
}
