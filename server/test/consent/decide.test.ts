import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type CaptureInput,
  checkChoices,
  type EarlierRecord,
  findRepeated,
  findWithdrawn,
  latestSuffices,
} from '../../consent/decide.ts';
import { Problem } from '../../http/problem.ts';

// The last key is also a member that every object inherits.
const keys = ['analytics', 'marketing', 'constructor'];
const choices = fc.dictionary(fc.constantFrom(...keys), fc.boolean(), { noNullPrototype: true });
const times = fc.constantFrom('2026-11-21T12:00:00.000Z', '2026-11-21T12:00:01.000Z', '2026-11-21T12:00:02.000Z');
const sources = fc.constantFrom('api' as const, 'public' as const);
const methods = fc.constantFrom(null, 'banner');

const histories: fc.Arbitrary<readonly EarlierRecord[]> = fc
  .array(fc.record({ purposes: choices, capturedAt: times, method: methods, source: sources }), { maxLength: 5 })
  .map((records) => records.map((record, index) => ({ ...record, id: `record-${index}`, noticeVersion: 1 })));

const inputs: fc.Arbitrary<CaptureInput> = fc.record({
  noticeId: fc.constant('notice'),
  subjectId: fc.constant('subject'),
  subjectChannel: fc.constant(null),
  method: methods,
  purposes: choices,
  capturedAt: fc.option(times),
  source: sources,
});

/** For each refused purpose the last word on it; of those that are grants, the newest. */
function findWithdrawnNaively(history: readonly EarlierRecord[], purposes: Readonly<Record<string, boolean>>) {
  const refused = Object.entries(purposes).filter(([, granted]) => !granted);
  const places = refused
    .map(([key]) => history.findIndex((record) => Object.hasOwn(record.purposes, key)))
    .filter((place, index) => history[place]?.purposes[refused[index]?.[0] as string] === true);
  return places.length === 0 ? null : history[Math.min(...places)]?.id;
}

test('findWithdrawn gives the newest record whose grant is still the last word on a refused purpose', () => {
  fc.assert(
    fc.property(histories, choices, (history, refused) => {
      assert.equal(findWithdrawn(history, refused), findWithdrawnNaively(history, refused));
    }),
    { numRuns: 1000 },
  );
});

test('where the latest record is said to suffice, the whole history says the same', () => {
  fc.assert(
    fc.property(histories, inputs, (history, input) => {
      const [latest] = history;
      if (latest === undefined || !latestSuffices(latest, input)) return;
      const repeated = findRepeated([latest], input);
      assert.equal(repeated, findRepeated(history, input));
      if (repeated === undefined)
        assert.equal(findWithdrawn([latest], input.purposes), findWithdrawn(history, input.purposes));
    }),
    { numRuns: 2000 },
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
