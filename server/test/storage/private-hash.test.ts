import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { PrivateHasher } from '../../storage/secrets.ts';

const text = fc.string({ unit: 'binary' });

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
