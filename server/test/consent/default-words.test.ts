import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import { startServer } from '../../cli/server/start-server.ts';
import english from '../../consent/messages/en.json' with { type: 'json' };
import type { Messages } from '../../consent/messages/messages.ts';
import { languages, loadMessages } from '../../consent/messages/messages.ts';
import maltese from '../../consent/messages/mt.json' with { type: 'json' };
import { noticeFacts } from '../../consent/notice-facts.ts';
import { NoticeTexts } from '../../consent/notice-words.ts';
import { describeServer, payload } from './helpers.ts';

const models = Object.entries<string>({ ...english });
const plain = (text: string): string => text.replace(/[\u2066-\u2069]/g, '');
const rightToLeft = ['ar', 'fa', 'he', 'ur'];
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

describe('the default words of a notice', () => {
  test('exist in the 24 official languages of the European Union, and in more', () => {
    const official = 'bg cs da de el en es et fi fr ga hr hu it lt lv mt nl pl pt ro sk sl sv'.split(' ');
    assert.deepEqual(
      official.filter((language) => !languages.includes(language as never)),
      [],
    );
    assert.equal(languages.length, 39);
  });

  for (const language of languages) {
    test(`are in the script of ${language}, as long as in English or a little longer`, async () => {
      const { messages: words } = await loadMessages(language);
      for (const [name, model] of models) {
        const text = words[name as keyof Messages];
        assert.equal(text, text.trim(), name);
        assert.equal(text, text.normalize('NFC'), name);
        assert.doesNotMatch(text, /[<>&\p{Cc}\u202a-\u202e\u2066-\u2069]/u, name);
        if (name !== 'list') assert.match(text, scripts[language] ?? /\p{Script=Latin}/u, name);
        if (language !== 'en' && model.includes(' ')) assert.notEqual(text, model, name);
        assert.ok(text.length <= 2.2 * model.length + 12, `${name} is as long as its English: ${text}`);
      }
    });

    test(`keep the limits of the texts of a notice in ${language}`, async () => {
      const { messages: words } = await loadMessages(language);
      const limited = Object.keys(NoticeTexts.shape).map((name) => [name, words[name as keyof Messages]]);
      assert.deepEqual(NoticeTexts.parse(Object.fromEntries(limited)), Object.fromEntries(limited));
    });

    test(`name refusing as briefly as accepting in ${language}`, async () => {
      const { reject, accept } = (await loadMessages(language)).messages;
      assert.ok(reject.length <= 1.5 * accept.length && accept.length <= 1.5 * reject.length, `${reject} | ${accept}`);
    });

    test(`read in the direction of ${language}`, async () => {
      const { messages: words } = await loadMessages(language);
      const strong = /\p{Script=Arabic}|\p{Script=Hebrew}/u;
      for (const [name, text] of Object.entries<string>({ ...words })) {
        const [first] = /\p{L}/u.exec(text.replace(/\{\w+\}/g, '')) ?? [''];
        if (first !== '') assert.equal(strong.test(first), rightToLeft.includes(language), `${name}: ${text}`);
      }
    });
  }

  test('name every link that a notice may have', () => {
    for (const name of Object.keys(noticeFacts.links.shape)) assert.ok(name in english, name);
  });

  test('join two names as the language does', async () => {
    for (const language of languages) {
      const [, , and] = (await loadMessages(language)).messages.list.split(/\{\w+\}/);
      assert.equal(`A${and}B`, new Intl.ListFormat(language).format(['A', 'B']), language);
    }
  });

  test('are those of the language that fits a tag best, or English', async () => {
    const wanted = {
      'pt-BR': 'pt',
      'de-AT-1996': 'de',
      no: 'nb',
      'nn-NO': 'nb',
      he: 'he',
      'zh-TW': 'zh-Hant',
      'zh-HK': 'zh-Hant',
      'zh-Hant-CN': 'zh-Hant',
      zh: 'zh-Hans',
      'zh-SG': 'zh-Hans',
      'ar-EG-u-nu-latn': 'ar',
      'en-GB': 'en',
      'hi-Latn': 'en',
      sw: 'en',
      tlh: 'en',
    };
    for (const [tag, language] of Object.entries(wanted))
      assert.equal((await loadMessages(tag)).language, language, tag);
  });
});

