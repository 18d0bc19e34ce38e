import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import fc from 'fast-check';
import { fillText, fillWords, listNames, writeMoment } from '../../src/fill-words.ts';
import { importWords } from '../../src/import-words.ts';
import { languages, matchLanguage, readDirection } from '../../src/languages.ts';
import { english, loadWords } from '../../src/load-words.ts';
import { words as englishWords } from '../../src/words/en.ts';
import type { Words } from '../../src/words.ts';

const readWords = (language: string) => importWords(language) as Promise<Words>;
const models = Object.entries<string>({ ...englishWords });
const gapsOf = (text: string): readonly string[] => (text.match(/\{\w*\}?|\}/g) ?? []).sort();
const scripts: Readonly<Record<string, RegExp>> = {
  ar: /\p{Script=Arabic}/u,
  bg: /\p{Script=Cyrillic}/u,
  el: /\p{Script=Greek}/u,
  fa: /\p{Script=Arabic}/u,
  he: /\p{Script=Hebrew}/u,
  hi: /\p{Script=Devanagari}/u,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
  ko: /\p{Script=Hangul}/u,
  ru: /\p{Script=Cyrillic}/u,
  uk: /\p{Script=Cyrillic}/u,
  ur: /\p{Script=Arabic}/u,
  'zh-Hans': /\p{Script=Han}/u,
  'zh-Hant': /\p{Script=Han}/u,
};

describe('the words of each language', () => {
  test('are there for all 24 official languages of the European Union, and for more', () => {
    const official = 'bg cs da de el en es et fi fr ga hr hu it lt lv mt nl pl pt ro sk sl sv'.split(' ');
    assert.deepEqual(
      official.filter((language) => !languages.includes(language as never)),
      [],
    );
    assert.ok(languages.length >= 24);
    assert.equal(new Set(languages).size, languages.length);
  });

  for (const language of languages.filter((name) => name !== 'en')) {
    test(`are complete in ${language}: every text of English, with the same placeholders, in its own script`, async () => {
      const words = { ...(await readWords(language)) } as Record<string, string>;
      assert.deepEqual(Object.keys(words), Object.keys(englishWords));
      for (const [name, model] of models) {
        const text = words[name] ?? '';
        assert.deepEqual(gapsOf(text), gapsOf(model), name);
        assert.equal(text, text.trim(), name);
        assert.equal(text, text.normalize('NFC'), name);
        assert.doesNotMatch(text, /[<>&\p{Cc}]/u, name);
        if (name !== 'list') assert.match(text, scripts[language] ?? /\p{Script=Latin}/u, name);
        assert.notEqual(text, model, name);
        assert.ok(text.length <= 2.2 * model.length + 12, `${name} is as long as its English: ${text}`);
      }
      assert.equal((await loadWords(language, importWords)).lang, language);
    });

    test(`name refusing as briefly as accepting in ${language}`, async () => {
      const { reject, accept } = await readWords(language);
      assert.ok(reject.length <= 1.5 * accept.length && accept.length <= 1.5 * reject.length, `${reject} | ${accept}`);
    });
  }
});

describe('the language', () => {
  test('is the best match for a BCP 47 tag', () => {
    const wanted = {
      'pt-BR': 'pt',
      'de-AT-1996': 'de',
      DE: 'de',
      no: 'nb',
      'nn-NO': 'nb',
      iw: 'he',
      in: 'id',
      'zh-TW': 'zh-Hant',
      'zh-HK': 'zh-Hant',
      'zh-Hant-CN': 'zh-Hant',
      zh: 'zh-Hans',
      'zh-SG': 'zh-Hans',
      'ar-EG-u-nu-latn': 'ar',
      'en-GB': 'en',
    };
    for (const [tag, language] of Object.entries(wanted)) assert.equal(matchLanguage(tag), language, tag);
  });

  test('is English if there are no words for it, and for an invalid tag', () => {
    for (const tag of ['sw', 'tlh', '', ' ', 'constructor', '__proto__', '../de', 'de/..', 'x'.repeat(500)])
      assert.equal(matchLanguage(tag), 'en', tag);
  });

  test('is the same for a usual tag, which needs no data of the browser, as for its long form', () => {
    const letter = (letters: string): fc.Arbitrary<string> => fc.constantFrom(...letters);
    const small = fc.tuple(letter('abcdefghijklmnopqrstuvwxyz'), letter('abcdefghijklmnopqrstuvwxyz'));
    const known = fc.constantFrom(...languages.filter((language) => language.length === 2));
    const tags = fc.tuple(
      fc.oneof(
        known,
        small.map(([one, other]) => one + other),
      ),
      fc.constantFrom('', '-US', '-BR', '-AT'),
    );
    fc.assert(
      fc.property(tags, ([language, region]) => {
        assert.equal(matchLanguage(language + region), matchLanguage(`${language}${region}-u-nu-latn`));
      }),
    );
  });

  test('always has words', () => {
    fc.assert(fc.property(fc.string(), (tag) => languages.includes(matchLanguage(tag))));
  });

  test('is right-to-left only in Arabic, Hebrew, Persian and Urdu', () => {
    assert.deepEqual(
      languages.filter((language) => readDirection(language) === 'rtl'),
      ['ar', 'fa', 'he', 'ur'],
    );
  });
});

