import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noticeContent } from '../harness.ts';
import {
  allGranted,
  assertBodiesRefused,
  assertNothingWritten,
  assertProblem,
  createFreshTenant,
  describeServer,
  payload,
  readEvents,
  unknownId,
  visit,
} from './helpers.ts';

const text = (length: number) => 'x'.repeat(length);

describeServer('POST /v1/public/consent/{noticeId}/records', (server) => {
  const readRecord = async (notice: string, id: string) =>
    payload(await server.request('GET', `/v1/consent/${notice}/records/${id}`), 200);

  test('returns the proof of the record, and no more', async () => {
    const notice = await server.createNotice();
    const purposes = { necessary: true, analytics: false, marketing: true };
    const answer = await visit(server, notice, { purposes, method: 'banner' });
    const { id, noticeContentHash, ledgerHash, prevLedgerHash, salt, ...rest } = payload(answer);
    assert.deepEqual(rest, {
      noticeId: notice,
      noticeVersion: 1,
      subjectId: 'visitor-1',
      method: 'banner',
      purposes,
      language: null,
      shownHash: null,
      region: null,
      basis: { necessary: 'exempt', analytics: 'consent', marketing: 'consent' },
      capturedAt: server.clock.now(),
      recordedAt: server.clock.now(),
    });
    assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    const record = await readRecord(notice, id);
    assert.deepEqual([record.source, record.subjectChannel], ['public', null]);
    const proof = { noticeContentHash, ledgerHash, prevLedgerHash, salt };
    assert.deepEqual(record, { ...record, ...proof });
    assert.match(record.ipHash, /^[0-9a-f]{64}$/);
    assert.match(record.uaHash, /^[0-9a-f]{64}$/);
  });

  test('does not reveal whether the subject had decided before', async () => {
    const notice = await server.createNotice();
    const refused = { ...allGranted, analytics: false };
    payload(await visit(server, notice));
    const again = payload(await visit(server, notice, { purposes: refused }));
    assert.equal((await readRecord(notice, again.id)).kind, 'withdrawal');
    const first = payload(await visit(server, notice, { subjectId: 'new-subject', purposes: refused }));
    const { noticeVersion, method, purposes, capturedAt, recordedAt, noticeContentHash } = again;
    const known = { noticeVersion, method, purposes, capturedAt, recordedAt, noticeContentHash };
    assert.deepEqual(first, { ...first, ...known });
    assert.deepEqual(Object.keys(first), Object.keys(again));
  });

  test('links the record to the audit log', async () => {
    const tenant = await createFreshTenant(server);
    const notice = await server.createNotice({ key: tenant.key });
    const { ledgerHash } = payload(await visit(server, notice));
    const event = (await readEvents(server, tenant)).at(-1);
    assert.deepEqual([event.action, event.actorType, event.targetId], ['consent.recorded', 'system', notice]);
    assert.deepEqual(event.diff, { records: 1, withdrawals: 0, firstSequence: 1, lastSequence: 1, ledgerHash });
  });

  test('ignores an API key and an Idempotency-Key', async () => {
    const notice = await server.createNotice();
    const headers = { Authorization: 'Bearer nonsense', 'Idempotency-Key': 'x' };
    const ids = [await visit(server, notice, {}, headers), await visit(server, notice, {}, headers)];
    assert.equal(new Set(ids.map((answer) => payload(answer).id)).size, 2);
  });

  test('accepts any text as the method, and both limits of the lengths', async () => {
    const notice = await server.createNotice();
    const methods = ['phone', 'x', text(64), '<b>"\'\\ 💥'].map((method) => ({ method }));
    const subjects = ['x', text(256), '../%2F\u202e', 'constructor'].map((subjectId) => ({ subjectId }));
    for (const body of [...methods, ...subjects]) {
      const record = payload(await visit(server, notice, body));
      assert.deepEqual(record, { ...record, ...body });
    }
    assert.equal(payload(await visit(server, notice)).method, null);
  });

  test('accepts the time of the visitor with any offset, and defaults to its own', async () => {
    const notice = await server.createNotice();
    const late = payload(await visit(server, notice, { capturedAt: '2026-11-20T23:30:00.5-05:00' }));
    assert.deepEqual([late.capturedAt, late.recordedAt], ['2026-11-21T04:30:00.500Z', server.clock.now()]);
    assert.equal(payload(await visit(server, notice)).capturedAt, server.clock.now());
  });

  test('requires a choice for every purpose, no refused required one, and no unknown one', async () => {
    const notice = await server.createNotice();
    const { necessary: _, ...withoutRequired } = allGranted;
    await assertBodiesRefused(server, (purposes) => visit(server, notice, { purposes }), [
      [{}, 'body.purposes.necessary', 'body.purposes.analytics', 'body.purposes.marketing'],
      [{ necessary: true, analytics: true }, 'body.purposes.marketing'],
      [withoutRequired, 'body.purposes.necessary'],
      [{ ...allGranted, necessary: false }, 'body.purposes.necessary'],
      [{ ...allGranted, telemetry: true }, 'body.purposes.telemetry'],
      [{ ...allGranted, toString: true }, 'body.purposes.toString'],
      [{ ...allGranted, analytics: 'yes' }, 'body.purposes.analytics'],
      [{ ...allGranted, analytics: null }, 'body.purposes.analytics'],
      [Object.keys(allGranted), 'body.purposes'],
      [null, 'body.purposes'],
      ['necessary', 'body.purposes'],
    ]);
  });

  test('rejects missing, unknown and invalid fields, and names them', async () => {
    const notice = await server.createNotice();
    const path = `/v1/public/consent/${notice}/records`;
    const headers = { Origin: 'https://example.com' };
    const decision = { subjectId: 'visitor-1', purposes: allGranted };
    await assertBodiesRefused(server, (body) => server.request('POST', path, { key: null, body, headers }), [
      [undefined, 'body'],
      [null, 'body'],
      [[], 'body'],
      [{}, 'body.subjectId', 'body.purposes'],
      [{ ...decision, subjectId: '' }, 'body.subjectId'],
      [{ ...decision, subjectId: text(257) }, 'body.subjectId'],
      [{ ...decision, subjectId: 1 }, 'body.subjectId'],
      [{ ...decision, method: '' }, 'body.method'],
      [{ ...decision, method: text(65) }, 'body.method'],
      [{ ...decision, method: null }, 'body.method'],
      [{ ...decision, capturedAt: '21 Nov 2026' }, 'body.capturedAt'],
      [{ ...decision, ip: '203.0.113.7', ua: 'x' }, 'body.ip', 'body.ua'],
      [{ ...decision, subjectChannel: 'email' }, 'body.subjectChannel'],
    ]);
  });

  test('stores the version that the visitor saw, whose purposes apply', async () => {
    const notice = await server.createNotice();
    const purposes = noticeContent.purposes.slice(0, 2);
    await server.request('PATCH', `/v1/consent/${notice}`, { body: { purposes } });
    await server.request('POST', `/v1/consent/${notice}/publish`);
    const current = { necessary: true, analytics: true };
    assert.equal(payload(await visit(server, notice, { purposes: current })).noticeVersion, 2);
    assert.equal(payload(await visit(server, notice, { purposes: current, noticeVersion: 2 })).noticeVersion, 2);
    const { id } = payload(await visit(server, notice, { noticeVersion: 1 }));
    const versions = payload(await server.request('GET', `/v1/consent/${notice}/versions`), 200).items;
    assert.equal((await readRecord(notice, id)).noticeContentHash, versions[1].contentHash);
    await assertBodiesRefused(server, (body) => visit(server, notice, body as object), [
      [{ noticeVersion: 2 }, 'body.purposes.marketing'],
      [{ noticeVersion: 1, purposes: current }, 'body.purposes.marketing'],
    ]);
  });

  test('rejects versions that were never published', async () => {
    const notice = await server.createNotice();
    const versions = [0, 2, -1, 1.5, '1', null, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER, 1e300];
    const cases = versions.map((noticeVersion) => [{ noticeVersion }, 'body.noticeVersion'] as const);
    await assertBodiesRefused(server, (body) => visit(server, notice, body as object), cases);
  });

  test('requires a published notice and returns the actual status', async () => {
    const draft = await server.createNotice({ publish: false });
    const archived = await server.createNotice();
    await server.request('POST', `/v1/consent/${archived}/archive`);
    await assertNothingWritten(server, async () => {
      for (const [notice, actualStatus] of [
        [draft, 'draft'],
        [archived, 'archived'],
      ] as const) {
        const refused = await visit(server, notice);
        assertProblem(refused, '409 consent_notice_not_published');
        const { error } = refused.body;
        assert.deepEqual([error.requiredStatus, error.actualStatus], ['published', actualStatus]);
      }
    });
  });

  test('accepts the id of the notice in any case', async () => {
    const notice = await server.createNotice();
    assert.equal(payload(await visit(server, notice.toUpperCase())).noticeId, notice);
  });

  test('returns 404 for notices that are unknown or have an invalid id', async () => {
    await assertNothingWritten(server, async () => {
      for (const id of [unknownId, 'not-a-uuid', "'%20or%201=1--"])
        assertProblem(await visit(server, id), '404 not_found');
    });
  });
});
