import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Browser, chromium as launcher } from 'playwright-core';
import { chromium } from '../../../tools/test/chromium.ts';
import { type GatedSite, startGatedSite } from './banner/gated-site.ts';
import { leaveAtOnce } from './banner/leaving.ts';

describe('visitors who decide and leave immediately', () => {
  let site: GatedSite;
  let browser: Browser;
  before(async () => {
    site = await startGatedSite();
    browser = await launcher.launch(chromium());
  });
  after(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  // Each way of leaving under each network condition. `npm run test:leaving` sends a thousand visitors.
  test('lose and duplicate no record under any condition of the network and the server', {
    timeout: 300_000,
  }, async () => {
    const report = await leaveAtOnce({ site, browser, visitors: 21, seed: 2026 });
    assert.deepEqual(report, { visitors: 21, lost: [], doubled: [], records: 21 });
  });
});
