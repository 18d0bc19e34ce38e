import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  attemptOffsets,
  isWithinWindow,
  planRetry,
  readRetryAfter,
  retryWindow,
} from '../../webhooks/sender/attempt.ts';

const start = Date.parse('2026-11-21T12:00:00.000Z');
const at = (offset: number) => new Date(start + offset).toISOString();
const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

interface Play {
  readonly offsets?: readonly number[];
  /** By default without jitter. */
  readonly random?: () => number;
  readonly retryAfter?: () => number | null;
  readonly delay?: () => number;
}

/** The times of attempts that all fail immediately. */
function playAttempts({ offsets = attemptOffsets, random = () => 0.5, ...play }: Play): readonly number[] {
  const { retryAfter = () => null, delay = () => 0 } = play;
  const times = [0];
  for (;;) {
    const now = at(times.at(-1) as number);
    const made = { offsets, attempts: times.length, firstAttemptAt: at(0), now, retryAfter: retryAfter() };
    const due = planRetry(made, random());
    if (due === null) return times;
    times.push(Date.parse(due) - start + delay());
  }
}

describe('the schedule of retries', () => {
  test('without jitter is the table, except the last attempt, which is before the end', () => {
    const times = playAttempts({});
    assert.deepEqual(times, [...attemptOffsets.slice(0, -1), 0.95 * (retryWindow - 60_000)]);
  });

  test('moves each attempt by a tenth at most', () => {
    fc.assert(
      fc.property(fc.array(unit, { minLength: 11, maxLength: 11 }), (draws) => {
        const left = [...draws];
        const times = playAttempts({ random: () => left.shift() ?? 0.5 });
        assert.equal(times.length, attemptOffsets.length);
        for (const [index, time] of times.entries()) {
          const offset = attemptOffsets[index] as number;
          assert.ok(
            time >= Math.floor(Math.min(offset, retryWindow - 60_000) * 0.9) && time <= offset * 1.1,
            `${index}: ${time}`,
          );
        }
      }),
    );
  });

  test('never decreases, is never before Retry-After, and never beyond the 24 hours', () => {
    const wish = fc.option(fc.integer({ min: 0, max: 2 * retryWindow }), { nil: null, freq: 3 });
    fc.assert(
      fc.property(fc.infiniteStream(unit), fc.infiniteStream(wish), (draws, asked) => {
        const wishes: (number | null)[] = [];
        const next = <Value>(stream: fc.Stream<Value>) => stream.next().value as Value;
        const ask = () => {
          const value = next(asked);
          wishes.push(value);
          return value;
        };
        const times = playAttempts({ random: () => next(draws), retryAfter: ask });
        assert.ok(times.length <= attemptOffsets.length);
        for (const [index, time] of times.entries()) {
          if (index === 0) continue;
          const before = times[index - 1] as number;
          assert.ok(time > before && time < retryWindow);
          assert.ok(time >= Math.min(before + (wishes[index - 1] ?? 0), retryWindow - 11 * 60_000));
        }
        assert.ok(isWithinWindow(at(0), at(times.at(-1) as number)));
      }),
    );
  });

  test('spreads deliveries that failed together, also before the end and with Retry-After', () => {
    const draw = (retryAfter: number | null, attempts: number, now: number) => {
      const failed = { attempts, firstAttemptAt: at(0), now: at(now), retryAfter };
      return new Set(Array.from({ length: 1000 }, (_, index) => planRetry(failed, index / 1000)));
    };
    assert.ok(draw(null, 11, 43_200_000).size > 990);
    assert.ok(draw(600_000, 2, 5_000).size > 990);
    assert.ok(draw(2 * retryWindow, 2, 5_000).size > 990);
  });

  test('does not catch up on attempts that a stopped server has missed', () => {
    const times = playAttempts({ delay: () => 7_200_000 });
    for (const [index, time] of times.entries()) {
      if (index > 0) assert.ok(time - (times[index - 1] as number) >= 1000);
    }
    assert.ok(times.length < attemptOffsets.length);
  });

  test('closes after 24 hours, and is open before the first attempt', () => {
    assert.equal(isWithinWindow(null, at(9 * retryWindow)), true);
    assert.equal(isWithinWindow(at(0), at(retryWindow)), true);
    assert.equal(isWithinWindow(at(0), at(retryWindow + 1)), false);
  });
});

