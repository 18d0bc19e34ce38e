import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { type Browser, chromium as launcher, type Page } from 'playwright-core';
import type { RecordReceipt } from '../../../packages/consent-banner/src/panel/receipt.ts';
import { verifyInclusion } from '../../../packages/node-sdk/src/ledger/index.ts';
import { chromium } from '../../../tools/test/chromium.ts';
import { type BannerSite, startBannerSite } from './banner/site.ts';

const receiptLayer = 'svc-consent [part=receipt]';
/** The hash of the entry in the ledger, below the id of the record. */
const entry = `${receiptLayer} dt:has(code) + dd code`;

// The visitor's receipt after a decision, and what it can prove later.
describe('the receipt of a visitor', () => {
  let site: BannerSite;
  let browser: Browser;
  before(async () => {
    site = await startBannerSite();
    browser = await launcher.launch(chromium());
  });
  after(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  async function decide(page: Page, noticeId: string, choice: 'accept' | 'reject'): Promise<void> {
    await page.goto(site.addPage(noticeId));
    await page.locator(`svc-consent .banner [data-choice=${choice}]`).click();
    await page.evaluate(() => window.SvcConsent?.open());
    await page.locator(`${receiptLayer} summary`).click();
  }

  async function saveReceipt(page: Page): Promise<{ readonly name: string; readonly receipt: RecordReceipt }> {
    const download = page.waitForEvent('download');
    await page.locator(`${receiptLayer} [part=download]`).click();
    const file = await download;
    return { name: file.suggestedFilename(), receipt: JSON.parse(readFileSync(await file.path(), 'utf8')) };
  }

  test('matches the ledger, and proves its inclusion with only the public key', async () => {
    const { server } = site;
    const noticeId = await site.publish();
    await using page = await browser.newPage();
    await decide(page, noticeId, 'reject');
    await page.locator(entry).waitFor();
    const { name, receipt } = await saveReceipt(page);
    const { proof, event, shown } = receipt;
    assert.equal(name, `consent-localhost-${event.at.slice(0, 10)}.json`);
    assert.ok(proof);
    assert.equal(await page.locator(entry).textContent(), proof.ledgerHash.replace('sha256:', 'SHA-256 '));
    assert.ok((await page.locator(receiptLayer).textContent())?.includes(shown.hash));

    // It matches the record, and contains no hash of an address.
    const { body } = await server.request('GET', `/v1/consent/${noticeId}/records/${proof.recordId}`);
    const { ipHash, uaHash, ...record } = body.data;
    assert.deepEqual(
      { ...proof, recordId: undefined, capturedAt: event.at, method: event.method, subjectId: receipt.subjectId },
      {
        recordId: undefined,
        recordedAt: record.recordedAt,
        noticeContentHash: record.noticeContentHash,
        ledgerHash: record.ledgerHash,
        prevLedgerHash: record.prevLedgerHash,
        capturedAt: record.capturedAt,
        method: record.method,
        subjectId: record.subjectId,
      },
    );
    assert.deepEqual(receipt.purposes, record.purposes);
    assert.deepEqual([shown.language, shown.hash], [record.language, record.shownHash]);
    const text = JSON.stringify(receipt);
    assert.ok(ipHash && uaHash && !text.includes(ipHash) && !text.includes(uaHash));

    // The words in the receipt are those that were published, and that the record names by their hash.
    const published = `{"data":${JSON.stringify(shown.notice).replaceAll('<', '\\u003c')}}`;
    assert.equal(hash('sha256', published), record.shownHash);
    assert.equal(await (await fetch(`${server.url}/v1/public/consent/${noticeId}`)).text(), published);

    // The inclusion proof, which the controller provides, leads from its hash to the signed root.
    await server.request('POST', '/v1/ledgers/consent/checkpoints');
    const query = `?sequence=${record.sequence}`;
    const inclusion = await server.request('GET', `/v1/ledgers/consent/inclusion-proof${query}`);
    const publicKey = await (await fetch(receipt.verification.publicKey)).text();
    const given = { proof: inclusion.body.data, publicKey };
    assert.equal((await verifyInclusion({ ...given, hash: proof.ledgerHash })).sequence, record.sequence);
    const forged = `sha256:${hash('sha256', 'another')}`;
    await assert.rejects(verifyInclusion({ ...given, hash: forged }), { code: 'proof_invalid' });
  });

  test('shows a pending proof while the server is unreachable, and the proof afterwards', async () => {
    await using page = await browser.newPage();
    await page.route('**/records', (route) => route.abort());
    await decide(page, await site.publish(), 'accept');
    await page.locator(`${receiptLayer} [role=status]`).waitFor();
    assert.equal((await saveReceipt(page)).receipt.proof, null);
    await page.unroute('**/records');
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await page.locator(entry).waitFor();
    assert.ok((await saveReceipt(page)).receipt.proof);
  });

  test('is kept on the next visit, and is that of the latest decision', async () => {
    const noticeId = await site.publish();
    await using page = await browser.newPage();
    await decide(page, noticeId, 'accept');
    await page.locator(entry).waitFor();
    const first = (await saveReceipt(page)).receipt;
    await page.reload();
    await page.evaluate(() => window.SvcConsent?.open());
    await page.locator(`${receiptLayer} summary`).click();
    assert.deepEqual((await saveReceipt(page)).receipt, first);
    await page.locator('svc-consent footer [data-choice=reject]').click();
    await page.evaluate(() => window.SvcConsent?.open());
    await page.locator(`${receiptLayer} summary`).click();
    await page.locator(entry).waitFor();
    const later = (await saveReceipt(page)).receipt;
    assert.equal(later.subjectId, first.subjectId);
    assert.equal(later.proof?.prevLedgerHash, first.proof?.ledgerHash);
  });
});
