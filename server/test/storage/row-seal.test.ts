import assert from 'node:assert/strict';
import { createHmac, hkdfSync } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { RowSealer } from '../../storage/secrets.ts';

test('a seal is the HMAC of the text under a key that is derived from the secret', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ unit: 'grapheme', maxLength: 300 }), (secret, text) => {
      const key = Buffer.from(hkdfSync('sha256', secret, '', 'svc row seals', 32));
      const expected = createHmac('sha256', key).update(text).digest('base64url');
      const sealer = new RowSealer(secret);
      assert.deepEqual([sealer.seal(text), sealer.seal(text)], [expected, expected]);
    }),
  );
});
