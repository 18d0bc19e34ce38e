import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { textLine } from '../../../http/schemas.ts';
import { splitParagraphs } from '../../../site/trust/page-markup.ts';
import { publicText } from '../../../site/trust/trust-center.ts';

const unit = fc.oneof(
  fc.constantFrom('\n', '\r', '\t', ' ', 'a', '\u202e', '\u2066', '\u2028', '\u0085', '\u200f', '\u200b', '\u0007'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
);
const anyText = fc.array(unit).map((parts) => parts.join(''));

describe('text for everybody to read', () => {
  test('has something to see, and nothing that deceives, on one line or in paragraphs', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const line = textLine(50).safeParse(text);
        if (line.success) assert.doesNotMatch(line.data, /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]|^\s|\s$|^$/u);
        const whole = publicText(50).safeParse(text);
        if (whole.success) assert.doesNotMatch(whole.data, /[\u202a-\u202e\u2066-\u2069]|[^\P{Cc}\n\t]|^\s|\s$|^$/u);
      }),
      { numRuns: 1000 },
    );
  });

  test('is as it was written, but for the white space around it and the form of its line ends', () => {
    const plain = fc
      .array(fc.constantFrom('a', 'ü', '\u05d0', ' ', '\n', '\u{1f512}', '<'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(plain, (text) => {
        fc.pre(text.trim() !== '');
        assert.equal(publicText(500).parse(text), text.trim());
        assert.equal(publicText(500).parse(text.replaceAll('\n', '\r\n')), text.trim());
        if (!text.trim().includes('\n')) assert.equal(textLine(500).parse(text), text.trim());
      }),
    );
  });

  test('falls into paragraphs at blank lines, none of which is empty and nothing of which is lost', () => {
    const plain = fc.array(fc.constantFrom('a', 'b', ' ', '\t', '\n')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(plain, (text) => {
        const paragraphs = splitParagraphs(text);
        for (const paragraph of paragraphs) {
          assert.notEqual(paragraph.trim(), '');
          assert.doesNotMatch(paragraph, /\S\s*\n[ \t]*\n\s*\S/);
        }
        assert.equal(paragraphs.join('').replace(/\s/g, ''), text.replace(/\s/g, ''));
      }),
    );
    assert.deepEqual(splitParagraphs('one\ntwo\n \n\nthree\n\n'), ['one\ntwo', 'three']);
  });
});
