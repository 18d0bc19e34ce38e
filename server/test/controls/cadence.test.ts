import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addCadence, type Cadence, cadences } from '../../controls/status.ts';

const months: readonly (readonly [Cadence, number])[] = [
  ['monthly', 1],
  ['quarterly', 3],
  ['semi_annual', 6],
  ['annual', 12],
];
const steps = fc.constantFrom(...months);
const times = fc
  .date({
    min: new Date('0000-01-01T00:00:00.000Z'),
    max: new Date('9998-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  .map((date) => date.toISOString());

/** Year and month as one number, to count months between. */
const monthNumber = (time: string) => Number(time.slice(0, 4)) * 12 + Number(time.slice(5, 7));

/** Days of a month, by the rule of the Gregorian calendar and not by the code of Date. */
function daysOf(time: string): number {
  const year = Number(time.slice(0, 4));
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return days[Number(time.slice(5, 7)) - 1] as number;
}

function add(time: string, cadence: Cadence): string {
  const later = addCadence(time, cadence);
  assert.ok(later !== null);
  return later;
}

test('a cadence lands exactly its number of calendar months later, at the same time of day', () => {
  fc.assert(
    fc.property(times, steps, (time, [cadence, count]) => {
      const later = add(time, cadence);
      assert.match(later, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.equal(monthNumber(later) - monthNumber(time), count);
      assert.equal(later.slice(10), time.slice(10));
    }),
    { numRuns: 1000 },
  );
});

test('the day of the month stays, or is the last of a month that is too short', () => {
  fc.assert(
    fc.property(times, steps, (time, [cadence]) => {
      const later = add(time, cadence);
      assert.equal(Number(later.slice(8, 10)), Math.min(Number(time.slice(8, 10)), daysOf(later)));
    }),
    { numRuns: 1000 },
  );
});

test('a later time is never due before an earlier one', () => {
  fc.assert(
    fc.property(times, times, steps, (one, other, [cadence]) => {
      const [earlier, later] = one < other ? [one, other] : [other, one];
      assert.ok(add(earlier, cadence) <= add(later, cadence));
    }),
  );
});

test('short months and leap years end as in the calendar', () => {
  const examples: readonly (readonly [string, Cadence, string])[] = [
    ['2026-01-31T10:20:30.456Z', 'monthly', '2026-02-28T10:20:30.456Z'],
    ['2028-01-30T00:00:00.000Z', 'monthly', '2028-02-29T00:00:00.000Z'],
    ['2028-02-29T23:59:59.999Z', 'annual', '2029-02-28T23:59:59.999Z'],
    ['2026-11-30T00:00:00.000Z', 'quarterly', '2027-02-28T00:00:00.000Z'],
    ['2026-08-31T00:00:00.000Z', 'semi_annual', '2027-02-28T00:00:00.000Z'],
    ['2026-12-31T00:00:00.000Z', 'monthly', '2027-01-31T00:00:00.000Z'],
    ['0050-01-31T00:00:00.000Z', 'monthly', '0050-02-28T00:00:00.000Z'],
  ];
  for (const [time, cadence, later] of examples) assert.equal(addCadence(time, cadence), later, `${time} ${cadence}`);
});

test('event_driven has no date', () => {
  fc.assert(fc.property(times, (time) => assert.equal(addCadence(time, 'event_driven'), null)));
});

test('no date is after the last year that RFC 3339 can express', () => {
  assert.equal(addCadence('9999-12-01T00:00:00.000Z', 'monthly'), '9999-12-31T23:59:59.999Z');
  assert.equal(addCadence('9999-06-30T12:00:00.000Z', 'annual'), '9999-12-31T23:59:59.999Z');
  assert.equal(addCadence('9999-11-30T12:00:00.000Z', 'monthly'), '9999-12-30T12:00:00.000Z');
});

test('the cadences are those of spec.md', () => {
  assert.deepEqual(cadences, ['monthly', 'quarterly', 'semi_annual', 'annual', 'event_driven']);
});
