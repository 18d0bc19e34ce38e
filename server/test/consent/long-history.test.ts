import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import SQLite from 'better-sqlite3';
import type { RecordDraft } from '../../consent/record.ts';
import { appendRecords } from '../../consent/record-store.ts';
import { runTransaction } from '../../storage/database.ts';
import { newId } from '../../storage/rows.ts';
import { startTestServer, type TestResponse, type TestServer } from '../harness.ts';
import { allGranted, capture, payload, unknownId, visit, withdraw } from './helpers.ts';

const counted = { statements: 0, rows: 0, transactions: 0 };
// Before any server prepares a statement, for the server binds its methods then.
const statement = Object.getPrototypeOf(new SQLite(':memory:').prepare('select 1')) as SQLite.Statement;
const { all, run } = statement;
statement.all = function count(this: SQLite.Statement, ...values: unknown[]) {
  const rows = all.apply(this, values);
  counted.statements += 1;
  counted.rows += rows.length;
  return rows;
};
statement.run = function count(this: SQLite.Statement, ...values: unknown[]) {
  if (this.source.startsWith('begin')) counted.transactions += 1;
  return run.apply(this, values);
};

// Anyone may send any number of records of one subject, so no request may cost more the more there are.
test('a subject with 10,000 records costs each operation the statements and rows of one with 300', async () => {
  await using server = await startTestServer('sqlite', {
    SVC_LIMIT_CAPTURE_NOTICE: '1000',
    SVC_LIMIT_CAPTURE_CLIENT: '1000',
  });
  const notice = await server.createNotice();
  const fill = async (subjectId: string, count: number) => {
    payload(await capture(server, notice, { subjectId }));
    await appendDrafts(server, notice, subjectId, count);
  };
  const subjects = ['other', 'short', 'long'] as const;
  await fill('other', 300);
  await fill('short', 300);
  await fill('long', 10_000);
  const refusal = { necessary: true, analytics: false, marketing: false };
  const path = (subjectId: string) => `/v1/consent/subjects/${subjectId}`;
  const read = (address: string) => server.request('GET', address);
  const originals = new Map<string, string>();
  for (const subjectId of subjects)
    originals.set(subjectId, payload(await capture(server, notice, { subjectId, purposes: allGranted })).id);
  const operations: Readonly<Record<string, (subjectId: string) => Promise<TestResponse>>> = {
    'public capture': (subjectId) => visit(server, notice, { subjectId }),
    'public capture of a past decision': (subjectId) =>
      visit(server, notice, { subjectId, purposes: refusal, capturedAt: '2026-11-20T11:00:00Z' }),
    'public capture from another site': (subjectId) =>
      visit(server, notice, { subjectId }, { Origin: 'https://a.test' }),
    capture: (subjectId) => capture(server, notice, { subjectId, purposes: { marketing: false } }),
    withdrawal: (subjectId) => withdraw(server, notice, originals.get(subjectId) as string),
    decision: (subjectId) => decide(server, { subjectId, purpose: 'analytics' }),
    'first page': (subjectId) => read(path(subjectId)),
    'later page': async (subjectId) =>
      read(`${path(subjectId)}?cursor=${payload(await read(path(subjectId)), 200).nextCursor}`),
  };
  for (const [name, operation] of Object.entries(operations)) {
    // The first of its kind stores the template that the others share.
    await operation('other');
    const [short, long] = [await countWork(() => operation('short')), await countWork(() => operation('long'))];
    assert.deepEqual(long, short, name);
    assert.ok(long.rows < 400, `${name}: ${long.rows} rows`);
  }
});

// A late retry must not restore purposes that were refused since, so the records since are checked: at most so many.
test('a withdrawal of the oldest of 10,000 records looks at no more than 500 of them', async () => {
  await using server = await startTestServer('sqlite');
  const notice = await server.createNotice();
  const oldest = payload(await capture(server, notice, { purposes: allGranted }));
  await appendDrafts(server, notice, oldest.subjectId, 10_000);
  const { status, rows } = await countWork(() => withdraw(server, notice, oldest.id));
  assert.equal(status, 201);
  assert.ok(rows > 500 && rows < 600, `${rows} rows`);
});