describeServer('the intro of a notice', (server) => {
  const read = async (content: object) => {
    const id = await server.createNotice({ content: { controllerName: 'Acme', ...content } });
    return payload(await server.request('GET', `/v1/public/consent/${id}`, { key: null }), 200);
  };
  const number = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      key: `p${index}`,
      label: `L${index + 1}`,
      description: '',
      required: false,
    }));

  const introductions: Readonly<Record<string, readonly (readonly [number, string])[]>> = {
    en: [
      [1, 'Acme asks for your consent to use your data for: L1. The choice is free'],
      [2, 'for: L1 and L2. '],
      [3, 'for: L1, L2 and L3. '],
      [4, 'for: L1, L2, L3 and 1 more. '],
      [50, 'for: L1, L2, L3 and 47 more. '],
    ],
    de: [
      [1, 'Acme bittet um Ihre Einwilligung, Ihre Daten für Folgendes zu verwenden: L1. '],
      [3, ': L1, L2 und L3. '],
      [4, ': L1, L2, L3 und weitere (1). '],
      [50, ': L1, L2, L3 und weitere (47). '],
    ],
    pl: [
      [2, ': L1 i L2. '],
      [4, ': L1, L2, L3 i jeszcze 1. '],
      [50, ': L1, L2, L3 i jeszcze 47. '],
    ],
    ar: [
      [1, ': L1. '],
      [2, ': L1 وL2. '],
      [3, ': L1 وL2 وL3. '],
      [4, ': L1 وL2 وL3 وأغراض أخرى (1). '],
      [50, ': L1 وL2 وL3 وأغراض أخرى (47). '],
    ],
    he: [
      [3, ': L1, L2 ו-L3. '],
      [4, ': L1, L2, L3 ועוד 1. '],
      [50, ': L1, L2, L3 ועוד 47. '],
    ],
    fa: [
      [3, ': L1، L2 و L3. '],
      [50, ': L1، L2، L3 و ۴۷ مورد دیگر. '],
    ],
    ja: [
      [2, '：L1、L2。'],
      [4, '：L1、L2、L3、ほか1件。'],
      [50, '：L1、L2、L3、ほか47件。'],
    ],
    'zh-CN': [
      [1, 'Acme请求您同意将您的数据用于：L1。'],
      [2, '：L1和L2。'],
      [3, '：L1、L2和L3。'],
      [4, '：L1、L2、L3以及另外1项。'],
      [50, '：L1、L2、L3以及另外47项。'],
    ],
  };
  for (const [language, cases] of Object.entries(introductions)) {
    test(`names up to three purposes in ${language} and counts the others`, async () => {
      for (const [count, part] of cases) {
        const { intro } = (await read({ language, purposes: number(count) })).texts;
        assert.ok(plain(intro).includes(part), plain(intro));
      }
    });
  }

  test('names the optional purposes, or the required ones if there are no others', async () => {
    const [first, ...others] = number(3);
    const required = { ...first, required: true };
    assert.match(plain((await read({ purposes: [required, ...others] })).texts.intro), /for: L2 and L3\. /);
    assert.match(plain((await read({ purposes: [required] })).texts.intro), /for: L1\. /);
  });

  test('isolates the direction of names and fills no placeholder that a name contains', async () => {
    const purposes = [{ ...number(1)[0], label: '{controller} $& {count}' }];
    const { texts } = await read({ controllerName: '{purposes}', purposes });
    assert.match(texts.intro, /^\u2068\{purposes\}\u2069 asks .*: \u2068\{controller\} \$& \{count\}\u2069\. /);
    assert.match(texts.panelIntro, /\u2068\{purposes\}\u2069/);
  });

  test('may be of the site, with placeholders', async () => {
    const texts = { intro: '{controller} counts: {purposes}. {label}', panelIntro: 'For {controller}.' };
    const shown = (await read({ texts, purposes: number(5) })).texts;
    assert.equal(plain(shown.intro), 'Acme counts: L1, L2, L3 and 2 more. {label}');
    assert.equal(plain(shown.panelIntro), 'For Acme.');
  });
});

describeServer('new default words', (server) => {
  test('change nothing that was published', async (context) => {
    const id = await server.createNotice({ content: { language: 'mt' } });
    const address = `/v1/public/consent/${id}`;
    const before = await server.request('GET', address, { key: null });
    assert.equal(payload(before, 200).texts.accept, maltese.accept);
    const { accept } = maltese;
    context.after(() => Object.assign(maltese, { accept }));
    Object.assign(maltese, { accept: 'Iva' });
    await server.request('POST', `/v1/consent/${id}/archive`);
    const again = payload(await server.request('POST', `/v1/consent/${id}/publish`), 200);
    assert.deepEqual([again.version, again.hasUnpublishedChanges], [1, false]);
    await using updated = await startServer(server.installation, { log: pino({ level: 'silent' }) });
    const after = await fetch(`http://127.0.0.1:${updated.port}${address}`);
    assert.deepEqual([await after.text(), after.headers.get('etag')], [before.text, before.headers.get('etag')]);
    await server.request('PATCH', `/v1/consent/${id}`, { body: { name: 'Renamed' } });
    await server.request('POST', `/v1/consent/${id}/publish`);
    const next = payload(await server.request('GET', address, { key: null }), 200);
    assert.deepEqual([next.version, next.asksSince, next.texts.accept], [2, 1, 'Iva']);
  });
});
