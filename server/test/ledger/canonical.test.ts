import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import referenceCanonicalize from 'canonicalize';
import fc from 'fast-check';
import { canonicalize, type Json } from '../../ledger/canonical.ts';

/** Any JSON value: every double, every Unicode text, keys that sort differently by code unit and by code point. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('a', '\u{1F600}', '\u{10FFFF}', '\uFFFD', '\uE000', '"', '\\', '\0', '\x1f') }),
);
/** V8 reads a key that ends with an escaped quote as one that ends with a backslash after it has read such a key (Node 24.21). */
const anyKey = anyText.filter((text) => !/["\\]$/.test(text));
const anyNumber = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.maxSafeInteger());
const { anyJson } = fc.letrec<{ anyJson: Json }>((tie) => ({
  anyJson: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false),
    anyNumber,
    anyText,
    fc.array(tie('anyJson'), { maxLength: 5 }),
    fc.dictionary(anyKey, tie('anyJson'), { maxKeys: 8 }),
  ),
}));

describe('canonicalize', () => {
  test('matches the reference implementation of RFC 8785', () => {
    fc.assert(
      fc.property(anyJson, (value) => assert.equal(canonicalize(value), referenceCanonicalize(value))),
      { numRuns: 2000 },
    );
  });

  test('is lossless: the text parses to the value', () => {
    fc.assert(
      // Negative zero is the one number whose sign RFC 8785 drops.
      fc.property(anyJson, (value) => assert.deepEqual(JSON.parse(canonicalize(value)), dropNegativeZero(value))),
    );
  });

  test('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(anyText, anyJson), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse());
        assert.equal(canonicalize(reversed), canonicalize(object));
      }),
    );
  });

  test('matches the example in RFC 8785 section 3.2.2', () => {
    const value = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    assert.equal(
      canonicalize(value),
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  test('sorts keys by UTF-16 code units: a surrogate pair comes before U+FB33', () => {
    assert.equal(canonicalize({ '\uFB33': 1, '\u{1F600}': 2, '\u20ac': 3 }), '{"€":3,"\u{1F600}":2,"\uFB33":1}');
  });

  const unwritable: Readonly<Record<string, unknown>> = {
    undefined,
    'an undefined member': { a: undefined },
    'an undefined item': [undefined],
    NaN: Number.NaN,
    Infinity: Number.POSITIVE_INFINITY,
    '-Infinity': [Number.NEGATIVE_INFINITY],
    'a lone high surrogate': 'a\uD83D',
    'a lone low surrogate': ['\uDE00a'],
    'a lone surrogate in a key': { '\uD83D': 1 },
    'a bigint': 1n,
    'a function': () => 1,
    'a symbol': Symbol('s'),
  };
  for (const [name, value] of Object.entries(unwritable)) {
    test(`rejects ${name}`, () => {
      assert.throws(() => canonicalize(value as Json), TypeError);
    });
  }
});

function dropNegativeZero(value: Json): Json {
  return JSON.parse(JSON.stringify(value));
}