describe('loading words', () => {
  const logged = mock.method(console, 'error', () => {});
  const { lang: _, dir: __, ...whole } = english;

  test('fetches one file, by the name of the language', async () => {
    const load = mock.fn(importWords);
    assert.equal((await loadWords('zh-TW', load)).title, (await readWords('zh-Hant')).title);
    assert.deepEqual(
      load.mock.calls.map(({ arguments: given }) => given),
      [['zh-Hant']],
    );
  });

  test('fetches nothing for English', async () => {
    assert.equal(await loadWords('en-US', () => assert.fail()), english);
    assert.equal(await loadWords('tlh', () => assert.fail()), english);
  });

  test('keeps only known texts', async () => {
    const value = { ...whole, title: 'Titel', more: 'x', toString: 'x' };
    const words = await loadWords('de', async () => value);
    assert.deepEqual(words, { ...english, lang: 'de', title: 'Titel' });
  });

  const bad: Readonly<Record<string, unknown>> = {
    'nothing at all': null,
    'a text': 'Titel',
    'a list': [],
    'a file with a text missing': { ...whole, save: undefined },
    'an empty text': { ...whole, save: '' },
    'a text that is none': { ...whole, save: { toString: () => 'x' } },
    'a text without its gap': { ...whole, intro: 'Wir bitten um Ihre Einwilligung für: {purposes}.' },
    'a text that is far too long': { ...whole, title: 'x'.repeat(601) },
  };
  for (const [name, value] of Object.entries(bad)) {
    test(`falls back to English for ${name}, and logs it once`, async () => {
      const tag = 'fr';
      assert.equal(await loadWords(tag, async () => value), english);
      const before = logged.mock.callCount();
      assert.equal(await loadWords(tag, async () => value), english);
      assert.equal(logged.mock.callCount(), before);
    });
  }

  test('falls back to English on a network error, and logs the reason', async () => {
    assert.equal(await loadWords('sv', () => Promise.reject(new Error('no way there'))), english);
    assert.match(String(logged.mock.calls.at(-1)?.arguments[0]), /words for "sv" .*no way there.*English/);
  });
});

describe('filling words in', () => {
  const purposes = ['Necessary', 'Statistics', 'Marketing'].map((label, index) => ({
    key: `p${index}`,
    label,
    description: '',
    required: index === 0,
  }));
  const notice = { id: '1', name: 'Site', controllerName: 'Acme', language: 'en', domain: 'a.example', version: 1 };
  const plain = (text: string): string => text.replace(/[\u2066-\u2069]/g, '');

  test('names the controller and the optional purposes', () => {
    const { intro, panelIntro } = fillWords(english, { ...notice, purposes });
    assert.match(plain(intro), /^Acme asks for your consent to use your data for: Statistics and Marketing\. /);
    assert.match(plain(panelIntro), /what Acme may use/);
  });

  test('names the required purposes if there are no others', () => {
    const { intro } = fillWords(english, { ...notice, purposes: purposes.slice(0, 1) });
    assert.match(plain(intro), /for: Necessary\. /);
  });

  test('lists two names as the browser would in each language', async () => {
    for (const language of languages) {
      const words = (await importWords(language)) ?? englishWords;
      assert.equal(plain(listNames(['A', 'B'], words as Words)), new Intl.ListFormat(language).format(['A', 'B']));
    }
  });

  test('lists more with commas before the last, and one without', async () => {
    assert.equal(plain(listNames(['A', 'B', 'C', 'D'], await readWords('de'))), 'A, B, C und D');
    assert.equal(plain(listNames(['A', 'B', 'C'], await readWords('ja'))), 'A、B、C');
    assert.equal(plain(listNames(['A'], englishWords)), 'A');
  });

  test('formats a moment in the language, and keeps an invalid one as text', () => {
    assert.match(writeMoment('2026-11-21T12:00:00.000Z', 'de'), /^21\. November 2026/);
    assert.equal(writeMoment('soon', 'de'), 'soon');
  });

  test('inserts a name unchanged, and isolates its direction', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (label, date) => {
        assert.equal(fillText('{label} / {date}', { label, date }), `\u2068${label}\u2069 / \u2068${date}\u2069`);
      }),
    );
    assert.equal(fillText('{constructor} {label}', { label: '$& {label}' }), '{constructor} \u2068$& {label}\u2069');
  });
});
