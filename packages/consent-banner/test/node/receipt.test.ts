import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Notice } from '../../src/notice.ts';
import { draftReceipt, proveReceipt, type RecordReceipt } from '../../src/receipt.ts';
import { readReceipt, writeReceipt } from '../../src/receipt-store.ts';
import type { ConsentRecord } from '../../src/record-queue.ts';
import { removeItem, writeItem } from '../../src/safe-storage.ts';

const notice: Notice = {
  id: '0199f0c4-6f2e-7c4a-9a51-3d2f6f0f8f11',
  name: 'Site',
  controllerName: 'Acme',
  language: 'en',
  domain: 'acme.example',
  version: 3,
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
};
const address = `https://consent.example/base/v1/public/consent/${notice.id}`;
const receipt = draftReceipt({ notice, record, address });

const proof = {
  recordedAt: '2026-11-21T09:30:01.000Z',
  noticeContentHash: 'a'.repeat(64),
  sequence: 7,
  ledgerHash: `sha256:${'b'.repeat(64)}`,
  prevLedgerHash: `sha256:${'c'.repeat(64)}`,
};
const answer = { ...record, ...proof, id: 'a-record', noticeId: notice.id };

describe('the receipt of a decision', () => {
  test('names who asked whom, for what, in which words, and what was decided when and how', () => {
    assert.deepEqual(receipt, {
      schema: 'svc-consent-receipt/1',
      subjectId: 'a-visitor',
      controller: { name: 'Acme' },
      notice: { id: notice.id, name: 'Site', version: 3, language: 'en', domain: 'acme.example' },
      purposes: [
        { ...notice.purposes[0], status: 'granted' },
        { ...notice.purposes[1], status: 'refused' },
      ],
      event: { method: 'banner', at: '2026-11-21T09:30:00.000Z' },
      proof: null,
      verification: {
        publicKey: 'https://consent.example/base/.well-known/svc-ledger-key',
        how: receipt.verification.how,
      },
    });
  });

  test('says granted for nothing but what was', () => {
    const odd = {
      ...notice,
      purposes: ['constructor', '__proto__'].map((key) => ({ key, label: '', description: '', required: false })),
    };
    const { purposes } = draftReceipt({ notice: odd, record, address });
    assert.deepEqual(
      purposes.map(({ status }) => status),
      ['refused', 'refused'],
    );
  });

  test('gets its proof from the answer of the server', () => {
    const proven = proveReceipt(receipt, { data: answer });
    assert.deepEqual(proven, { ...receipt, proof: { recordId: 'a-record', ...proof } });
    assert.deepEqual(
      proveReceipt(receipt, { data: { ...answer, sequence: 1, prevLedgerHash: null } }).proof?.sequence,
      1,
    );
  });

  const strange: Readonly<Record<string, object>> = {
    'of another visitor': { subjectId: 'another' },
    'about another notice': { noticeId: 'another' },
    'about another version': { noticeVersion: 2 },
    'of another moment': { capturedAt: '2026-11-21T09:30:00.001Z' },
    'about other choices': { purposes: { necessary: true, statistics: true } },
    'about fewer choices': { purposes: { necessary: true } },
    'about more choices': { purposes: { ...record.purposes, more: false } },
    'without a place in the ledger': { sequence: undefined },
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

  test('is the one of the decision in force, with its proof or still without', () => {
    for (const kept of [receipt, proveReceipt(receipt, { data: answer })]) {
      writeReceipt(notice.id, kept);
      assert.deepEqual(readReceipt(notice.id, at), kept);
      assert.equal(readReceipt(notice.id, '2026-11-21T09:31:00.000Z'), null);
      assert.equal(readReceipt('another', at), null);
    }
    removeItem(key);
    assert.equal(readReceipt(notice.id, at), null);
  });

  test('is none when what is kept is no receipt', () => {
    const { notice: _, ...headless } = receipt;
    const broken: readonly unknown[] = [
      null,
      [],
      'x',
      headless,
      { ...receipt, schema: 'svc-consent-receipt/2' },
      { ...receipt, purposes: [null] },
      { ...receipt, purposes: {} },
      { ...receipt, verification: null },
      { ...receipt, proof: { ...proof, recordId: 'x', ledgerHash: 'x' } },
    ];
    for (const value of broken) {
      writeItem(key, JSON.stringify(value));
      assert.equal(readReceipt(notice.id, at), null, JSON.stringify(value));
    }
    writeItem(key, '{');
    assert.equal(readReceipt(notice.id, at), null);
  });

  test('survives being written and read, whatever the notice says', () => {
    const text = fc.string();
    const purposes = fc.array(fc.record({ key: text, label: text, description: text, required: fc.boolean() }));
    fc.assert(
      fc.property(text, purposes, (name, list) => {
        const drafted: RecordReceipt = draftReceipt({ notice: { ...notice, name, purposes: list }, record, address });
        writeReceipt(notice.id, drafted);
        assert.deepEqual(readReceipt(notice.id, at), drafted);
      }),
    );
  });
});
