import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Notice } from '../../src/notice/notice.ts';
import { removeItem, writeItem } from '../../src/page/browser.ts';
import { draftReceipt, proveReceipt, readReceipt } from '../../src/panel/receipt.ts';
import type { ConsentRecord, ReceiptSource } from '../../src/records/consent-record.ts';
import { keepAnswer } from '../../src/records/keep-records.ts';

const notice: Notice = {
  id: '0199f0c4-6f2e-7c4a-9a51-3d2f6f0f8f11',
  name: 'Site',
  controllerName: 'Acme',
  language: 'en',
  domain: 'acme.example',
  version: 3,
  asksSince: 3,
  languages: [],
  texts: { title: 'Your choice' },
  purposes: [
    { key: 'necessary', label: 'Necessary', description: 'Keeps the site running.', required: true },
    { key: 'statistics', label: 'Statistics', description: 'Counts visits.', required: false },
  ],
};
const record: ConsentRecord = {
  subjectId: 'a-visitor',
  purposes: { necessary: true, statistics: false },
  method: 'banner',
  capturedAt: '2026-11-21T09:30:00.000Z',
  noticeVersion: 3,
  language: 'en',
  shownHash: 'd'.repeat(64),
  region: 'DE',
};
const address = `https://consent.example/base/v1/public/consent/${notice.id}`;
const receipt = draftReceipt({ notice, record, address });

const proof = {
  recordedAt: '2026-11-21T09:30:01.000Z',
  noticeContentHash: 'a'.repeat(64),
  ledgerHash: `sha256:${'b'.repeat(64)}`,
  prevLedgerHash: `sha256:${'c'.repeat(64)}`,
};
const answer = { ...record, ...proof, id: 'a-record', noticeId: notice.id };

describe('the receipt of a decision', () => {
  test('names who asked whom, for what, in which words, and what was decided when and how', () => {
    assert.deepEqual(receipt, {
      schema: 'svc-consent-receipt/1',
      subjectId: 'a-visitor',
      purposes: { necessary: true, statistics: false },
      event: { method: 'banner', at: '2026-11-21T09:30:00.000Z' },
      shown: { language: 'en', hash: 'd'.repeat(64), region: 'DE', notice },
      proof: null,
      verification: {
        publicKey: 'https://consent.example/base/.well-known/svc-ledger-key',
        how: receipt.verification.how,
      },
    });
  });

  test('says that nothing about the words is verified where the browser could not', () => {
    const { language, shownHash, region, ...plain } = record;
    const { shown } = draftReceipt({ notice, record: plain, address });
    assert.deepEqual(shown, { language: 'en', hash: 'unverified', region: null, notice });
  });

  test('gets its proof from the answer of the server', () => {
    const proven = proveReceipt(receipt, { data: answer });
    assert.deepEqual(proven, { ...receipt, proof: { recordId: 'a-record', ...proof } });
    const first = proveReceipt(receipt, { data: { ...answer, prevLedgerHash: null } });
    assert.deepEqual(first.proof, { recordId: 'a-record', ...proof, prevLedgerHash: null });
  });

  const strange: Readonly<Record<string, object>> = {
    'of another visitor': { subjectId: 'another' },
    'about another notice': { noticeId: 'another' },
    'about another version': { noticeVersion: 2 },
    'of another moment': { capturedAt: '2026-11-21T09:30:00.001Z' },
    'about other choices': { purposes: { necessary: true, statistics: true } },
    'about fewer choices': { purposes: { necessary: true } },
    'about more choices': { purposes: { ...record.purposes, more: false } },
    'without a predecessor': { prevLedgerHash: undefined },
    'with a hash of another kind': { ledgerHash: `md5:${'b'.repeat(64)}` },
    'with a predecessor that is no hash': { prevLedgerHash: '' },
    'without a time': { recordedAt: 'soon' },
    'without the hash of the notice': { noticeContentHash: undefined },
    'without an id': { id: undefined },
  };
  for (const [name, change] of Object.entries(strange)) {
    test(`takes no proof from an answer ${name}`, () => {
      assert.equal(proveReceipt(receipt, { data: { ...answer, ...change } }), receipt);
    });
  }

  test('takes no proof from an answer of any other form', () => {
    fc.assert(fc.property(fc.anything(), (body) => assert.equal(proveReceipt(receipt, body), receipt)));
  });
});

