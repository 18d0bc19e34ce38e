import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkChoices, type EarlierRecord, findGranting, keepOthers, stateAfter } from '../../consent/record.ts';
import { Problem } from '../../http/problem.ts';

// The last key is also a member that every object inherits.
const keys = ['analytics', 'marketing', 'constructor'];
const choices = fc.dictionary(fc.constantFrom(...keys), fc.boolean(), { noNullPrototype: true });
const times = fc.constantFrom('2026-11-21T12:00:00.000Z', '2026-11-21T12:00:01.000Z', '2026-11-21T12:00:02.000Z');
const sources = fc.constantFrom('api' as const, 'public' as const);
const methods = fc.constantFrom(null, 'banner');

type Decided = Pick<EarlierRecord, 'purposes' | 'capturedAt' | 'method' | 'source'>;

/** Records of one subject in one space, newest first, each with what the ones before it leave. */
const histories: fc.Arbitrary<readonly EarlierRecord[]> = fc
  .array(fc.record({ purposes: choices, capturedAt: times, method: methods, source: sources }), { maxLength: 5 })
  .map((decided: readonly Decided[]) => {
    const history: EarlierRecord[] = [];
    for (const [index, one] of decided.entries())
      history.unshift({
        ...one,
        id: `record-${index}`,
        otherPurposes: keepOthers(stateAfter(history[0]), one.purposes),
      });
    return history;
  });

/** For each refused purpose the last word on it, where that is a grant. */
function findGrantingNaively(history: readonly EarlierRecord[], purposes: Readonly<Record<string, boolean>>) {
  const refused = Object.entries(purposes).filter(([, granted]) => !granted);
  return refused
    .map(([key]) => history.findIndex((record) => Object.hasOwn(record.purposes, key)))
    .filter((place, index) => history[place]?.purposes[refused[index]?.[0] as string] === true)
    .map((place) => history[place]?.id as string);
}

test('findGranting gives each record whose grant is still the last word on a refused purpose', () => {
  fc.assert(
    fc.property(histories, choices, (history, refused) => {
      assert.deepEqual(findGranting(stateAfter(history[0]), refused), new Set(findGrantingNaively(history, refused)));
    }),
    { numRuns: 1000 },
  );
});

test('the latest record has the last word on every purpose that any record names', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const named = new Set(history.flatMap(({ purposes }) => Object.keys(purposes)));
      const state = [...named].map((key) => {
        const { id, purposes } = history.find((record) => Object.hasOwn(record.purposes, key)) as EarlierRecord;
        return [key, { granted: purposes[key], recordId: id }];
      });
      assert.deepEqual(stateAfter(history[0]), Object.fromEntries(state));
    }),
    { numRuns: 1000 },
  );
});

test('checkChoices refuses exactly what is unknown, refused though required, or left out', () => {
  const purposes = fc.uniqueArray(fc.record({ key: fc.constantFrom(...keys), required: fc.boolean() }), {
    selector: ({ key }) => key,
  });
  fc.assert(
    fc.property(purposes, choices, fc.boolean(), (named, given, complete) => {
      const noticePurposes = named.map((purpose) => ({ ...purpose, label: 'x', description: '' }));
      const known = (key: string) => named.find((purpose) => purpose.key === key);
      const wrong = new Set([
        ...Object.keys(given).filter((key) => !known(key) || (known(key)?.required && given[key] === false)),
        ...(complete ? named.map(({ key }) => key).filter((key) => !Object.hasOwn(given, key)) : []),
      ]);
      const expected = [...wrong].map((key) => `body.purposes.${key}`);
      if (!complete && Object.keys(given).length === 0) expected.push('body.purposes');
      const check = () => checkChoices(noticePurposes, given, complete);
      if (expected.length === 0) return assert.doesNotThrow(check);
      assert.throws(check, (error) => {
        assert.ok(error instanceof Problem);
        assert.deepEqual(error.options.details?.map(({ path }) => path).sort(), expected.sort());
        return true;
      });
    }),
    { numRuns: 500 },
  );
});
