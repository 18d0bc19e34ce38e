import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../ledger/canonical.ts';
import { type EventFilter, passesFilter, readFilter } from '../../webhooks/deliveries/event-filter.ts';

function passes(filter: EventFilter, data: Json): boolean {
  return passesFilter(readFilter(JSON.stringify(filter)), data);
}

/** Every path of data with its value, written out in full: the slow reference implementation. */
function listValues(value: Json, path: string): readonly (readonly [path: string, value: Json])[] {
  if (Array.isArray(value)) return value.flatMap((item) => listValues(item, path));
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => listValues(inner, path === '' ? key : `${path}.${key}`));
}

const key = fc.constantFrom('a', 'b', 'a.b', 'a..b', 'b.', '__proto__', 'constructor');
const scalar = fc.constantFrom<Json>(null, true, false, 0, 1, 1.5, '', '1', 'true', 'x');
const { data } = fc.letrec<{ readonly data: Json; readonly value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    tie('data'),
  ),
  // Parsed from JSON, so that __proto__ is a key like any other.
  data: fc
    .array(fc.tuple(key, tie('value')), { maxLength: 4 })
    .map((entries) => JSON.parse(`{${entries.map(([name, value]) => `"${name}":${JSON.stringify(value)}`)}}`)),
}));
const path = fc.array(key, { minLength: 1, maxLength: 4 }).map((keys) => keys.join('.'));
const filter = fc.dictionary(path, fc.array(scalar, { minLength: 1, maxLength: 4 }), { minKeys: 1, maxKeys: 3 });

describe('a filter of events', () => {
  test('matches data with an accepted value at every path, and nothing else', () => {
    let passed = 0;
    fc.assert(
      fc.property(filter, data, (wanted, given) => {
        const values = listValues(given, '');
        const expected = Object.entries(wanted).every(([at, accepted]) =>
          values.some(([there, value]) => there === at && (accepted as readonly Json[]).includes(value)),
        );
        const isPassed = passes(wanted as EventFilter, given);
        if (isPassed) passed += 1;
        assert.equal(isPassed, expected);
      }),
      { numRuns: 20_000 },
    );
    assert.ok(passed > 50, `${passed} passed: too few to be meaningful`);
  });

  test('resolves paths', () => {
    const record = {
      noticeId: 'n1',
      purposes: { analytics: true, 'my.own': false },
      before: null,
      list: [{ a: 1 }, 2],
    };
    for (const [wanted, isPassed] of [
      [{ noticeId: ['n1'] }, true],
      [{ noticeId: ['n2', 'n1'] }, true],
      [{ noticeId: ['N1'] }, false],
      [{ 'purposes.analytics': [true] }, true],
      [{ 'purposes.analytics': ['true'] }, false],
      [{ 'purposes.my.own': [false] }, true],
      [{ purposes: [true] }, false],
      [{ purposesXanalytics: [true] }, false],
      [{ 'purposes.other': [false] }, false],
      [{ before: [null] }, true],
      [{ absent: [null] }, false],
      [{ 'before.status': [null] }, false],
      [{ 'list.a': [1] }, true],
      [{ list: [2] }, true],
      [{ 'list.0': [2] }, false],
      [{ 'list.length': [2] }, false],
      [{ 'noticeId.length': [2] }, false],
      [{ constructor: [null], toString: [null] }, false],
      [{ noticeId: ['n1'], 'purposes.analytics': [false] }, false],
    ] as const)
      assert.equal(passes(wanted as EventFilter, record), isPassed, JSON.stringify(wanted));
  });
});
