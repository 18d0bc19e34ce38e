import assert from 'node:assert/strict';
import { createHmac, hkdfSync } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { PrivateHasher, RowSealer, SecretBox } from '../../storage/secrets.ts';

const text = fc.string({ unit: 'binary' }).filter((one) => one.isWellFormed());
const two = fc.tuple(text, text).filter(([one, other]) => one !== other);

describe('a sealed text', () => {
  const box = new SecretBox('the secret of an installation');

  test('opens to what was sealed, for its purpose and with the same secret', () => {
    fc.assert(
      fc.property(text, text, text, (secret, plain, purpose) => {
        const sealed = new SecretBox(secret).seal(plain, purpose);
        assert.match(sealed, /^[\w-]+$/);
        assert.equal(new SecretBox(secret).open(sealed, purpose), plain);
      }),
    );
  });

  test('opens for no other purpose', () => {
    fc.assert(
      fc.property(text, two, (plain, [purpose, other]) => {
        const sealed = box.seal(plain, purpose);
        assert.throws(() => box.open(sealed, other));
      }),
    );
  });

  test('opens with no other secret', () => {
    fc.assert(
      fc.property(text, two, (plain, [secret, other]) => {
        const sealed = new SecretBox(secret).seal(plain, 'purpose');
        assert.throws(() => new SecretBox(other).open(sealed, 'purpose'));
      }),
    );
  });

  test('does not open when any of its bits was changed', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(7), (plain, position, bit) => {
        const bytes = Buffer.from(box.seal(plain, 'purpose'), 'base64url');
        const at = position % bytes.length;
        bytes[at] = (bytes[at] as number) ^ (1 << bit);
        assert.throws(() => box.open(bytes.toString('base64url'), 'purpose'));
      }),
    );
  });

  test('does not open when it was cut or lengthened', () => {
    fc.assert(
      fc.property(text, fc.nat(), (plain, length) => {
        const bytes = Buffer.from(box.seal(plain, 'purpose'), 'base64url');
        const cut = bytes.subarray(0, length % bytes.length);
        assert.throws(() => box.open(cut.toString('base64url'), 'purpose'));
        assert.throws(() => box.open(Buffer.concat([bytes, Buffer.from([0])]).toString('base64url'), 'purpose'));
      }),
    );
  });

  test('is no sealed text when it is anything else', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.base64String()), (nothing) => {
        assert.throws(() => box.open(nothing, 'purpose'));
      }),
    );
  });

  test('differs each time, and shows nothing of the text but its length', () => {
    const seal = () => box.seal('otpauth-secret', 'purpose');
    const all = Array.from({ length: 100 }, seal);
    assert.equal(new Set(all).size, all.length);
    for (const sealed of all) {
      assert.ok(!Buffer.from(sealed, 'base64url').includes('otpauth'));
      assert.equal(Buffer.from(sealed, 'base64url').length, 12 + 'otpauth-secret'.length + 16);
    }
  });
});

describe('a private hash', () => {
  test('is the same for the same value of a tenant, and absent for none', () => {
    fc.assert(
      fc.property(text, text, text, (secret, tenant, value) => {
        const hash = new PrivateHasher(secret).hash(tenant, value);
        assert.match(hash ?? '', /^[0-9a-f]{64}$/);
        assert.equal(new PrivateHasher(secret).hash(tenant, value), hash);
        assert.equal(new PrivateHasher(secret).hash(tenant, null), null);
      }),
    );
  });

  test('differs by value, by tenant and by secret', () => {
    const different = fc.tuple(fc.string(), fc.string()).filter(([one, other]) => one !== other);
    fc.assert(
      fc.property(different, fc.string(), fc.string(), ([one, other], two, three) => {
        const hash = (secret: string, tenant: string, value: string) => new PrivateHasher(secret).hash(tenant, value);
        assert.notEqual(hash(one, two, three), hash(other, two, three));
        assert.notEqual(hash(two, one, three), hash(two, other, three));
        assert.notEqual(hash(two, three, one), hash(two, three, other));
      }),
    );
  });

  test('has a fingerprint by which servers compare secrets without telling them', () => {
    assert.equal(new PrivateHasher('a').fingerprint, new PrivateHasher('a').fingerprint);
    assert.notEqual(new PrivateHasher('a').fingerprint, new PrivateHasher('b').fingerprint);
    assert.doesNotMatch(new PrivateHasher('recognisable').fingerprint, /recognisable/);
  });
});

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
