import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { noticeContent, type RequestOptions } from '../harness.ts';
import {
  assertBodiesRefused,
  assertNothingWritten,
  assertProblem,
  createFreshTenant,
  describeServer,
  payload,
  unknownId,
} from './helpers.ts';

const text = (length: number) => 'x'.repeat(length);
const decision = { subjectId: 'subject-1', purpose: 'analytics', granted: true };

describeServer('POST /v1/consent', (server) => {
  /** A tenant with one published notice: what it asks for is asked for once. */
  const prepare = async () => {
    const { key } = await createFreshTenant(server);
    const notice = await server.createNotice({ key });
    const decide = (body: object = {}, options: RequestOptions = {}) =>
      server.request('POST', '/v1/consent', { key, body: { ...decision, ...body }, ...options });
    const readRecords = async (id = notice) =>
      payload(await server.request('GET', `/v1/consent/${id}/records`, { key }), 200).data;
    return { key, notice, decide, readRecords };
  };

  test('answers with exactly the fields of the overview', async () => {
    const { decide, readRecords } = await prepare();
    const { id, ledgerHash, ...rest } = payload(await decide());
    assert.match(ledgerHash, /^sha256:[0-9a-f]{64}$/);
    assert.deepEqual(rest, { ...decision, recordedAt: server.clock.now(), version: 1 });
    const [record] = await readRecords();
    assert.deepEqual([record.id, record.ledgerHash, record.source], [id, ledgerHash, 'api']);
    assert.deepEqual(record.purposes, { analytics: true });
  });

  test('keeps the evidence as hashes', async () => {
    const { decide, readRecords } = await prepare();
    for (const evidence of [{}, { ip: '203.0.113.9' }, { ip: text(256), ua: text(4096) }]) {
      payload(await decide({ evidence }));
      const [record] = await readRecords();
      assert.equal(record.ipHash === null, !('ip' in evidence));
      assert.equal(record.uaHash === null, !('ua' in evidence));
    }
  });

  test('is a withdrawal when it turns an earlier grant off', async () => {
    const { decide, readRecords } = await prepare();
    const granted = payload(await decide());
    assert.equal(payload(await decide({ granted: false })).granted, false);
    const [withdrawal] = await readRecords();
    assert.deepEqual([withdrawal.kind, withdrawal.withdrawsRecordId], ['withdrawal', granted.id]);
  });

  test('finds the published notice that asks for the purpose', async () => {
    const { key, decide, readRecords } = await prepare();
    const [, analytics] = noticeContent.purposes;
    const content = { purposes: [{ ...analytics, key: 'newsletter' }] };
    const newsletter = await server.createNotice({ key, content });
    await server.createNotice({ key, publish: false });
    const archived = await server.createNotice({ key });
    await server.request('POST', `/v1/consent/${archived}/archive`, { key });
    payload(await decide({ purpose: 'newsletter' }));
    payload(await decide());
    assert.equal((await readRecords(newsletter)).length, 1);
  });

  test('is refused when several notices ask for the purpose, unless one is named', async () => {
    const { key, decide, readRecords } = await prepare();
    const other = await server.createNotice({ key });
    await assertNothingWritten(server, async () => assertProblem(await decide(), '409 conflict'));
    payload(await decide({ noticeId: other }));
    assert.equal((await readRecords(other)).length, 1);
  });

  test('asks what is published, not what is being edited', async () => {
    const { key, notice, decide } = await prepare();
    const purposes = noticeContent.purposes.filter(({ key: name }) => name !== 'analytics');
    await server.request('PATCH', `/v1/consent/${notice}`, { key, body: { purposes } });
    payload(await decide());
    await server.request('POST', `/v1/consent/${notice}/publish`, { key });
    assertProblem(await decide(), '422 validation_failed', ['body.purpose']);
  });

  test('refuses a named notice that is unknown, not published or does not ask for the purpose', async () => {
    const { key, notice, decide } = await prepare();
    const draft = await server.createNotice({ key, publish: false });
    await assertNothingWritten(server, async () => {
      assertProblem(await decide({ noticeId: unknownId }), '404 not_found');
      const refused = await decide({ noticeId: draft });
      assertProblem(refused, '409 consent_notice_not_published');
      assert.equal(refused.body.error.actualStatus, 'draft');
      for (const granted of [true, false]) {
        const unasked = await decide({ noticeId: notice, purpose: 'telemetry', granted });
        assertProblem(unasked, '422 validation_failed', ['body.purpose']);
        assert.match(unasked.body.error.message, /^body\.purpose: /);
      }
    });
  });

  test('refuses what is missing, unknown, of a wrong type or length, and names it', async () => {
    const { key, decide } = await prepare();
    await assertBodiesRefused(server, (body) => server.request('POST', '/v1/consent', { key, body }), [
      [undefined, 'body'],
      [[], 'body'],
      [{}, 'body.subjectId', 'body.purpose', 'body.granted'],
    ]);
    await assertBodiesRefused(server, (body) => decide(body as object), [
      [{ subjectId: '' }, 'body.subjectId'],
      [{ subjectId: text(257) }, 'body.subjectId'],
      [{ purpose: '' }, 'body.purpose'],
      [{ purpose: text(65) }, 'body.purpose'],
      [{ purpose: ['analytics'] }, 'body.purpose'],
      [{ purpose: 'telemetry' }, 'body.purpose'],
      [{ purpose: '__proto__' }, 'body.purpose'],
      [{ purpose: 'constructor' }, 'body.purpose'],
      [{ granted: 'true' }, 'body.granted'],
      [{ granted: null }, 'body.granted'],
      [{ evidence: 'seen' }, 'body.evidence'],
      [{ evidence: { ip: 1, note: 'x' } }, 'body.evidence.ip', 'body.evidence.note'],
      [{ evidence: { ip: text(257), ua: text(4097) } }, 'body.evidence.ip', 'body.evidence.ua'],
      [{ noticeId: 'x' }, 'body.noticeId'],
      [{ purposes: { analytics: true } }, 'body.purposes'],
    ]);
  });

  test('refuses to turn off what is required', async () => {
    const { decide, notice } = await prepare();
    await assertBodiesRefused(server, (body) => decide(body as object), [
      [{ purpose: 'necessary', granted: false }, 'body.purpose'],
      [{ purpose: 'necessary', granted: false, noticeId: notice }, 'body.purpose'],
    ]);
    payload(await decide({ purpose: 'necessary' }));
  });

  test('replays its answer for a key also when the notices have changed', async () => {
    const { decide, key } = await prepare();
    const headers = { 'Idempotency-Key': randomUUID() };
    const original = await decide({}, { headers });
    await server.createNotice({ key });
    assertProblem(await decide(), '409 conflict');
    const again = await decide({}, { headers });
    assert.deepEqual([again.status, again.text], [201, original.text]);
  });
});
