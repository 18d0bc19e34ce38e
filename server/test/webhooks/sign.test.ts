import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  generateSigningKey,
  generateWebhookSecret,
  readPrivateKey,
  readSigningKey,
  signPayload,
  signStandardPayload,
  webhookHeaders,
} from '../../webhooks/endpoints/signing.ts';

const timestamp = 1_614_265_330;
const encoder = new TextEncoder();

/** HMAC-SHA256 by another implementation. */
async function computeHmac(key: Uint8Array<ArrayBuffer>, ...parts: readonly Uint8Array[]): Promise<Buffer> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
  return Buffer.from(await crypto.subtle.sign('HMAC', imported, Buffer.concat(parts)));
}

function readPublicKey(text: string) {
  const x = Buffer.from(text.slice('whpk_'.length), 'base64').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

describe('the signature of a delivery', () => {
  test('is the HMAC-SHA256 of the time, a full stop and the bytes, keyed by the whole secret', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.integer({ min: 0, max: 2 ** 40 }),
        async (body, seconds) => {
          const secret = generateWebhookSecret();
          const digest = await computeHmac(encoder.encode(secret), encoder.encode(`${seconds}.`), body);
          const signature = signPayload({ keys: [readSigningKey(secret)], timestamp: seconds, body });
          assert.equal(signature, `t=${seconds},v1=${digest.toString('hex')}`);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('is one a secret during a rotation, the newer first', () => {
    const body = Buffer.from('{}');
    const [newer, older] = [generateWebhookSecret(), generateWebhookSecret()];
    const both = signPayload({ keys: [readSigningKey(newer), readSigningKey(older)], timestamp, body });
    assert.match(both, /^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    const [, first, second] = both.split(',');
    assert.equal(signPayload({ keys: [readSigningKey(newer)], timestamp, body }), `t=${timestamp},${first}`);
    assert.equal(signPayload({ keys: [readSigningKey(older)], timestamp, body }), `t=${timestamp},${second}`);
    const standard = signStandardPayload({
      id: 'x',
      keys: [readSigningKey(newer), readSigningKey(older)],
      timestamp,
      body,
    });
    assert.match(standard, /^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
  });

  test('is for Standard Webhooks the one of their published example', () => {
    const signature = signStandardPayload({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      keys: [readSigningKey('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')],
      timestamp,
      body: Buffer.from('{"test": 2432232314}'),
    });
    assert.equal(signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  test('comes in the headers of both schemes, with the id and the time that are signed', () => {
    const keys = [readSigningKey(generateWebhookSecret())];
    const event = { type: 'webhook.test', body: Buffer.from('{}') };
    const signed = { id: '0192', keys, timestamp, body: event.body };
    assert.deepEqual(webhookHeaders({ id: '0192', event }, { keys, privateKey: null }, timestamp), {
      'svc-signature': signPayload(signed),
      'webhook-id': '0192',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signStandardPayload(signed),
      'content-type': 'application/json',
      'user-agent': 'Svc-Webhooks/1',
      'svc-event': 'webhook.test',
      'svc-delivery': '0192',
    });
  });

  test('comes with one of Ed25519 as well where there is a private key, over the same bytes, after the others', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 3 }), (body, count) => {
        const { privateKey, publicKey } = generateSigningKey();
        const keys = Array.from({ length: count }, () => readSigningKey(generateWebhookSecret()));
        const delivery = { id: '0192', keys, timestamp, body };
        const signer = { keys, privateKey: readPrivateKey(privateKey) };
        const headers = webhookHeaders({ id: '0192', event: { type: 'webhook.test', body } }, signer, timestamp);
        assert.equal(headers['svc-signature'], signPayload(delivery));
        const signatures = headers['webhook-signature']?.split(' ') ?? [];
        assert.equal(signatures.slice(0, -1).join(' '), signStandardPayload(delivery));
        const [version, signature = ''] = signatures.at(-1)?.split(',') ?? [];
        assert.equal(version, 'v1a');
        const signed = Buffer.concat([Buffer.from(`0192.${timestamp}.`), body]);
        const key = readPublicKey(publicKey);
        assert.ok(verify(null, signed, key, Buffer.from(signature, 'base64')));
        assert.ok(!verify(null, Buffer.concat([signed, Buffer.of(0)]), key, Buffer.from(signature, 'base64')));
      }),
      { numRuns: 30 },
    );
  });

  test('has a public key of 32 bytes in strict base64, another each time', () => {
    const keys = Array.from({ length: 20 }, () => generateSigningKey().publicKey);
    assert.equal(new Set(keys).size, 20);
    for (const key of keys) assert.match(key, /^whpk_[A-Za-z0-9+/]{43}=$/);
  });

  test('has a secret of base62 characters that is strict base64 of 24 to 64 bytes as well', () => {
    const secrets = Array.from({ length: 200 }, generateWebhookSecret);
    assert.equal(new Set(secrets).size, 200);
    for (const secret of secrets) {
      assert.match(secret, /^whsec_[0-9A-Za-z]{44}$/);
      const text = secret.slice('whsec_'.length);
      const key = Buffer.from(text, 'base64');
      assert.equal(key.toString('base64'), text);
      assert.ok(key.length >= 24 && key.length <= 64);
    }
  });
});
