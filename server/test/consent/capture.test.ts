import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allGranted,
  assertBodiesRefused,
  assertNothingWritten,
  assertProblem,
  capture,
  createFreshTenant,
  describeServer,
  payload,
  readEvents,
} from './helpers.ts';

const text = (length: number) => 'x'.repeat(length);

describeServer('POST /v1/consent/{id}/records', (server) => {
  test('appends a record that can be read back', async () => {
    const tenant = await createFreshTenant(server);
    const notice = await server.createNotice({ key: tenant.key });
    const body = { subjectId: 'subject-1', subjectChannel: 'email', method: 'checkbox', purposes: { analytics: true } };
    const created = await capture(server, notice, body, { key: tenant.key });
    const { id, noticeContentHash, ledgerHash, salt, ...record } = payload(created);
    assert.match(ledgerHash, /^sha256:[0-9a-f]{64}$/);
    assert.match(salt, /^[A-Za-z0-9_-]{22}$/);
    assert.deepEqual(record, {
      ...body,
      noticeId: notice,
      noticeVersion: 1,
      kind: 'capture',
      withdrawsRecordId: null,
      otherPurposes: {},
      language: null,
      shownHash: null,
      region: null,
      basis: null,
      source: 'api',
      space: 'api',
      ipHash: null,
      uaHash: null,
      capturedAt: server.clock.now(),
      recordedAt: server.clock.now(),
      sequence: 1,
      prevLedgerHash: null,
      erasedAt: null,
    });
    const versions = await server.request('GET', `/v1/consent/${notice}/versions`, { key: tenant.key });
    assert.equal(noticeContentHash, payload(versions, 200).items[0].contentHash);
    const read = await server.request('GET', `/v1/consent/${notice}/records/${id}`, { key: tenant.key });
    assert.deepEqual(read.body, created.body);
  });

  test('chains each record to the previous one and appends to the audit log', async () => {
    const tenant = await createFreshTenant(server);
    const notice = await server.createNotice({ key: tenant.key });
    const first = payload(await capture(server, notice, {}, { key: tenant.key }));
    const second = payload(await capture(server, notice, { subjectId: 'subject-2' }, { key: tenant.key }));
    assert.deepEqual([second.sequence, second.prevLedgerHash], [2, first.ledgerHash]);
    const event = (await readEvents(server, tenant)).at(-1);
    assert.deepEqual([event.action, event.targetId, event.targetRef], ['consent.recorded', second.id, notice]);
    assert.deepEqual(event.diff, { sequence: 2, purposes: second.purposes, ledgerHash: second.ledgerHash });
  });

  test('stores omitted fields as null', async () => {
    const notice = await server.createNotice();
    const { subjectChannel, method, ipHash, uaHash } = payload(await capture(server, notice));
    assert.deepEqual([subjectChannel, method, ipHash, uaHash], [null, null, null, null]);
  });

  test('accepts every specified value, and both limits of the lengths', async () => {
    const notice = await server.createNotice();
    const bodies = [
      ...['email', 'phone', 'subject_id'].map((subjectChannel) => ({ subjectChannel })),
      ...['banner', 'modal', 'inline', 'checkbox', 'double_opt_in', 'verbal_recorded'].map((method) => ({ method })),
      ...['x', text(256), '👩‍👩‍👧/%2F ?#"\\', "'; drop table consent_records; --", '../..', ' '].map((subjectId) => ({
        subjectId,
      })),
      { purposes: { analytics: false } },
      { purposes: { necessary: true } },
      { purposes: allGranted },
    ];
    for (const body of bodies) {
      const record = payload(await capture(server, notice, body));
      assert.deepEqual(record, { ...record, ...body });
    }
    for (const body of [{ ip: '', ua: '' }, { ip: text(256), ua: text(4096) }, { ip: 'not an address' }]) {
      assert.match(payload(await capture(server, notice, body)).ipHash, /^[0-9a-f]{64}$/);
    }
  });

  test('stores the version that was published when the subject decided', async () => {
    const notice = await server.createNotice();
    const first = payload(await capture(server, notice));
    await server.request('PATCH', `/v1/consent/${notice}`, { body: { name: 'Shop' } });
    assert.equal(payload(await capture(server, notice)).noticeVersion, 1);
    await server.request('POST', `/v1/consent/${notice}/publish`);
    const later = payload(await capture(server, notice));
    assert.equal(later.noticeVersion, 2);
    assert.notEqual(later.noticeContentHash, first.noticeContentHash);
  });

  test('converts capturedAt with any offset to UTC with milliseconds', async () => {
    const notice = await server.createNotice();
    const times = {
      '2026-11-21T05:29:00Z': '2026-11-21T05:29:00.000Z',
      '2026-11-21t05:29:00z': '2026-11-21T05:29:00.000Z',
      '2026-11-21t05:29:00.5+05:30': '2026-11-20T23:59:00.500Z',
      '2026-11-21T05:29:00.5Z': '2026-11-21T05:29:00.500Z',
      '2026-11-21T05:29:00.123999Z': '2026-11-21T05:29:00.123Z',
      '2026-11-21T05:29:00.123+05:30': '2026-11-20T23:59:00.123Z',
      '2026-11-21T05:29:00-00:00': '2026-11-21T05:29:00.000Z',
      '2025-12-31T23:00:00-02:00': '2026-01-01T01:00:00.000Z',
      '2024-02-29T12:00:00Z': '2024-02-29T12:00:00.000Z',
      '2000-01-01T00:00:00Z': '2000-01-01T00:00:00.000Z',
      '2026-11-21T12:05:00Z': '2026-11-21T12:05:00.000Z',
    };
    for (const [given, stored] of Object.entries(times)) {
      assert.equal(payload(await capture(server, notice, { capturedAt: given })).capturedAt, stored);
    }
  });

  test('rejects invalid times', async () => {
    const notice = await server.createNotice();
    const times = [
      '',
      'now',
      '2026-11-21',
      '2026-11-21T05:29:00',
      '2026-11-21 05:29:00Z',
      '2026-11-21T05:29Z',
      '2026-02-30T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-11-21T24:00:00Z',
      '2026-11-21T05:29:00+24:00',
      '2026-11-21T05:29:00+0200',
      '+012026-11-21T05:29:00Z',
      '0000-01-01T00:00:00+01:00',
      '9999-12-31T23:59:59-01:00',
      1_795_246_140_000,
      null,
    ];
    const cases = times.map((capturedAt) => [{ capturedAt }, 'body.capturedAt'] as const);
    await assertBodiesRefused(server, (body) => capture(server, notice, body as object), cases);
  });

  test('rejects missing, unknown and invalid fields, and names them', async () => {
    const notice = await server.createNotice();
    const decision = { subjectId: 'subject-1', purposes: { analytics: true } };
    await assertBodiesRefused(server, (body) => capture(server, notice, {}, { body }), [
      [undefined, 'body'],
      [null, 'body'],
      [[decision], 'body'],
      ['text', 'body'],
      [{}, 'body.subjectId', 'body.purposes'],
      [{ purposes: decision.purposes }, 'body.subjectId'],
      [{ subjectId: 'subject-1' }, 'body.purposes'],
      [{ ...decision, subjectId: '' }, 'body.subjectId'],
      [{ ...decision, subjectId: text(257) }, 'body.subjectId'],
      [{ ...decision, subjectId: 7 }, 'body.subjectId'],
      [{ ...decision, subjectId: null }, 'body.subjectId'],
      [{ ...decision, subjectId: 'a\0b' }, 'body.subjectId'],
      [{ ...decision, subjectId: '\udfff' }, 'body.subjectId'],
      [{ ...decision, subjectChannel: 'Email' }, 'body.subjectChannel'],
      [{ ...decision, subjectChannel: null }, 'body.subjectChannel'],
      [{ ...decision, method: 'popup' }, 'body.method'],
      [{ ...decision, method: '' }, 'body.method'],
      [{ ...decision, ip: 1, ua: false }, 'body.ip', 'body.ua'],
      [{ ...decision, ip: text(257), ua: text(4097) }, 'body.ip', 'body.ua'],
      [{ ...decision, noticeVersion: 1, id: 'x' }, 'body.noticeVersion', 'body.id'],
      [{ ...decision, recordedAt: '2026-11-21T05:29:00Z', source: 'public' }, 'body.recordedAt', 'body.source'],
    ]);
  });

  test('rejects purposes that are not booleans, unknown, or required and refused', async () => {
    const notice = await server.createNotice();
    await assertBodiesRefused(server, (purposes) => capture(server, notice, { purposes }), [
      [{}, 'body.purposes'],
      [null, 'body.purposes'],
      [[], 'body.purposes'],
      [['analytics'], 'body.purposes'],
      ['analytics', 'body.purposes'],
      [true, 'body.purposes'],
      [{ analytics: 'true' }, 'body.purposes.analytics'],
      [{ analytics: 1, marketing: null }, 'body.purposes.analytics', 'body.purposes.marketing'],
      [{ analytics: { granted: true } }, 'body.purposes.analytics'],
      [{ telemetry: true }, 'body.purposes.telemetry'],
      [{ Analytics: true }, 'body.purposes.Analytics'],
      [{ analytics: true, toString: true, '': false }, 'body.purposes.toString', 'body.purposes.'],
      [{ necessary: false }, 'body.purposes.necessary'],
      [{ necessary: false, telemetry: true }, 'body.purposes.necessary', 'body.purposes.telemetry'],
    ]);
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
        const refused = await capture(server, notice);
        assertProblem(refused, '409 consent_notice_not_published');
        const { error } = refused.body;
        assert.deepEqual([error.requiredStatus, error.actualStatus], ['published', actualStatus]);
      }
    });
  });
});
