import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noticeContent } from '../harness.ts';
import {
  allGranted,
  assertBodiesRefused,
  assertNothingWritten,
  assertProblem,
  capture,
  describeServer,
  payload,
  withdraw,
} from './helpers.ts';

describeServer('POST /v1/consent/{id}/records/{recordId}/withdrawals', (server) => {
  const grant = async (notice: string, purposes: object = allGranted) =>
    payload(await capture(server, notice, { purposes, subjectChannel: 'email', method: 'modal', ip: '203.0.113.7' }));

  test('appends a record that names the original and withdraws all optional purposes', async () => {
    const notice = await server.createNotice();
    const original = await grant(notice);
    server.clock.advance(1000);
    const { id, ledgerHash, salt, ...withdrawal } = payload(await withdraw(server, notice, original.id));
    assert.notEqual(id, original.id);
    assert.notEqual(ledgerHash, original.ledgerHash);
    assert.notEqual(salt, original.salt);
    assert.deepEqual(withdrawal, {
      noticeId: notice,
      noticeVersion: 1,
      noticeContentHash: original.noticeContentHash,
      subjectId: original.subjectId,
      subjectChannel: 'email',
      kind: 'withdrawal',
      withdrawsRecordId: original.id,
      method: null,
      purposes: { analytics: false, marketing: false },
      otherPurposes: { necessary: { granted: true, recordId: original.id } },
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
      sequence: original.sequence + 1,
      prevLedgerHash: original.ledgerHash,
      erasedAt: null,
    });
  });

  test('leaves the original as it is, byte for byte', async () => {
    const notice = await server.createNotice();
    const { id } = await grant(notice);
    const read = async () => {
      const answer = await server.request('GET', `/v1/consent/${notice}/records/${id}`);
      const { kysely } = server.installation.database;
      const row = await kysely.selectFrom('consent_records').selectAll().where('id', '=', id).executeTakeFirst();
      return [answer.text, row];
    };
    const before = await read();
    payload(await withdraw(server, notice, id));
    assert.deepEqual(await read(), before);
  });

  test('withdraws only the named purposes, each once', async () => {
    const notice = await server.createNotice();
    const { id } = await grant(notice);
    const body = { purposes: ['marketing', 'marketing'], method: 'inline', capturedAt: '2026-11-21T13:00:00+02:00' };
    const withdrawal = payload(await withdraw(server, notice, id, body));
    assert.deepEqual(withdrawal.purposes, { marketing: false });
    assert.deepEqual([withdrawal.method, withdrawal.capturedAt], ['inline', '2026-11-21T11:00:00.000Z']);
    assert.deepEqual(payload(await withdraw(server, notice, id)).purposes, { analytics: false });
  });

  test('skips withdrawn purposes and is rejected when none is left', async () => {
    const notice = await server.createNotice();
    const { id } = await grant(notice);
    payload(await withdraw(server, notice, id, { purposes: ['analytics'] }));
    const rest = payload(await withdraw(server, notice, id, { purposes: ['analytics', 'marketing'] }));
    assert.deepEqual(rest.purposes, { marketing: false });
    await assertNothingWritten(server, async () => {
      for (const body of [{}, { purposes: ['analytics'] }, { purposes: ['marketing', 'analytics'] }]) {
        assertProblem(await withdraw(server, notice, id, body), '409 consent_already_withdrawn');
      }
    });
  });

  test('is rejected if the record granted no optional purpose', async () => {
    const notice = await server.createNotice();
    const records = [
      await grant(notice, { necessary: true }),
      await grant(notice, { analytics: false }),
      payload(await withdraw(server, notice, (await grant(notice, { marketing: true })).id)),
    ];
    await assertNothingWritten(server, async () => {
      for (const { id } of records) assertProblem(await withdraw(server, notice, id), '409 consent_already_withdrawn');
    });
  });

  test('counts a captured refusal as withdrawn, and a later grant as granted', async () => {
    const notice = await server.createNotice();
    const original = await grant(notice, { analytics: true });
    const refusal = await grant(notice, { analytics: false });
    assert.deepEqual([refusal.kind, refusal.withdrawsRecordId], ['withdrawal', original.id]);
    assertProblem(await withdraw(server, notice, original.id), '409 consent_already_withdrawn');
    const again = await grant(notice, { analytics: true });
    assert.equal(payload(await withdraw(server, notice, again.id)).withdrawsRecordId, again.id);
  });

  test('retried after a newer grant keeps that grant', async () => {
    const notice = await server.createNotice();
    const first = await grant(notice);
    payload(await withdraw(server, notice, first.id, { purposes: ['marketing'] }));
    const again = await grant(notice, { marketing: true });
    await assertNothingWritten(server, async () => {
      const late = await withdraw(server, notice, first.id, { purposes: ['marketing'] });
      assertProblem(late, '409 consent_already_withdrawn');
    });
    const rest = payload(await withdraw(server, notice, first.id));
    assert.deepEqual(rest.purposes, { analytics: false });
    assert.deepEqual(rest.otherPurposes.marketing, { granted: true, recordId: again.id });
    await grant(notice, { analytics: false });
    await grant(notice, { analytics: true });
    assertProblem(await withdraw(server, notice, first.id), '409 consent_already_withdrawn');
    await grant(notice, { marketing: true });
    assert.deepEqual(payload(await withdraw(server, notice, again.id)).purposes, { marketing: false });
  });

  test('works on an archived notice, and on one that was edited since', async () => {
    const notice = await server.createNotice();
    const { id } = await grant(notice);
    const [necessary, ...rest] = noticeContent.purposes;
    const purposes = [necessary, ...rest.map((purpose) => ({ ...purpose, required: true }))];
    await server.request('PATCH', `/v1/consent/${notice}`, { body: { purposes } });
    await server.request('POST', `/v1/consent/${notice}/publish`);
    await server.request('POST', `/v1/consent/${notice}/archive`);
    const withdrawal = payload(await withdraw(server, notice, id));
    assert.deepEqual([withdrawal.noticeVersion, withdrawal.purposes], [1, { analytics: false, marketing: false }]);
  });

  test('finds earlier withdrawals behind any number of later records', async () => {
    const notice = await server.createNotice();
    const subject = { subjectId: 'long history' };
    const { id } = payload(await capture(server, notice, { ...subject, purposes: { analytics: true } }));
    const others = () =>
      Array.from({ length: 60 }, () => capture(server, notice, { ...subject, purposes: { marketing: true } }));
    await Promise.all(others());
    const refusal = payload(await capture(server, notice, { ...subject, purposes: { analytics: false } }));
    assert.deepEqual([refusal.kind, refusal.withdrawsRecordId], ['withdrawal', id]);
    await Promise.all(others());
    assertProblem(await withdraw(server, notice, id), '409 consent_already_withdrawn');
  });

  test('is executed once for concurrent requests', async () => {
    const notice = await server.createNotice();
    const { id } = await grant(notice);
    const answers = await Promise.all(Array.from({ length: 10 }, () => withdraw(server, notice, id)));
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    for (const refused of answers.filter(({ status }) => status !== 201)) {
      assertProblem(refused, '409 consent_already_withdrawn');
    }
  });

  test('rejects purposes that the record did not grant or that are required', async () => {
    const notice = await server.createNotice();
    const { id } = await grant(notice, { necessary: true, analytics: true, marketing: false });
    await assertBodiesRefused(server, (purposes) => withdraw(server, notice, id, { purposes }), [
      [['marketing'], 'body.purposes.0'],
      [['necessary'], 'body.purposes.0'],
      [['analytics', 'telemetry', 'toString'], 'body.purposes.1', 'body.purposes.2'],
      [[], 'body.purposes'],
      [Array.from({ length: 51 }, () => 'analytics'), 'body.purposes'],
      [[''], 'body.purposes.0'],
      [['x'.repeat(65)], 'body.purposes.0'],
      [[1], 'body.purposes.0'],
      ['analytics', 'body.purposes'],
      [{ analytics: false }, 'body.purposes'],
      [null, 'body.purposes'],
    ]);
    await assertBodiesRefused(server, (body) => withdraw(server, notice, id, body), [
      [null, 'body'],
      [[], 'body'],
      [{ subjectId: 'subject-1' }, 'body.subjectId'],
      [{ method: 'phone' }, 'body.method'],
      [{ capturedAt: 'yesterday' }, 'body.capturedAt'],
    ]);
  });

  test('rejects records of another notice', async () => {
    const [notice, other] = [await server.createNotice(), await server.createNotice()];
    const { id } = await grant(notice);
    await assertNothingWritten(server, async () => {
      assertProblem(await withdraw(server, other, id), '404 not_found');
      assertProblem(await withdraw(server, 'x', 'y'), '422 validation_failed', ['path.id', 'path.recordId']);
    });
  });
});
