import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as web from '../../../packages/node-sdk/src/ledger/browser.ts';
import * as node from '../../../packages/node-sdk/src/ledger/index.ts';
import { payload } from '../consent/helpers.ts';
import { describeOnEachDatabase, startTestServer, type TestServer } from '../harness.ts';
import { runVerify } from './fixture.ts';
import { readRows } from './tamper.ts';

const subject = 'jane.doe@example.com';
const values = ['subject_id', 'ip_hash', 'ua_hash', 'salt'] as const;

describeOnEachDatabase('the openings of consent records', (dialect) => {
  let server: TestServer;
  let publicKey: string;
  let noticeId: string;
  let tenantId: string;
  const rows = () => readRows(server.installation.database, 'consent_records');
  const get = async (path: string) => payload(await server.request('GET', path), 200);
  const exportConsent = async () => (await server.request('GET', '/v1/ledgers/consent/export')).text;

  before(async () => {
    server = await startTestServer(dialect);
    publicKey = server.installation.signer.verifierKey;
    tenantId = server.tenant.id;
    noticeId = await server.createNotice();
    for (const [index, ua] of [undefined, 'Device'].entries()) {
      const body = { subjectId: subject, ip: '192.0.2.1', ...(ua && { ua }), purposes: { analytics: index === 0 } };
      const headers = { 'Idempotency-Key': `capture-${index}` };
      payload(await server.request('POST', `/v1/consent/${noticeId}/records`, { headers, body }));
    }
    payload(await server.request('POST', '/v1/ledgers/consent/checkpoints'));
  });
  after(() => server[Symbol.asyncDispose]());

  const codeOf = async (found: Promise<unknown>) =>
    found.then(
      () => null,
      (error: unknown) => (error as node.LedgerVerificationError).code,
    );

  test('no entry has a value of them, and each record has a salt of its own', async () => {
    const stored = await rows();
    assert.equal(stored.length, 2);
    for (const row of stored) {
      assert.equal(row.subject_id, subject);
      for (const column of values)
        if (row[column] !== null) assert.ok(!String(row.entry).includes(String(row[column])), column);
    }
    assert.equal(new Set(stored.map(({ salt }) => salt)).size, 2);
    assert.equal((await runVerify(server.installation)).code, 0);
  });

  test('records, proofs and exports verify with them', async () => {
    const records = (await get(`/v1/consent/${noticeId}/records`)).data;
    const proof = await get('/v1/ledgers/consent/inclusion-proof?sequence=1');
    assert.deepEqual(
      proof.openings.map(({ path }: node.Opening) => path),
      ['ipHash', 'subjectId'],
    );
    for (const verifier of [node, web]) {
      assert.deepEqual(await verifier.verifyRecords(records, { tenantId }), { rows: 2, hashed: 2, linked: 1 });
      const { entry } = await verifier.verifyInclusion({ hash: records[1].ledgerHash, proof, publicKey });
      assert.deepEqual(entry, proof.entry);
      const { entries, closed } = await verifier.verifyExport(await exportConsent(), { publicKey });
      assert.deepEqual([entries, closed], [2, 0]);
    }
  });

  test('proofs and exports verify without them, and the export counts the records that lack theirs', async () => {
    const proof = await get('/v1/ledgers/consent/inclusion-proof?sequence=2');
    const file = (await exportConsent()).replace(/(.*)"openings":\[\{.*?\}\]\}/s, '$1"openings":[]}');
    for (const verifier of [node, web]) {
      await verifier.verifyInclusion({ hash: proof.hash, proof: { ...proof, openings: [] }, publicKey });
      assert.equal((await verifier.verifyExport(file, { publicKey })).closed, 1);
    }
  });

  test('fail where one does not match the commitment', async () => {
    const proof = await get('/v1/ledgers/consent/inclusion-proof?sequence=2');
    const openings = proof.openings as node.Opening[];
    const [first, second] = openings as [node.Opening, node.Opening];
    const wrong = [
      openings.with(0, { ...first, value: `${first.value}x` }),
      openings.with(0, { ...first, salt: 'A'.repeat(22) }),
      openings.with(0, { ...first, salt: '' }),
      openings.with(0, { ...first, path: second.path }),
      openings.with(0, { ...first, path: 'method' }),
      [...openings, first],
      openings.slice(1),
    ];
    const text = JSON.stringify(openings);
    const file = await exportConsent();
    assert.ok(file.includes(text));
    for (const verifier of [node, web])
      for (const changed of wrong) {
        const what = JSON.stringify(changed);
        const included = verifier.verifyInclusion({
          hash: proof.hash,
          proof: { ...proof, openings: changed },
          publicKey,
        });
        assert.equal(await codeOf(included), 'opening_mismatch', what);
        const exported = verifier.verifyExport(file.replace(text, what), { publicKey });
        assert.equal(await codeOf(exported), 'opening_mismatch', what);
      }
    const entry = { ...proof.entry, method: 'modal' };
    const other = node.verifyInclusion({ hash: proof.hash, proof: { ...proof, entry }, publicKey });
    assert.equal(await codeOf(other), 'hash_mismatch');
  });

  test('can be changed only by clearing all of a record at once', async () => {
    const { kysely } = server.installation.database;
    const before = await rows();
    const update = kysely.updateTable('consent_records').where('sequence', '=', 1);
    const erased = { subject_id: null, ip_hash: null, ua_hash: null, salt: null, erased_at: server.clock.now() };
    for (const change of [
      { ...erased, subject_id: 'other' },
      { ...erased, salt: 'A'.repeat(22) },
      { subject_id: null },
      { erased_at: server.clock.now() },
      { ...erased, space: 'public' },
      { ...erased, sequence: 9 },
      { ...erased, hash: 'f'.repeat(64) },
      { ...erased, subject_commitment: 'f'.repeat(64) },
    ])
      await assert.rejects(update.set(change).execute(), /append-only/, JSON.stringify(change));
    assert.deepEqual(await rows(), before);
    await update.set(erased).execute();
    await assert.rejects(update.set({ ...erased, erased_at: null }).execute(), /append-only/);
    const [row] = await rows();
    assert.deepEqual({ ...row }, { ...before[0], ...erased });
    const [record] = (await get(`/v1/consent/${noticeId}/records`)).data.toReversed();
    assert.deepEqual(
      [record.subjectId, record.ipHash, record.uaHash, record.salt, record.erasedAt],
      [null, null, null, null, erased.erased_at],
    );
    for (const { verifyRecords } of [node, web])
      assert.deepEqual(await verifyRecords([record], { tenantId }), { rows: 1, hashed: 0, linked: 0 });
    const refused = await server.request('POST', `/v1/consent/${noticeId}/records/${record.id}/withdrawals`, {
      headers: { 'Idempotency-Key': 'withdraw-1' },
      body: {},
    });
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'record_erased']);
  });
});
