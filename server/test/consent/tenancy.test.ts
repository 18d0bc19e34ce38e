import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { RequestOptions, TestTenant } from '../harness.ts';
import { deleteRow, insertRow, readRows } from '../ledger/tamper.ts';
import {
  assertNothingWritten,
  assertProblem,
  capture,
  createFreshTenant,
  describeServerOnEachDatabase,
  payload,
} from './helpers.ts';

describeServerOnEachDatabase('consent of another tenant', (server) => {
  let owner: TestTenant;
  let stranger: TestTenant;
  let notice: string;
  let record: string;
  before(async () => {
    [owner, stranger] = [await createFreshTenant(server), await createFreshTenant(server)];
    notice = await server.createNotice({ key: owner.key });
    record = payload(await capture(server, notice, { subjectId: 'person' }, { key: owner.key })).id;
  });

  const body = { subjectId: 'person', purposes: { analytics: true } };

  test('has no notice of the same id: the owner keeps it, and visitors get neither', async () => {
    const { database } = server.installation;
    const twin = await server.createNotice({ key: owner.key });
    const [row] = (await readRows(database, 'consent_notices')).filter(({ id }) => id === twin);
    await insertRow(database, 'consent_notices', { ...row, tenant_id: stranger.id });
    const visitor = { key: null, headers: { Origin: 'https://example.com' } };
    assert.equal((await server.request('GET', `/v1/public/consent/${twin}`, visitor)).status, 500);
    const sent = { ...visitor, body: { ...body, subjectId: 'visitor', method: 'banner' } };
    assert.equal((await server.request('POST', `/v1/public/consent/${twin}/records`, sent)).status, 500);
    payload(await capture(server, twin, { subjectId: 'person' }, { key: owner.key }));
    assert.equal((await server.request('GET', `/v1/consent/${twin}`, { key: owner.key })).body.data.recordCount, 1);
    await deleteRow(database, 'consent_notices', { ...row, tenant_id: stranger.id });
    assert.equal((await server.request('GET', `/v1/public/consent/${twin}`, visitor)).status, 200);
  });

  test('is no place to find a record of one’s own notice', async () => {
    const own = await server.createNotice({ key: stranger.key });
    const options: RequestOptions = { key: stranger.key };
    assertProblem(await server.request('GET', `/v1/consent/${own}/records/${record}`, options), '404 not_found');
    const withdrawal = { ...options, body: {}, headers: { 'Idempotency-Key': 'tenancy-withdrawal' } };
    const path = `/v1/consent/${own}/records/${record}/withdrawals`;
    await assertNothingWritten(server, async () =>
      assertProblem(await server.request('POST', path, withdrawal), '404 not_found'),
    );
  });

  test('takes no decisions, whether its notice is named or looked for', async () => {
    const { key } = await createFreshTenant(server);
    const decision = { subjectId: 'person', purpose: 'analytics', granted: true };
    await assertNothingWritten(server, async () => {
      const named = await server.request('POST', '/v1/consent', { key, body: { ...decision, noticeId: notice } });
      assertProblem(named, '404 not_found');
      const found = await server.request('POST', '/v1/consent', { key, body: decision });
      assertProblem(found, '422 validation_failed', ['body.purpose']);
    });
  });

  test('is in no list', async () => {
    const { key } = await createFreshTenant(server);
    assert.equal(payload(await server.request('GET', '/v1/consent', { key }), 200).page.total, 0);
    assert.equal(payload(await server.request('GET', '/v1/consent?domain=example.com', { key }), 200).page.total, 0);
    for (const path of ['/v1/consent/person', '/v1/consent/subjects/person']) {
      assertProblem(await server.request('GET', path, { key }), '404 not_found');
    }
  });

  test('keeps a subject of the same name apart', async () => {
    const own = await server.createNotice({ key: stranger.key });
    const mine = payload(await capture(server, own, { subjectId: 'person' }, { key: stranger.key }));
    const ledger = payload(await server.request('GET', '/v1/consent/person', { key: stranger.key }), 200);
    assert.deepEqual(ledger.items, [mine]);
    assert.deepEqual(
      ledger.state.api.map(({ noticeId }: { noticeId: string }) => noticeId),
      [own],
    );
  });
});