describe('the kept receipt', () => {
  const key = `svc-consent:${notice.id}:receipt`;
  const at = receipt.event.at;

  const source = { notice, record, address };
  const keepReceipt = (noticeId: string, given: ReceiptSource): void =>
    writeItem(`svc-consent:${noticeId}:receipt`, JSON.stringify(given));

  test('is the one of the decision in force, with its proof or still without', () => {
    keepReceipt(notice.id, source);
    assert.deepEqual(readReceipt(notice.id, at), receipt);
    assert.equal(keepAnswer(notice.id, record, { data: answer }), true);
    assert.deepEqual(readReceipt(notice.id, at), proveReceipt(receipt, { data: answer }));
    assert.equal(readReceipt(notice.id, '2026-11-21T09:31:00.000Z'), null);
    assert.equal(readReceipt('another', at), null);
    removeItem(key);
    assert.equal(readReceipt(notice.id, at), null);
  });

  test('takes no answer to an earlier record for its own', () => {
    keepReceipt(notice.id, source);
    const earlier = { ...record, capturedAt: '2026-11-20T09:30:00.000Z' };
    assert.equal(keepAnswer(notice.id, earlier, { data: answer }), false);
    assert.equal(keepAnswer('another', record, { data: answer }), false);
    assert.equal(readReceipt(notice.id, at)?.proof, null);
  });

  test('is none when what is kept makes no receipt', () => {
    const broken: readonly unknown[] = [
      null,
      [],
      'x',
      receipt,
      { record, address },
      { ...source, notice: { ...notice, id: 'another' } },
      { ...source, notice: { ...notice, purposes: [null] } },
      { ...source, notice: { ...notice, purposes: {} } },
      { ...source, notice: { ...notice, name: 1 } },
      { ...source, record: { ...record, purposes: null } },
      { ...source, record: { ...record, purposes: { necessary: true } } },
      { ...source, record: { ...record, purposes: { necessary: true, statistics: 'yes' } } },
      { ...source, record: { ...record, subjectId: undefined } },
      { notice, record },
    ];
    for (const value of broken) {
      writeItem(key, JSON.stringify(value));
      assert.equal(readReceipt(notice.id, at), null, JSON.stringify(value));
    }
    writeItem(key, '{');
    assert.equal(readReceipt(notice.id, at), null);
    assert.equal(keepAnswer(notice.id, record, {}), false);
  });

  test('has no proof when the kept answer is none', () => {
    for (const strange of [null, [], 'x', { data: { ...answer, ledgerHash: 'x' } }]) {
      keepReceipt(notice.id, { ...source, answer: strange });
      assert.deepEqual(readReceipt(notice.id, at), receipt);
    }
  });

  test('survives being kept and read, whatever the notice says', () => {
    const text = fc.string();
    const purpose = fc.record({ key: text, label: text, description: text, required: fc.boolean() });
    const purposes = fc.uniqueArray(purpose, { minLength: 1, selector: ({ key: one }) => one });
    fc.assert(
      fc.property(text, purposes, (name, list) => {
        const decided = Object.fromEntries(list.map(({ key: one, required }) => [one, required]));
        const given = {
          notice: { ...notice, name, purposes: list.map((one) => ({ ...one })) },
          record: { ...record, purposes: decided },
          address,
        };
        keepReceipt(notice.id, given);
        assert.deepEqual(readReceipt(notice.id, at), draftReceipt(given));
      }),
    );
  });
});
