import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { languages, loadMessages } from '../../../../server/consent/messages/messages.ts';
import { readDirection } from '../../src/first-layer/elements.ts';
import type { Notice } from '../../src/notice/notice.ts';
import { listNames, writeDuration } from '../../src/panel/format.ts';
import { fillText, readMessages, writeMoment } from '../../src/panel/messages.ts';

const plain = (text: string): string => text.replace(/[\u2066-\u2069]/g, '');

describe('the texts of a notice', () => {
  test('contain a name unchanged, with its direction isolated', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (label, date) => {
        assert.equal(fillText('{label} / {date}', { label, date }), `\u2068${label}\u2069 / \u2068${date}\u2069`);
      }),
    );
    assert.equal(fillText('{constructor} {label}', { label: '$& {label}' }), '{constructor} \u2068$& {label}\u2069');
  });

  test('list names as the language does', async () => {
    for (const language of languages) {
      const messages = readMessages({ texts: (await loadMessages(language)).messages } as unknown as Notice);
      assert.equal(plain(listNames(['A', 'B'], messages)), new Intl.ListFormat(language).format(['A', 'B']), language);
      assert.equal(plain(listNames(['A'], messages)), 'A');
    }
    const german = readMessages({ texts: (await loadMessages('de')).messages } as unknown as Notice);
    assert.equal(plain(listNames(['A', 'B', 'C', 'D'], german)), 'A, B, C und D');
  });

  test('have a moment in the language of the notice', () => {
    assert.match(writeMoment('2026-11-21T12:00:00.000Z', 'de'), /^21\. November 2026/);
  });

  test('read from right to left in Arabic, Hebrew, Persian and Urdu, and in no other language with default messages', () => {
    assert.deepEqual(
      languages.filter((language) => readDirection(language) === 'rtl'),
      ['ar', 'fa', 'he', 'ur'],
    );
    assert.equal(readDirection('ar-EG'), 'rtl');
    assert.equal(readDirection('far'), 'ltr');
  });
});

describe('the lifetime of a tracker', () => {
  for (const [duration, language, text] of [
    ['P13M', 'en', '13 months'],
    ['P1Y', 'de', '1 Jahr'],
    ['P1DT12H', 'en', '1 day 12 hours'],
    ['PT30M', 'en', '30 minutes'],
    ...['', 'P', 'soon', '13M', 'P1X'].map((invalid) => [invalid, 'en', invalid] as const),
  ] as const)
    test(`${duration} is "${text}" in ${language}`, () => assert.equal(writeDuration(duration, language), text));
});
