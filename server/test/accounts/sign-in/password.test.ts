import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { findWeakness } from '../../../accounts/sign-in/password.ts';
import { randomText } from '../../../installation/token.ts';

const root = join(import.meta.dirname, '../../../..');
const words = ['ada.lovelace@example.com', 'analytical', 'Analytical Engines Ltd', 'Ada', 'Lovelace', 'svc'];
const find = (password: string, hasSecondFactor = false) => findWeakness(password, { hasSecondFactor, words });

describe('a password', () => {
  test('is judged by dictionaries that are loaded with the first one, not with the server', () => {
    // In a process of its own: what another test loaded stays.
    const script = `
      import assert from 'node:assert/strict';
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({
        resolve(specifier, context, next) {
          if (specifier.startsWith('@zxcvbn-ts/')) loaded.push(specifier);
          return next(specifier, context);
        },
      });
      await import('./server/cli/server/app.ts');
      const { findWeakness } = await import('./server/accounts/sign-in/password.ts');
      await findWeakness('too short', { hasSecondFactor: false, words: [] });
      assert.equal(loaded.length, 0, loaded.join());
      await findWeakness('nine blue herons at dawn', { hasSecondFactor: false, words: [] });
      for (const name of ['core', 'language-common', 'language-en/src/commonWords.json'])
        assert.ok(loaded.includes('@zxcvbn-ts/' + name), name);
    `;
    execFileSync(process.execPath, [...process.execArgv, '--input-type=module', '--eval', script], { cwd: root });
  });

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
          assert.ok(weakness === null || /too easy|many people|consist of/.test(weakness), `${password}: ${weakness}`);
        },
      ),
    ));

  const advice = 'choose four or more unrelated words, or let a password manager make one';

  test('is not one of the most common ones of leaked passwords, in any case of the letters', async () => {
    for (const common of ['password', 'iloveyou', 'football1', 'princess', 'trustno1', 'pAsSwOrD1', 'SunShine1'])
      assert.equal(await find(common, true), `is one of the passwords that many people use; ${advice}`, common);
  });

  test('is not easy to guess, and the answer says what to do', async () => {
    for (const weak of [
      'Password123456!',
      '1234567890abcde',
      'administrator123',
      'P@ssw0rd!P@ssw0rd!',
      'Summer2026Summer2026',
      'Admin@123456789',
      'zaq12wsxcde34rfv',
      'dragonmonkeymaster',
      'ilovemychildren',
      'Welcome2026!Welcome',
      'Monday2026!mOnDaY',
      'Welcome!2026!Welcome!2026',
      // Common ones in a row.
      '123456789qwerty',
      'passwordpassword',
      'iloveyouiloveyou',
      'sunshinefootball',
      'sunshinefootballdragon',
      'Liverpool123456789',
      // Patterns.
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
      assert.match((await find(weak)) ?? '', /^is (too easy to guess|one of the passwords)/, weak);
    assert.equal(await find('Password123456!'), `is too easy to guess; ${advice}`);
    for (const weak of ['aaaaaaaa', 'abcdefgh', 'qwertzui', '12341234', 'Summer26', 'lovelove', 'monkey12'])
      assert.match((await find(weak, true)) ?? '', /^is (too easy to guess|one of the passwords)/, weak);
  });

  test('is no well-known phrase, however its words are separated', async () => {
    for (const phrase of [
      'correcthorsebatterystaple',
      'Correct Horse Battery Staple!',
      'correct-horse-battery-staple-1',
      'To be, or not to be, that is the question',
    ])
      assert.equal(await find(phrase), `is a phrase that many people know; ${advice}`, phrase);
    assert.equal(await find('correct the staple of the wrong battery'), null);
  });

  test('of four words, or of random characters, is taken', async () => {
    for (const good of [
      'nine blue herons at dawn',
      'river lantern copper orchard',
      'riverlanterncopperorchard',
      'sieben große Äpfel liegen da',
      'tr0mbone-giraffe-sky',
      'buffalo river buffalo lantern orchard buffalo',
    ])
      assert.equal(await find(good), null, good);
    // Random passwords, as the command line and the demo generate them.
    for (let time = 0; time < 20; time += 1) assert.equal(await find(randomText(24)), null);
  });

  test('is more than the names of the user, their address and the company', async () => {
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

  test('that differs only in its Unicode form is the same', () =>
    fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), async (text) => {
        for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'])
          assert.equal(await find(text.normalize(form)), await find(text));
      }),
    ));

  test('is rated by its first 64 characters, so that a long one costs no more', async () => {
    const strong = 'river lantern copper orchard';
    assert.match((await find(`${'a'.repeat(64)}${strong}`)) ?? '', /too easy/);
    assert.equal(await find(`${'a'.repeat(36)}${strong}`), null);
  });
});