describe('a custom schedule', () => {
  /** In whole seconds, as endpoints have them, and in the format of the sender. */
  const schedule = fc
    .uniqueArray(fc.oneof(fc.integer({ min: 1, max: 86_400 }), fc.integer({ min: 1, max: 60 })), {
      minLength: 1,
      maxLength: 20,
    })
    .map((seconds) => [0, ...seconds.sort((one, other) => one - other).map((second) => second * 1000)]);

  test('is followed exactly without jitter, and has no attempt after its last time', () => {
    fc.assert(
      fc.property(schedule, (offsets) => {
        const early = offsets.filter((offset) => offset <= retryWindow - 60_000 - 600_000);
        const times = playAttempts({ offsets });
        assert.deepEqual(times.slice(0, early.length), early);
        assert.ok(times.length <= offsets.length);
        if (early.length === offsets.length) assert.equal(times.length, offsets.length);
      }),
    );
  });

  test('has an attempt at each of its times, in order, each moved by a tenth at most', () => {
    fc.assert(
      fc.property(schedule, fc.infiniteStream(unit), (offsets, draws) => {
        const random = () => draws.next().value as number;
        const times = playAttempts({ offsets, random });
        for (const [index, time] of times.entries()) {
          const offset = Math.min(offsets[index] as number, retryWindow - 60_000);
          assert.ok(index === 0 || time > (times[index - 1] as number));
          assert.ok(time < retryWindow - 59_000);
          if (offset <= 78_000_000) assert.ok(Math.abs(time - offset) <= offset / 10 + 1, `${index}: ${time}`);
        }
        const early = offsets.filter((offset) => offset * 1.1 <= retryWindow - 660_000);
        assert.ok(times.length >= early.length);
      }),
    );
  });

  // A slow attempt, or one that waits for the rate limit, may delay the next one past its time: it must not be lost.
  test('has all its attempts at its own intervals if its times have passed, and does not catch up', () => {
    assert.deepEqual(
      playAttempts({ offsets: [0, 60_000, 120_000, 180_000], delay: () => 600_000 }),
      [0, 660_000, 1_320_000, 1_980_000],
    );
    assert.deepEqual(playAttempts({ offsets: [0, 5000, 15_000], delay: () => 15_000 }), [0, 20_000, 45_000]);
  });

  test('never has fewer attempts than times, however long each takes, within the 24 hours', () => {
    const short = schedule.filter((offsets) => (offsets.at(-1) as number) <= 3_600_000);
    const delay = fc.integer({ min: 0, max: 3_600_000 });
    fc.assert(
      fc.property(short, delay, fc.infiniteStream(unit), (offsets, milliseconds, draws) => {
        const random = () => draws.next().value as number;
        const times = playAttempts({ offsets, random, delay: () => milliseconds });
        const last = times.at(-1) as number;
        assert.ok(times.length <= offsets.length);
        assert.ok(times.length === offsets.length || last > retryWindow - 3_600_000 - 660_000 - 3_960_000);
      }),
    );
  });

  test('spreads deliveries that failed together also if its times have passed', () => {
    const failed = { offsets: [0, 10_000], attempts: 1, firstAttemptAt: at(0), now: at(15_000), retryAfter: null };
    const draws = new Set(Array.from({ length: 1000 }, (_, index) => planRetry(failed, index / 1000)));
    assert.ok(draws.size > 990);
  });

  test('that reaches the end of the window has its last attempt before it, however late the previous one was', () => {
    const times = playAttempts({ offsets: [0, 1000, 86_400_000], delay: () => 82_000_000 });
    assert.equal(times.length, 3);
    assert.ok((times[2] as number) - 82_000_000 < retryWindow);
  });

  test('respects Retry-After before each of its attempts, and has no more of them', () => {
    const times = playAttempts({ offsets: [0, 1000, 2000], random: () => 0, retryAfter: () => 3_600_000 });
    assert.deepEqual(times, [0, 3_600_000, 7_200_000]);
  });
});

describe('Retry-After', () => {
  const now = at(0);
  const readings: readonly (readonly [string | null, number | null])[] = [
    [null, null],
    ['0', 0],
    ['120', 120_000],
    ['Sat, 21 Nov 2026 12:02:00 GMT', 120_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['', null],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['2026-11-21T12:02:00Z', null],
    ['99999999999', null],
    ['Sat, nonsense', null],
  ];
  for (const [value, expected] of readings) {
    test(`${JSON.stringify(value)} means ${expected}`, () => assert.equal(readRetryAfter(value, now), expected));
  }
});
