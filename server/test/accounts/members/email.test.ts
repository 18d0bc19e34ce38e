import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Email, normalizeEmail } from '../../../accounts/members/email.ts';

/** Letters whose small form is longer, is composed where the capital is not, or depends on its place. */
const odd = fc.string({
  unit: fc.constantFrom('İ', 'J\u030c', 'H\u0331', 'W\u030a', 'Σ', 'ẞ', 'K', 'Å', 'Ǆ', 'e\u0301', '가', 'a', '.'),
  minLength: 1,
  maxLength: 40,
});

describe('an e-mail address', () => {
  test('has one form, whatever way it is written in', () => {
    for (const [text, form] of [
      ['Ada@Example.COM', 'ada@example.com'],
      ["o'neil+tag@sub.example.co.uk", "o'neil+tag@sub.example.co.uk"],
      ['ДОРА@ПОЧТА.рф', 'дора@xn--80a1acny.xn--p1ai'],
      ['josé@example.com'.normalize('NFD'), 'josé@example.com'.normalize('NFC')],
      ['用户@例子.广告', '用户@xn--fsqu00a.xn--4rr70v'],
      ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
      ['ada@XN--BCHER-KVA.example', 'ada@xn--bcher-kva.example'],
      ['ada@ｅｘａｍｐｌｅ.com', 'ada@example.com'],
      ['a@b.co', 'a@b.co'],
      ['1@2.example', '1@2.example'],
      [`${'x'.repeat(64)}@example.com`, `${'x'.repeat(64)}@example.com`],
    ] as const)
      assert.equal(normalizeEmail(text), form, text);
  });

  test('is nothing else', () => {
    for (const text of [
      '',
      'ada',
      '@example.com',
      'ada@',
      'ada@@example.com',
      'ada@example',
      'ada@localhost',
      'ada@example.com.',
      'ada@.example.com',
      'ada@example..com',
      'ada@-example.com',
      'ada@example-.com',
      'ada@example.c',
      'ada@example.-com',
      'ada@example.com-',
      'ada@127.0.0.1',
      'ada@0x7f.1',
      'ada@[127.0.0.1]',
      'ada@example.com/path',
      'ada@example.com?query',
      'ada@example.com#hash',
      'ada@example.com:25',
      'ada@exa mple.com',
      'ada@exa%6dple.com',
      '.ada@example.com',
      'ada.@example.com',
      'a..da@example.com',
      'a da@example.com',
      'ada\n@example.com',
      'ada@example.com\nbcc:x@example.com',
      'ada\u200b@example.com',
      'ada\u0000@example.com',
      'ada\ud800@example.com',
      'ada\u037e@example.com',
      '"ada"@example.com',
      'ada<x@example.com>',
      'ada,x@example.com',
      `${'x'.repeat(65)}@example.com`,
      `${'ж'.repeat(33)}@example.com`,
      `ada@${'x'.repeat(64)}.example`,
      `ada@${'abcdefgh.'.repeat(30)}com`,
    ])
      assert.equal(normalizeEmail(text), undefined, JSON.stringify(text));
  });

  test('in its form stays as it is', () =>
    fc.assert(
      fc.property(
        fc.oneof(
          fc.emailAddress(),
          odd.map((local) => `${local}@example.com`),
          fc.tuple(fc.string({ unit: 'grapheme' }), fc.domain()).map(([local, domain]) => `${local}@${domain}`),
          fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })).map((parts) => parts.join('@')),
        ),
        (text) => {
          const form = normalizeEmail(text);
          if (form !== undefined) assert.equal(normalizeEmail(form), form);
        },
      ),
      { numRuns: 5000 },
    ));

  test('is the same in capitals and in small letters', () =>
    fc.assert(
      fc.property(fc.emailAddress(), (text) => {
        assert.equal(normalizeEmail(text.toUpperCase()), normalizeEmail(text.toLowerCase()));
      }),
    ));

  test('is never longer than mail can carry', () =>
    fc.assert(
      fc.property(fc.oneof(odd, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 70 })), (local) => {
        const form = normalizeEmail(`${local}@example.com`);
        if (form === undefined) return;
        assert.ok(Buffer.byteLength(form) <= 64 + '@example.com'.length);
      }),
    ));

  test('is read without the spaces around it, and refused with a word on its form', () => {
    assert.equal(Email.parse('  Ada@Example.com\n'), 'ada@example.com');
    for (const typed of [
      '\u200bAda@example.com\ufeff',
      'a\u00adda@exam\u200bple.com',
      'ａｄａ＠ｅｘａｍｐｌｅ．ｃｏｍ',
      'ada＠example。com',
    ])
      assert.equal(Email.parse(typed), 'ada@example.com', typed);
    // The first letter is Cyrillic.
    assert.notEqual(Email.parse('\u0430da@example.com'), 'ada@example.com');
    const refused = Email.safeParse('ada');
    assert.equal(refused.error?.issues[0]?.message, 'must be an e-mail address, such as name@example.com');
  });
});
