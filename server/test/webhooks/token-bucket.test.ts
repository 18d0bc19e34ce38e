import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { TokenBucket } from '../../webhooks/sender/rate.ts';

/** The start times of attempts that start as soon as allowed. @param steps milliseconds between two checks. */
function play(perSecond: number, steps: readonly number[]): readonly number[] {
  const bucket = new TokenBucket(perSecond, 0);
  const begun: number[] = [];
  let now = 0;
  for (const step of [0, ...steps]) {
    now += step;
    const count = bucket.count(now);
    bucket.take(count, now);
    for (let one = 0; one < count; one += 1) begun.push(now);
  }
  return begun;
}

const rate = fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.constantFrom(0.5, 1 / 3, 0.01, 2.5));

describe('the rate of an endpoint', () => {
  test('is exceeded in no interval by more than a tenth of a second, or by one attempt', () => {
    fc.assert(
      fc.property(rate, fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 }), (perSecond, steps) => {
        const begun = play(perSecond, steps);
        const burst = Math.max(1, perSecond / 10);
        for (let first = 0; first < begun.length; first += 7) {
          for (let last = first; last < begun.length; last += 11) {
            const span = ((begun[last] as number) - (begun[first] as number)) / 1000;
            assert.ok(last - first + 1 <= span * perSecond + burst + 1e-3, `${last - first + 1} in ${span} s`);
          }
        }
      }),
    );
  });

  test('is reached by a caller that checks at every time that it returns', () => {
    fc.assert(
      fc.property(rate, (perSecond) => {
        const bucket = new TokenBucket(perSecond, 0);
        const seconds = Math.max(10, 20 / perSecond);
        let begun = 0;
        for (let now = 0; now < seconds * 1000; now = bucket.nextAt(now)) {
          const count = bucket.count(now);
          assert.ok(count > 0, `nothing may begin at ${now}`);
          bucket.take(count, now);
          begun += count;
        }
        // Times are whole milliseconds, so a fraction may be lost at each.
        assert.ok(
          begun >= 0.5 * seconds * perSecond && begun >= Math.floor(seconds * perSecond * 0.95) - 1,
          `${begun}`,
        );
      }),
    );
  });

  test('allows no more than the limit in its first second, and nothing from before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.array(fc.integer({ min: 1, max: 50 })), (perSecond, steps) => {
        const begun = play(perSecond, steps);
        assert.equal(begun.filter((time) => time === 0).length, 1);
        assert.ok(begun.filter((time) => time < 1000).length <= perSecond);
      }),
    );
  });

  test('accumulates nothing while the clock is behind that of another server', () => {
    const bucket = new TokenBucket(1, 55_000, 60_000);
    assert.equal(bucket.count(55_000), 0);
    assert.equal(bucket.nextAt(55_000), 61_000);
    assert.equal(bucket.count(61_000), 1);
  });

  test('accumulates from now on after the clock was ahead', () => {
    const bucket = new TokenBucket(1, 0, 60_000);
    assert.equal(bucket.count(0), 0);
    assert.equal(bucket.nextAt(0), 1000);
    assert.equal(bucket.count(1000), 1);
  });

  test('may be changed: accumulated tokens stay, up to the new limit', () => {
    const { emptyAt } = new TokenBucket(1000, 0);
    const slower = new TokenBucket(10, 1000, emptyAt);
    assert.equal(slower.count(1000), 1);
    slower.take(1, 1000);
    const faster = new TokenBucket(1000, 1000, slower.emptyAt);
    assert.equal(faster.count(1000), 0);
    assert.equal(faster.count(1050), 50);
  });
});
