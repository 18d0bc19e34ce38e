import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { TestResponse } from '../harness.ts';
import {
  assertNothingWritten,
  assertProblem,
  capture,
  createFreshTenant,
  describeServerOnEachDatabase,
  payload,
  withdraw,
} from './helpers.ts';

const day = 24 * 60 * 60 * 1000;

describeServerOnEachDatabase('Idempotency-Key of a capture', (server) => {
  const send = (notice: string, key: string, body: object = {}) =>
    capture(server, notice, body, { headers: { 'Idempotency-Key': key } });
  const readTotal = async (notice: string) =>
    payload(await server.request('GET', `/v1/consent/${notice}/records`), 200).page.total;
  const assertReplayed = (answer: TestResponse, original: TestResponse) => {
    assert.equal(answer.status, original.status);
    assert.equal(answer.text, original.text);
    assert.equal(answer.headers.get('idempotent-replayed'), 'true');
    assert.equal(original.headers.get('idempotent-replayed'), null);
  };

  test('is required', async () => {
    const notice = await server.createNotice();
    const body = { subjectId: 'subject-1', purposes: { analytics: true } };
    await assertNothingWritten(server, async () => {
      const refused = await server.request('POST', `/v1/consent/${notice}/records`, { body });
      assertProblem(refused, '400 idempotency_key_required');
    });
  });

  test('is 8 to 128 letters, digits, hyphens and underscores', async () => {
    const notice = await server.createNotice();
    await assertNothingWritten(server, async () => {
      for (const key of [
        '',
        'x'.repeat(7),
        'x'.repeat(129),
        'with space',
        'dotted.key',
        'key/with/slash',
        'schlüssel',
        'a,b,c,d,e',
      ]) {
        assertProblem(await send(notice, key), '400 idempotency_key_invalid');
      }
    });
    for (const key of ['Az09_-Az', 'x'.repeat(128)]) payload(await send(notice, key));
  });

  test('sent again with the same request gives the same bytes and no second record', async () => {
    const notice = await server.createNotice();
    const key = randomUUID();
    const original = await send(notice, key);
    payload(original);
    await assertNothingWritten(server, async () => {
      for (let time = 0; time < 3; time += 1) assertReplayed(await send(notice, key), original);
    });
    assert.equal(await readTotal(notice), 1);
  });

  test('is answered from memory even when the notice is archived by then', async () => {
    const notice = await server.createNotice();
    const key = randomUUID();
    const original = await send(notice, key);
    await server.request('POST', `/v1/consent/${notice}/archive`);
    assertReplayed(await send(notice, key), original);
  });

  test('is refused with another body, another notice or another operation', async () => {
    const [notice, other] = [await server.createNotice(), await server.createNotice()];
    const key = randomUUID();
    const headers = { 'Idempotency-Key': key };
    const { id } = payload(await send(notice, key));
    await assertNothingWritten(server, async () => {
      assertProblem(await send(notice, key, { method: 'banner' }), '422 idempotency_key_reused');
      assertProblem(await send(other, key), '422 idempotency_key_reused');
      assertProblem(await withdraw(server, notice, id, {}, { headers }), '422 idempotency_key_reused');
      assertProblem(
        await server.request('POST', `/v1/consent/${notice}/archive`, { headers }),
        '422 idempotency_key_reused',
      );
    });
  });

  test('is free again after 24 hours', async () => {
    const notice = await server.createNotice();
    const key = randomUUID();
    const original = await send(notice, key);
    server.clock.advance(day - 1);
    assertReplayed(await send(notice, key), original);
    server.clock.advance(1);
    const next = await send(notice, key, { subjectId: 'subject-2' });
    assert.equal(payload(next).subjectId, 'subject-2');
    assertReplayed(await send(notice, key, { subjectId: 'subject-2' }), next);
    assert.equal(await readTotal(notice), 2);
  });

  test('of one tenant does not matter to another', async () => {
    const tenant = await createFreshTenant(server);
    const [notice, foreign] = [await server.createNotice(), await server.createNotice({ key: tenant.key })];
    const key = randomUUID();
    payload(await send(notice, key));
    const headers = { 'Idempotency-Key': key };
    const answer = await capture(server, foreign, {}, { key: tenant.key, headers });
    assert.equal(payload(answer).noticeId, foreign);
    assert.equal(answer.headers.get('idempotent-replayed'), null);
  });

  test('is not used up by a request that failed', async () => {
    const notice = await server.createNotice({ publish: false });
    const key = randomUUID();
    assertProblem(await send(notice, key), '409 consent_notice_not_published');
    await server.request('POST', `/v1/consent/${notice}/publish`);
    assertProblem(await send(notice, key, { purposes: { telemetry: true } }), '422 validation_failed');
    assertProblem(await send(notice, key, { subjectId: '' }), '422 validation_failed');
    const taken = await send(notice, key);
    payload(taken);
    assertReplayed(await send(notice, key), taken);
  });

  test('is not used up by a request that failed beside others that were taken', async () => {
    const notice = await server.createNotice();
    const keys = Array.from({ length: 20 }, () => randomUUID());
    const answers = await Promise.all(
      keys.map((key, index) =>
        send(notice, key, { purposes: index % 2 === 0 ? { analytics: true } : { telemetry: true } }),
      ),
    );
    for (const [index, answer] of answers.entries()) {
      if (index % 2 === 0) assertReplayed(await send(notice, keys[index] as string), answer);
      else assertProblem(answer, '422 validation_failed');
    }
    for (const key of keys.filter((_, index) => index % 2 === 1)) payload(await send(notice, key));
    assert.equal(await readTotal(notice), 20);
  });

  test('sent 50 times at once gives one record', async () => {
    const notice = await server.createNotice();
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(notice, key)));
    const taken = answers.filter(({ status }) => status === 201);
    assert.ok(taken.length > 0);
    assert.equal(new Set(taken.map(({ text }) => text)).size, 1);
    for (const refused of answers.filter(({ status }) => status !== 201)) {
      assertProblem(refused, '409 idempotency_in_progress');
      assert.equal(refused.headers.get('retry-after'), '1');
    }
    assert.equal(await readTotal(notice), 1);
    assert.equal((await send(notice, key)).text, taken[0]?.text);
  });
});
