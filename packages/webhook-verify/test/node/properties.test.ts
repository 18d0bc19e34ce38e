import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import * as edge from '../../src/edge.ts';
import * as node from '../../src/node.ts';
import { signPayload } from '../../src/testing.ts';
import { body, digest, now, otherSecret, secret, sign, time } from './vectors.ts';

const secretText = fc
  .string({ unit: fc.constantFrom(...'abcXYZ019_-+/='), minLength: 1, maxLength: 200 })
  .map((rest) => `whsec_${rest}`);

test('any bytes that are signed are accepted, with any secret at any time, by both builds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), secretText, fc.nat(4e9), async (bytes, key, at) => {
      const clock = () => at * 1000;
      const signature = sign(bytes, at, key);
      assert.equal(await signPayload({ body: bytes, secrets: key, now: clock }), signature);
      const delivery = { body: bytes, signature, secrets: key, now: clock };
      const expected = { secretIndex: 0, secretName: null, timestamp: at };
      assert.deepEqual(node.verifySignature(delivery), expected);
      assert.deepEqual(await edge.verifySignature(delivery), expected);
    }),
  );
});

test('any change of one bit of the body, of the signature or of the time is refused', () => {
  const verifier = node.createWebhookVerifier({ secrets: [secret, otherSecret], now, toleranceSeconds: 1e12 });
  const header = Buffer.from(sign(body));
  const flip = (bytes: Uint8Array, bit: number) => {
    const changed = Uint8Array.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
    return changed;
  };
  for (let bit = 0; bit < body.length * 8; bit += 1)
    assert.throws(() => verifier.verifySignature({ body: flip(body, bit), signature: sign(body) }), {
      code: 'signature_mismatch',
    });
  for (let bit = 0; bit < header.length * 8; bit += 1) {
    const signature = Buffer.from(flip(header, bit)).toString('latin1');
    assert.throws(() => verifier.verifySignature({ body, signature }), node.WebhookVerificationError, signature);
  }
});

test('both builds agree on any header', async () => {
  const part = fc.oneof(
    fc.constantFrom(`t=${time}`, `t=${time - 400}`, `v1=${digest(body)}`, `v1=${'0'.repeat(64)}`, 'v2=x', 'x', '', ' '),
    fc.string(),
  );
  const header = fc.oneof(
    fc.array(part, { maxLength: 5 }).map((parts) => parts.join(',')),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(header, async (signature) => {
      const delivery = { body, signature, secrets: secret, now };
      const [one, other] = [
        await outcome(() => node.constructEvent(delivery)),
        await outcome(() => edge.constructEvent(delivery)),
      ];
      assert.deepEqual(one, other);
    }),
  );
});

test('any JSON that is signed is an event, or refused with body_invalid', async () => {
  const json = fc.oneof(
    fc.json(),
    fc
      .record({
        id: fc.string(),
        type: fc.string(),
        createdAt: fc.string(),
        tenantId: fc.string(),
        data: fc.jsonValue(),
      })
      .map((value) => JSON.stringify(value)),
  );
  await fc.assert(
    fc.asyncProperty(json, async (text) => {
      const delivery = { body: text, signature: sign(text), secrets: secret, now };
      const found = await outcome(() => node.constructEvent(delivery));
      assert.deepEqual(found, await outcome(() => edge.constructEvent(delivery)));
      if (typeof found === 'string') assert.equal(found, 'body_invalid');
      else assert.deepEqual(found.event, JSON.parse(text));
    }),
  );
});

test('which of several secrets matched is the first that did, whatever the order of the signatures', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(secretText, { minLength: 1, maxLength: 5 }),
      fc.nat(),
      fc.boolean(),
      (keys, pick, isReversed) => {
        const used = keys.slice(pick % keys.length);
        const signatures = used.map((key) => `v1=${digest(body, time, key)}`);
        const signature = [`t=${time}`, ...(isReversed ? signatures.toReversed() : signatures)].join(',');
        assert.equal(node.verifySignature({ body, signature, secrets: keys, now }).secretIndex, pick % keys.length);
      },
    ),
  );
});

async function outcome(
  construct: () => node.VerifiedEvent | Promise<node.VerifiedEvent>,
): Promise<node.VerifiedEvent | string> {
  try {
    return await construct();
  } catch (error) {
    assert.ok(node.WebhookVerificationError.isInstance(error), String(error));
    return error.code;
  }
}
