import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { TestResponse } from '../harness.ts';
import { assertProblem, capture, describeServerOnEachDatabase, payload } from './helpers.ts';

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

  test('is answered from memory even when the notice is archived by then', async () => {
    const notice = await server.createNotice();
    const key = randomUUID();
    const original = await send(notice, key);
    await server.request('POST', `/v1/consent/${notice}/archive`);
    assertReplayed(await send(notice, key), original);
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
