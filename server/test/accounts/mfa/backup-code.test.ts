import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createBackupCodes, readBackupCode } from '../../../accounts/mfa/codes.ts';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const codes = fc.string({ unit: fc.constantFrom(...alphabet), minLength: 16, maxLength: 16 });

describe('a backup code', () => {
  test('is read in any case, with and without dashes and spaces', () => {
    const styles = fc.array(
      fc.record({
        isSmall: fc.boolean(),
        before: fc.constantFrom('', '', '', '-', ' ', '\t', '\u00a0', ' - ', '\u2011', '\u2013', '\u2212', '\u200b'),
      }),
      { minLength: 16, maxLength: 16 },
    );
    fc.assert(
      fc.property(codes, styles, (code, style) => {
        const typed = style.map(({ isSmall, before }, place) => {
          const letter = code[place] as string;
          return before + (isSmall ? letter.toLowerCase() : letter);
        });
        assert.equal(readBackupCode(`${typed.join('')} `), code);
      }),
    );
  });

  test('is read with the letters that its digits look like', () => {
    assert.equal(readBackupCode('oOiI-lL23-6789-ABCD'), '001111236789ABCD');
  });

  test('is read in full-width characters', () => {
    assert.equal(readBackupCode('０１２３-４５６７-８９ＡＢ-ｃｄｅｆ'), '0123456789ABCDEF');
  });

  test('is read in the digits of every script', () => {
    const digits = Array.from({ length: 0x110000 }, (_, code) => code).filter(
      (code) => /\p{Nd}/u.test(String.fromCodePoint(code)) && String.fromCodePoint(code).normalize('NFKC').length === 1,
    );
    assert.ok(digits.length > 300 && digits.length % 10 === 0);
    // Unicode has them in rows of ten, from zero to nine.
    for (let zero = 0; zero < digits.length; zero += 10) {
      const row = String.fromCodePoint(...digits.slice(zero, zero + 10));
      assert.equal(readBackupCode(`${row}ABCDEF`), '0123456789ABCDEF', row);
    }
  });

  test('is nothing else', () => {
    const code = '0123-4567-89AB-CDEF';
    assert.equal(readBackupCode(code), '0123456789ABCDEF');
    const others = [
      '',
      '-',
      '123456',
      code.slice(1),
      `${code}0`,
      code.replace('A', 'U'),
      code.replace('A', '.'),
      // The capital of this is an ASCII letter.
      code.replace('1', 'ı'),
      code.replace('A', 'ﬁ'),
      code.replace('A', 'А'),
      code.replace('A', '\0'),
    ];
    for (const text of others) assert.equal(readBackupCode(text), null, JSON.stringify(text));
  });

  test('comes in sets of ten with 80 bits each, in groups of four, and reads back as what was hashed', async () => {
    const hashed: { readonly text: string; readonly salt: string }[] = [];
    const hashCodes = async (texts: readonly string[], salt: string) => {
      for (const text of texts) hashed.push({ text, salt });
      return texts.map((text) => `hash of ${text}`);
    };
    const sets = await Promise.all(Array.from({ length: 100 }, () => createBackupCodes(hashCodes)));
    const shown = sets.flatMap((set) => set.codes);
    assert.equal(shown.length, 1000);
    assert.equal(new Set(shown).size, 1000);
    for (const code of shown) assert.match(code, new RegExp(`^[${alphabet}]{4}(?:-[${alphabet}]{4}){3}$`));
    // Every letter at every place: one would be missing by chance once in a hundred thousand million runs.
    for (let place = 0; place < 16; place += 1)
      assert.equal(new Set(shown.map((code) => code.replaceAll('-', '')[place])).size, alphabet.length);
    for (const { codes, stored } of sets) {
      assert.deepEqual(
        stored.hashes,
        codes.map((code) => `hash of ${readBackupCode(code)}`),
      );
      assert.equal(Buffer.from(stored.salt, 'base64url').length, 16);
    }
    assert.equal(new Set(sets.map(({ stored }) => stored.salt)).size, 100);
    assert.deepEqual(new Set(hashed.map(({ salt }) => salt)), new Set(sets.map(({ stored }) => stored.salt)));
  });
});