// SQLite has one writer: a request that is refused must not make others wait for it.
test('a capture that its notice refuses opens no transaction', async () => {
  await using server = await startTestServer('sqlite');
  const notice = await server.createNotice();
  const draft = await server.createNotice({ publish: false });
  const unknown = { purposes: { telemetry: true } };
  const late = { capturedAt: '2999-01-01T00:00:00Z' };
  const operations: readonly (readonly [status: number, send: () => Promise<TestResponse>])[] = [
    [403, () => visit(server, notice, {}, { Origin: 'https://a.test' })],
    [422, () => visit(server, notice, unknown)],
    [422, () => visit(server, notice, { noticeVersion: 2 })],
    [422, () => visit(server, notice, late)],
    [422, () => visit(server, notice, { shownHash: '0'.repeat(64) })],
    [409, () => visit(server, draft)],
    [404, () => visit(server, unknownId)],
    [422, () => capture(server, notice, unknown)],
    [422, () => capture(server, notice, late)],
    [409, () => capture(server, draft)],
    [404, () => capture(server, unknownId)],
    [422, () => decide(server, { purpose: 'telemetry' })],
    [422, () => decide(server, { purpose: 'telemetry', noticeId: notice })],
  ];
  for (const [status, send] of operations) {
    const work = await countWork(send);
    assert.deepEqual([work.status, work.transactions], [status, 0], send.toString());
  }
  assert.equal((await countWork(() => visit(server, notice))).transactions, 1);
});

/** Appends records of a subject to both spaces in turn. */
function appendDrafts(server: TestServer, noticeId: string, subjectId: string, count: number): Promise<unknown> {
  const draft = (space: 'api' | 'public'): RecordDraft => ({
    ...{ id: newId(), tenantId: server.tenant.id, noticeId, noticeVersion: 1, noticeContentHash: '0'.repeat(64) },
    ...{ subjectId, subjectChannel: null, kind: 'capture', withdrawsRecordId: null, method: null },
    ...{ purposes: allGranted, otherPurposes: {}, source: space, space, ipHash: null, uaHash: null },
    capturedAt: '2026-11-20T12:00:00.000Z',
  });
  return runTransaction(server.installation.database, server.clock.now(), (tx) =>
    appendRecords(tx, Array.from({ length: count / 2 }, () => [draft('api'), draft('public')]).flat()),
  );
}

function decide(server: TestServer, body: object): Promise<TestResponse> {
  const headers = { 'Idempotency-Key': randomUUID() };
  return server.request('POST', '/v1/consent', { body: { subjectId: 'subject-1', granted: true, ...body }, headers });
}

// The hashes of a version are in memory with it.
test('a capture that names what was shown runs the statements of one that does not', async () => {
  await using server = await startTestServer('sqlite');
  const notice = await server.createNotice();
  const readShown = async () => {
    const [{ shown }] = payload(await server.request('GET', `/v1/consent/${notice}/versions`), 200).items;
    return shown.en;
  };
  const first = await readShown();
  payload(await server.request('PATCH', `/v1/consent/${notice}`, { body: { name: 'Renamed' } }), 200);
  payload(await server.request('POST', `/v1/consent/${notice}/publish`), 200);
  const second = await readShown();
  let visitors = 0;
  const count = async (body: object) => {
    visitors += 1;
    const { status, statements } = await countWork(() => visit(server, notice, { subjectId: `${visitors}`, ...body }));
    assert.equal(status, 201);
    return statements;
  };
  const older = { shownHash: first, noticeVersion: 1 };
  for (const body of [{}, older]) await count(body);
  const plain = await count({});
  for (const body of [{ shownHash: second, region: 'DE' }, older, { shownHash: 'unverified', language: 'en' }])
    assert.equal(await count(body), plain, JSON.stringify(body));
});

/** Counts the statements that SQLite runs meanwhile, and the rows that it gives. */
async function countWork(send: () => Promise<TestResponse>) {
  const before = { ...counted };
  const { status } = await send();
  return {
    status,
    statements: counted.statements - before.statements,
    rows: counted.rows - before.rows,
    transactions: counted.transactions - before.transactions,
  };
}
