import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { hashPurpose, PasswordHasher } from '../../installation/password-hash.ts';
import { SecretBox } from '../../storage/secrets.ts';
import { countHashes } from '../accounts/sign-in/sign-in-requests.ts';

const cheap = { memory: 8, passes: 1, parallelism: 1 };
const box = new SecretBox('the secret of an installation');
const openHash = (hash: string) => box.open(hash, hashPurpose);
const password = fc.string({ unit: 'binary', maxLength: 64 }).filter((one) => one.isWellFormed());
const few = { numRuns: 40 };

describe('a hash of a password', () => {
  const hasher = new PasswordHasher(box, cheap);

  test('belongs to its password', async () => {
    await fc.assert(
      fc.asyncProperty(password, async (one) => {
        const hash = await hasher.hash(one);
        assert.match(openHash(hash), /^\$argon2id\$v=19\$m=8,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
        assert.equal(await hasher.verify(one, hash), true);
        assert.equal(await new PasswordHasher(box, cheap).verify(one, hash), true);
      }),
      few,
    );
  });

  test('belongs to no other password, though it be as near as can be', async () => {
    const different = fc
      .tuple(password, password)
      .filter(([one, other]) => one.normalize('NFKC') !== other.normalize('NFKC'));
    await fc.assert(
      fc.asyncProperty(different, async ([one, other]) => {
        assert.equal(await hasher.verify(other, await hasher.hash(one)), false);
      }),
      few,
    );
    const hash = await hasher.hash('correct horse battery staple');
    for (const near of [
      '',
      'correct horse battery stapl',
      'correct horse battery staple ',
      'Correct horse battery staple',
    ])
      assert.equal(await hasher.verify(near, hash), false, near);
  });

  test('counts every character of a long password', async () => {
    const long = 'x'.repeat(255);
    const hash = await hasher.hash(`${long}a`);
    assert.equal(await hasher.verify(`${long}a`, hash), true);
    assert.equal(await hasher.verify(`${long}b`, hash), false);
    assert.equal(await hasher.verify(long, hash), false);
  });

  test('belongs to the same password however a keyboard spells it', async () => {
    // Composed and decomposed, a ligature, full-width letters: one password each in NFKC.
    const pairs = [
      ['\u00e9t\u00e9', 'e\u0301te\u0301'],
      ['\uac00', '\u1100\u1161'],
      ['\ufb01sh', 'fish'],
      ['\uff30\uff41\uff53\uff53', 'Pass'],
    ] as const;
    for (const [one, other] of pairs) {
      assert.equal(await hasher.verify(other, await hasher.hash(one)), true);
      assert.equal(await hasher.verify(one, await hasher.hash(other)), true);
    }
  });

  test('differs each time, and by the secret of the installation', async () => {
    const hashes = await Promise.all(Array.from({ length: 8 }, () => hasher.hash('the same')));
    assert.equal(new Set(hashes).size, hashes.length);
    const other = new PasswordHasher(new SecretBox('another secret'), cheap);
    for (const hash of hashes) await assert.rejects(other.verify('the same', hash), /authenticate/);
  });

  test('is argon2id as RFC 9106 has it, so that it can be computed elsewhere', async () => {
    const hash = await hasher.hash('a password');
    const [, , , , salt = '', tag = ''] = openHash(hash).split('$');
    const expected = argon2Sync('argon2id', {
      message: 'a password',
      nonce: Buffer.from(salt, 'base64'),
      tagLength: 32,
      ...cheap,
    });
    assert.deepEqual(Buffer.from(tag, 'base64'), expected);
  });

  test('costs what OWASP recommends unless something else is said', async () => {
    const hash = await new PasswordHasher(box).hash('a password');
    assert.match(openHash(hash), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  test('is outdated at any other cost, and still belongs to its password', async () => {
    const hash = await hasher.hash('a password');
    assert.equal(hasher.isOutdated(hash), false);
    for (const risen of [{ memory: 16 }, { passes: 2 }, { parallelism: 2, memory: 16 }]) {
      const later = new PasswordHasher(box, { ...cheap, ...risen });
      assert.equal(later.isOutdated(hash), true);
      assert.equal(await later.verify('a password', hash), true);
      assert.equal(later.isOutdated(await later.hash('a password')), false);
    }
  });

  test('that is none is refused after as much work as one that is there', async () => {
    const hash = await hasher.hash('a password');
    const present = await countHashes(() => hasher.verify('a password', hash));
    assert.equal(present, 1);
    // The first makes the decoy that all the others are compared with.
    assert.equal(await hasher.verify('a password', null), false);
    const absent = await countHashes(async () => {
      assert.equal(await hasher.verify('a password', null), false);
    });
    assert.equal(absent, present);
  });

  test('that cannot be read is a failure of the server, not a wrong password', async () => {
    for (const broken of [
      '',
      'a password',
      '$argon2i$v=19$m=8,t=1,p=1$c2FsdA$dGFn',
      '$argon2id$v=19$m=8,t=1,p=1$c2FsdA',
    ]) {
      await assert.rejects(hasher.verify('a password', box.seal(broken, hashPurpose)), /cannot be read/);
    }
  });

  test('with a given salt is equal only for the same text', async () => {
    const salts = ['c2l4dGVlbiBieXRlcyE', 'YW5vdGhlciBzaXh0ZWVu'];
    const [one, other] = salts as [string, string];
    const hash = await hasher.hashWith('code', one);
    assert.match(hash, /^[\w-]{43}$/);
    assert.equal(await hasher.hashWith('code', one), hash);
    assert.notEqual(await hasher.hashWith('code', other), hash);
    assert.notEqual(await hasher.hashWith('cods', one), hash);
  });
});
