import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { startTestServer, type TestServer } from '../../../../server/test/harness.ts';
import {
  canonicalize,
  LedgerVerificationError,
  verifyConsistency,
  verifyEvents,
  verifyInclusion,
  verifyRecords,
} from '../../src/ledger/index.ts';

/** A row with all fields of the API. */
// biome-ignore lint/suspicious/noExplicitAny: tests change rows of every shape
type Row = any;

describe('rows as the API returns them', () => {
  let server: TestServer;
  let tenantId: string;
  /** Newest first. */
  let records: readonly Row[];
  let events: readonly Row[];
  let details: readonly Row[];
  const get = async (path: string) => (await server.request('GET', path)).body.data;

  before(async () => {
    server = await startTestServer();
    tenantId = server.tenant.id;
    const notice = await server.createNotice();
    const other = await server.createNotice();
    const capture = async (noticeId: string, number: number) => {
      server.clock.advance(1000);
      const headers = { 'Idempotency-Key': `capture-${number}` };
      const subjectId = `subject ${number} \u2028 \u{1F600}`;
      const body = { subjectId, ip: '192.0.2.1', purposes: { necessary: true, analytics: number % 2 === 0 } };
      return (await server.request('POST', `/v1/consent/${noticeId}/records`, { headers, body })).body.data;
    };
    for (let number = 0; number < 10; number += 1) await capture(number % 3 === 2 ? other : notice, number);
    records = (await get(`/v1/consent/${notice}/records`)).data;
    events = (await get('/v1/audit')).items;
    details = await Promise.all(events.map(({ id }) => get(`/v1/audit/${id}`)));
  });
  after(() => server[Symbol.asyncDispose]());

  test('records verify newest first and oldest first, with every pair of neighbors', async () => {
    assert.equal(records.length, 7);
    for (const rows of [records, records.toReversed()])
      assert.deepEqual(await verifyRecords(rows, { tenantId }), { rows: 7, hashed: 7, linked: 3 });
    assert.deepEqual(await verifyRecords([], { tenantId }), { rows: 0, hashed: 0, linked: 0 });
  });

  test('a record with any value changed, added or removed is detected', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(6), fc.nat(30), fc.jsonValue({ maxDepth: 1 }), async (at, pick, value) => {
        const record = records[at];
        const keys = [...Object.keys(record), 'more'];
        const key = keys[pick % keys.length] as string;
        fc.pre(JSON.stringify(record[key]) !== JSON.stringify(value));
        assert.notEqual(await codeOf(verifyRecords(records.with(at, { ...record, [key]: value }), { tenantId })), null);
        if (key === 'more') return;
        const { [key]: _, ...without } = record;
        assert.notEqual(await codeOf(verifyRecords(records.with(at, without), { tenantId })), null);
      }),
    );
  });

  test('a value that only looks like the hashed one as text is detected', async () => {
    const [record, ...rest] = records;
    for (const change of [
      { subjectId: [record.subjectId] },
      { salt: [record.salt] },
      { subjectId: { toString: null } },
      { sequence: { toString: null } },
    ])
      assert.equal(await codeOf(verifyRecords([{ ...record, ...change }, ...rest], { tenantId })), 'hash_mismatch');
  });

  test('records of another tenant, in another order, or duplicated, are detected', async () => {
    assert.equal(await codeOf(verifyRecords(records, { tenantId: 'another' })), 'hash_mismatch');
    const [first, second, ...rest] = records;
    assert.equal(await codeOf(verifyRecords([second, first, ...rest], { tenantId })), 'entry_missing');
    assert.equal(await codeOf(verifyRecords([first, first], { tenantId })), 'entry_missing');
  });

  test('rehashed records are detected by their links and their times', async () => {
    const [newest, next, ...rest] = records;
    const reseal = (record: Row, changes: object): Row => {
      const { ledgerHash: _, prevLedgerHash, salt, erasedAt, ...fields } = { ...record, ...changes };
      const commit = (name: string) => fields[name] && hash('sha256', `${salt}${name}\0${fields[name]}`);
      const committed = { subjectId: commit('subjectId'), ipHash: commit('ipHash'), uaHash: commit('uaHash') };
      const text = (prevLedgerHash ?? '').replace('sha256:', '') + canonicalize({ ...fields, ...committed, tenantId });
      return { ...fields, salt, erasedAt, prevLedgerHash, ledgerHash: `sha256:${hash('sha256', text)}` };
    };
    const swapped = { subjectId: 'another subject' };
    const pairs = [newest, next, ...rest].map((record, index, all) => [all[index - 1], record] as const);
    const neighbors = pairs.find(([later, record]) => later?.sequence === record.sequence + 1);
    const [later, earlier] = neighbors as readonly [Row, Row];
    assert.equal(await codeOf(verifyRecords([reseal(earlier, swapped)], { tenantId })), null);
    assert.equal(await codeOf(verifyRecords([later, reseal(earlier, swapped)], { tenantId })), 'chain_broken');
    assert.equal(await codeOf(verifyRecords([reseal(newest, { prevLedgerHash: null })], { tenantId })), 'chain_broken');
  });

  test('events of the list are verified by their links, and with details by their hashes too', async () => {
    const rows = events.length;
    assert.ok(rows > 5);
    assert.deepEqual(await verifyEvents(events, { tenantId }), { rows, hashed: 0, linked: rows - 1 });
    assert.deepEqual(await verifyEvents(details, { tenantId }), { rows, hashed: rows, linked: rows - 1 });
    assert.deepEqual(await verifyEvents([details[3]], { tenantId }), { rows: 1, hashed: 1, linked: 0 });
  });

  test('an omitted or moved event is detected, and with details a changed one', async () => {
    for (const [at, event] of events.entries()) {
      if (at > 0 && at < events.length - 1)
        assert.equal(await codeOf(verifyEvents(events.toSpliced(at, 1), { tenantId })), 'chain_broken');
      const changed = { ...details[at], action: 'thing.done' };
      assert.equal(await codeOf(verifyEvents(details.with(at, changed), { tenantId })), 'hash_mismatch');
      // Fields that the list omits cannot be verified.
      await verifyEvents(events.with(at, { ...event, action: 'thing.done' }), { tenantId });
    }
    assert.equal(await codeOf(verifyEvents(details, { tenantId: 'another' })), 'hash_mismatch');
  });

  test('proofs of the server verify, for every record and event, and for every two checkpoints', async () => {
    const publicKey = (await server.request('GET', '/.well-known/svc-ledger-key', { key: null })).text;
    const sign = async (ledger: string) =>
      (await server.request('POST', `/v1/ledgers/${ledger}/checkpoints`)).body.data.note as string;
    await sign('consent');
    for (const { sequence, ledgerHash: hash } of records) {
      const proof = await get(`/v1/ledgers/consent/inclusion-proof?sequence=${sequence}`);
      assert.equal((await verifyInclusion({ hash, proof, publicKey })).sequence, sequence);
      const { ledgerHash: foreign } = records.find((record) => record.sequence !== sequence);
      await assert.rejects(verifyInclusion({ hash: foreign, proof, publicKey }), { code: 'proof_invalid' });
    }
    const notes = [];
    for (let number = 0; number < 6; number += 1) {
      await server.createNotice();
      notes.push(await sign('audit'));
    }
    for (const { id, hash } of events) {
      const proof = await get(`/v1/ledgers/audit/inclusion-proof?id=${id}`);
      await verifyInclusion({ hash, proof, publicKey });
    }
    for (const older of notes) {
      const from = older.split('\n')[1];
      const proof = await get(`/v1/ledgers/audit/consistency-proof?from=${from}`);
      assert.equal((await verifyConsistency({ older, proof, publicKey })).ledger, 'audit');
    }
  });
});

async function codeOf(call: Promise<unknown>): Promise<string | null> {
  try {
    await call;
    return null;
  } catch (error) {
    assert.ok(LedgerVerificationError.isInstance(error), String(error));
    return error.code;
  }
}
