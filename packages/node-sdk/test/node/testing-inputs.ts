import fc from 'fast-check';
import { requestRules } from '../../src/testing/request-rules.ts';
import type { Check, Rule } from '../../src/testing/rules.ts';

/** Values that are right somewhere, nearly right, or wrong everywhere. */
const words = fc.constantFrom(
  ...[
    'a',
    ' a ',
    '',
    ' ',
    '\u200B',
    'Analytics',
    'analytics',
    'é😀',
    'example.com',
    'EXAMPLE.com.',
    'https://example.com/x',
    'javascript:1',
  ],
  ...[
    'not a domain/',
    'localhost',
    'host',
    'en',
    'pt-br',
    'e n',
    'someone@Example.com',
    'nobody',
    'true',
    'false',
    '1',
    '0',
    '25',
    '100',
    '101',
    '201',
    '1e3',
    '-1',
  ],
  ...[
    '2026-11-21T12:00:00Z',
    '2026-11-21t12:00:00.5+02:00',
    '2026-02-30T12:00:00Z',
    '9999-12-31T23:59:59-23:59',
    '0000-01-01T00:00:00+23:59',
    '2027-01-01T00:00:00.000Z',
  ],
  ...[
    '01a1fead-9aa2-7000-999d-bc20213b5957',
    '01A1FEAD-9AA2-7000-999D-BC20213B5957',
    '01a1fead',
    'GDPR',
    'SOC2',
    'AC-01',
    'XX-01',
    'x'.repeat(65),
    '😀'.repeat(200),
  ],
  ...[
    'a\u202Eb',
    'a\nb',
    'a\r\nb\tc',
    'x'.repeat(256),
    'x'.repeat(300),
    'f'.repeat(64),
    'fulfilled',
    'rejected',
    'audit:read',
    'access',
  ],
);
const anything = fc.oneof(
  words,
  fc.constantFrom(null, true, false, 0, 1, -1, 1.5, 24, 169, 1e17),
  fc.constantFrom([], {}, [1, 2], ['a'], { a: 1 }),
);

/** Input for a rule of the table: right for the most part, so that a mistake does not hide what is behind it. */
export function anyInput(place: number | null): fc.Arbitrary<unknown> {
  if (place === null) return fc.constant(undefined);
  return fc.oneof(
    { weight: 9, arbitrary: likely(requestRules.rules[place] as Rule) },
    { weight: 1, arbitrary: anything },
  );
}

function likely(rule: Rule): fc.Arbitrary<unknown> {
  switch (rule[0]) {
    case 'string':
      return fc.oneof(words, textFor(rule.slice(1) as readonly Check[]), fc.string({ maxLength: 20 }));
    case 'number':
      return fc.oneof(fc.nat(200), fc.constantFrom(-1, 1.5, 1e17, -1e17));
    case 'boolean':
      return fc.boolean();
    case 'enum':
      return fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...rule[1]) }, { weight: 1, arbitrary: words });
    case 'union':
      return fc.oneof(...rule[1].map(anyInput));
    case 'array':
      return fc.array(anyInput(rule[1]), { maxLength: 4 });
    case 'record':
      return fc.dictionary(words, anyInput(rule[2]), { maxKeys: 3, noNullPrototype: true });
    case 'object': {
      const fields = Object.fromEntries(Object.entries(rule[1]).map(([name, inner]) => [name, anyInput(inner)]));
      // What may be left out is, now and then; so is, seldom, what may not.
      const mayLack = fc.record(fields, { requiredKeys: [], noNullPrototype: true });
      const known = fc.oneof(mayLack, { weight: 3, arbitrary: fc.record(fields, { noNullPrototype: true }) });
      const dropped = known.map((object) =>
        Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)),
      );
      const extra = fc.tuple(dropped, words).map(([object, name]) => ({ ...object, [name]: 1 }));
      return fc.oneof({ weight: 12, arbitrary: dropped }, { weight: 1, arbitrary: extra });
    }
    case 'optional':
    case 'default':
    case 'prefault':
      return fc.oneof(fc.constant(undefined), { weight: 2, arbitrary: anyInput(rule[1]) });
    case 'nullable':
      return fc.oneof(fc.constant(null), { weight: 3, arbitrary: anyInput(rule[1]) });
    case 'pipe':
      return anyInput(rule[1]);
    default:
      return anything;
  }
}

/** A text that most checks let pass. */
function textFor(checks: readonly Check[]): fc.Arbitrary<string> {
  const pattern = checks.find((check) => check[0] === 'pattern');
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern[1] as string));
  return fc.constantFrom('Website', 'Some text', 'other');
}
