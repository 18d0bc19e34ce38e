import assert from 'node:assert/strict';
import { createHmac, hkdfSync } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { committedText, PrivateHasher, RowSealer, SecretBox } from '../../storage/secrets.ts';

const text = fc.string({ unit: 'binary' }).filter((one) => one.isWellFormed());
const two = fc.tuple(text, text).filter(([one, other]) => one !== other);

describe('a sealed text', () => {
  const box = new SecretBox('the secret of an installation');

  test('opens to what was sealed, for its purpose and with the same secret', () => {
    fc.assert(
      fc.property(text, text, text, (secret, plain, purpose) => {
        const sealed = new SecretBox(secret).seal(plain, purpose);
        assert.match(sealed, /^[\w-]{43}~[\w-]+$/);
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
        const parts = box
          .seal(plain, 'purpose')
          .split('~')
          .map((part) => Buffer.from(part, 'base64url'));
        for (const part of parts) {
          const at = position % part.length;
          part[at] = (part[at] as number) ^ (1 << bit);
          const changed = parts.map((one) => one.toString('base64url')).join('~');
          assert.throws(() => box.open(changed, 'purpose'));
          part[at] = (part[at] as number) ^ (1 << bit);
        }
      }),
    );
  });

  test('does not open when it was cut or lengthened', () => {
    fc.assert(
      fc.property(text, fc.nat(), (plain, length) => {
        const [commitment, encrypted] = box.seal(plain, 'purpose').split('~') as [string, string];
        const bytes = Buffer.from(encrypted, 'base64url');
        const open = (other: Buffer) => box.open(`${commitment}~${other.toString('base64url')}`, 'purpose');
        assert.equal(open(bytes), plain);
        assert.throws(() => open(bytes.subarray(0, length % bytes.length)));
        assert.throws(() => open(Buffer.concat([bytes, Buffer.from([0])])));
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
    const commitments = all.map(committedText);
    assert.equal(new Set(commitments).size, all.length);
    for (const sealed of all) {
      const [commitment = '', encrypted = ''] = sealed.split('~');
      assert.equal(commitment.length, 43);
      const bytes = Buffer.from(encrypted, 'base64url');
      assert.ok(!bytes.includes('otpauth'));
      assert.equal(bytes.length, 12 + 16 + 'otpauth-secret'.length + 16);
    }
  });

  test('is sealed anew with another key, and keeps its commitment', () => {
    const other = new SecretBox('another secret');
    fc.assert(
      fc.property(text, text, (plain, purpose) => {
        const sealed = box.seal(plain, purpose);
        const again = other.reencrypt(sealed, box, purpose);
        assert.equal(other.open(again, purpose), plain);
        assert.equal(committedText(again), committedText(sealed));
        assert.notEqual(again, sealed);
        assert.throws(() => box.open(again, purpose));
        assert.throws(() => other.reencrypt(sealed, box, `${purpose}.`));
        const foreign = box.seal(plain, purpose);
        const swapped = `${committedText(foreign)}~${sealed.split('~')[1]}`;
        assert.throws(() => box.open(swapped, purpose), /commitment/);
      }),
    );
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
