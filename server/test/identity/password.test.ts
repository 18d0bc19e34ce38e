import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { findWeakness } from '../../identity/password.ts';

const words = ['ada.lovelace@example.com', 'analytical', 'Analytical Engines Ltd', 'Ada', 'Lovelace', 'svc'];
const find = (password: string, hasSecondFactor = false) => findWeakness(password, { hasSecondFactor, words });

describe('a password', () => {
  test('has fifteen characters or more, eight beside a second factor', async () => {
    assert.equal(await find('kq7 zt pw xv 4'), 'must have at least 15 characters');
    assert.equal(await find('kq7 zt pw xv 4m'), null);
    assert.equal(await find('kq7 zt ', true), 'must have at least 8 characters');
    assert.equal(await find('kq7 zt p', true), null);
  });

  test('counts characters as people do, whatever bytes they take', async () => {
    assert.equal(await find('🦒🐘🦓🦏🦛🐆🐅🦍🦧🐒🐫🦙🦌🐄'), 'must have at least 15 characters');
    assert.equal(await find('🦒🐘🦓🦏🦛🐆🐅🦍🦧🐒🐫🦙🦌🐄🐖'), null);
    assert.equal(await find('жираф слон бегемот'), null);
  });

  test('has at most 256 bytes, and any of 64 characters and more is taken', async () => {
    const long = Array.from({ length: 256 }, (_, index) => String.fromCharCode(33 + ((index * 37) % 90))).join('');
    assert.equal(await find(long), null);
    assert.equal(await find(`${long}x`), 'must have at most 256 bytes');
    assert.equal(await find(long.slice(0, 64)), null);
    assert.equal(await find(`${long.slice(0, 255)}é`), 'must have at most 256 bytes');
  });

  test('may be of any characters: there is no rule of composition', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom('abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHJKLMNP', '0123456789', '!?$%&/()=+*-_.', 'жуклмнопрстф'),
        fc.array(fc.nat(), { minLength: 20, maxLength: 40 }),
        async (letters, places) => {
          const password = places.map((place) => letters[place % letters.length]).join('');
          const weakness = await find(password);
          assert.ok(weakness === null || /pattern|many people|consist of/.test(weakness), `${password}: ${weakness}`);
        },
      ),
    ));

  test('is not one of the most common ones of leaked passwords', async () => {
    for (const common of ['password', 'iloveyou', 'football1', 'princess', 'trustno1', 'PassWord1', 'sunshine1'])
      assert.equal(await find(common, true), 'is made of passwords that many people use; choose another', common);
    for (const common of [
      '123456789qwerty',
      'passwordpassword',
      'iloveyouiloveyou',
      'sunshinefootball',
      'Liverpool123456789',
    ])
      assert.equal(await find(common), 'is made of passwords that many people use; choose another', common);
  });

  test('of three words that are each common is taken', async () => {
    assert.equal(await find('sunshinefootballdragon'), null);
  });

  test('is not a pattern', async () => {
    for (const pattern of [
      'aaaaaaaaaaaaaaa',
      'abababababababab',
      'abcabcabcabcabcabc',
      '123412341234123412',
      'abcdefghijklmnop',
      'zyxwvutsrqponmlk',
      '123456789012345',
      '0123456789012345',
      '9876543210987654',
      'qwertyuiopqwertyuiop',
      'QWERTZUIOPQWERTZ',
    ])
      assert.match((await find(pattern)) ?? '', /pattern/, pattern);
  });

  test('is more than the names of the person, their address and the company', async () => {
    for (const guess of [
      'ada.lovelace@example.com',
      'AdaLovelaceAnalytical',
      'Analytical Engines Ltd',
      'lovelace-ada-1815',
      'svc-analytical-2026',
      'ＡＤＡＬＯＶＥＬＡＣＥ１８１５',
    ])
      assert.match((await find(guess)) ?? '', /name of the company/, guess);
    assert.equal(await find('Ada plays the trombone'), null);
  });

  test('that differs in its Unicode form alone is the same', () =>
    fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), async (text) => {
        for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'])
          assert.equal(await find(text.normalize(form)), await find(text));
      }),
    ));

  test('of any text gets an answer in time', async () => {
    const texts = [
      'a'.repeat(1023),
      `${'ab'.repeat(127)}c`,
      `${'abc'.repeat(85)}`,
      ' '.repeat(20),
      '\u{10ffff}'.repeat(60),
    ];
    const start = performance.now();
    for (const text of texts) await find(text);
    assert.ok(performance.now() - start < 5000);
  });
});
