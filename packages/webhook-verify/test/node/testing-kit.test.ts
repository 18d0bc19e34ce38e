import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { createWebhookVerifier } from '../../src/node.ts';
import {
  createSignedRequest,
  createTestClock,
  createTestEvent,
  signPayload,
  tamperings,
  tamperWithRequest,
} from '../../src/testing.ts';
import { body, digest, event, now, otherSecret, secret, sign, text, time } from './vectors.ts';

const verifier = createWebhookVerifier({ secrets: secret, now });
const both = createWebhookVerifier({ secrets: [secret, otherSecret], now });

test('signs a payload as the contract says, with each secret', async () => {
  const header = await signPayload({ body, secrets: [secret, otherSecret], now });
  assert.equal(header, `${sign(body)},v1=${digest(body, time, otherSecret)}`);
  await assert.rejects(signPayload({ body, secrets: 'secret' }), { code: 'secret_invalid' });
});

test('makes a request with the headers of the server, from an event, a text or bytes', async () => {
  const key = Buffer.from(secret.slice(6), 'base64');
  const standard = createHmac('sha256', key).update(`d.${time}.`).update(body).digest('base64');
  for (const one of [event, text, body]) {
    const request = await createSignedRequest({ event: one, secrets: secret, now, deliveryId: 'd' });
    assert.deepEqual(request.headers, {
      'content-type': 'application/json',
      'user-agent': 'Svc-Webhooks/1',
      'svc-event': one === event ? 'dsr.completed' : 'webhook.test',
      'svc-delivery': 'd',
      'svc-signature': sign(body),
      'webhook-id': 'd',
      'webhook-timestamp': String(time),
      'webhook-signature': `v1,${standard}`,
    });
    assert.deepEqual(Buffer.from(request.body), Buffer.from(body));
  }
});

test('makes tampered requests that are rejected with the documented code, and keeps the original', async () => {
  const request = await createSignedRequest({ event, secrets: [secret, otherSecret], now });
  const before = structuredClone(request);
  for (const [tampering, code] of Object.entries(tamperings)) {
    const changed = tamperWithRequest(request, tampering as keyof typeof tamperings);
    const delivery = { body: changed.body, signature: changed.headers['svc-signature'] };
    for (const one of [verifier, both]) assert.throws(() => one.verifySignature(delivery), { code }, tampering);
  }
  assert.deepEqual(request, before);
});

test('gives an event of a type a unique id, or the given one', () => {
  const data = { message: 'hello', webhookId: 'w' };
  const made = createTestEvent({ type: 'webhook.test', data });
  assert.equal(made.data, data);
  assert.notEqual(made.id, createTestEvent({ type: 'webhook.test', data }).id);
  assert.equal(createTestEvent({ type: 'webhook.test', data, id: 'x', tenantId: 't' }).tenantId, 't');
});

test('a clock stands still until it is advanced', () => {
  const clock = createTestClock('2026-01-01T00:00:00Z');
  clock.advance(1.5);
  assert.equal(clock.now(), time * 1000 + 1500);
});

test('rejects a clock that returns no time, and a call without options', async () => {
  for (const wrong of [() => Number.NaN, () => Number.POSITIVE_INFINITY, () => -1, () => 1e16]) {
    await assert.rejects(signPayload({ body, secrets: secret, now: wrong }), { code: 'options_invalid' });
    await assert.rejects(createSignedRequest({ event, secrets: secret, now: wrong }), { code: 'options_invalid' });
  }
  for (const make of [signPayload, createSignedRequest])
    for (const given of [undefined, { event, body, secrets: secret, clock: now }])
      await assert.rejects(make(given as never), { code: 'options_invalid' });
  assert.throws(() => createTestClock('yesterday'), { code: 'options_invalid' });
  const clock = createTestClock();
  assert.throws(() => clock.advance(Number.NaN), { code: 'options_invalid' });
  assert.equal(clock.now(), time * 1000);
});
