import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { emptyHead, hashEntry, nextTime } from '../../ledger/entry.ts';

const anyText = fc.string({ unit: 'grapheme', maxLength: 300 });
const anyHash = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });
const anyTime = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

describe('hashEntry', () => {
  test('is SHA-256 over the previous hash in hex and the entry, both in UTF-8', () => {
    fc.assert(
      fc.property(anyHash, anyText, (previous, entry) => {
        const bytes = Buffer.concat([Buffer.from(previous, 'ascii'), Buffer.from(entry, 'utf8')]);
        assert.equal(hashEntry(previous, entry), createHash('sha256').update(bytes).digest('hex'));
      }),
    );
  });

  test('is SHA-256 over only the entry for the first one', () => {
    fc.assert(
      fc.property(anyText, (entry) => {
        assert.equal(hashEntry(null, entry), createHash('sha256').update(entry, 'utf8').digest('hex'));
      }),
    );
  });

  test('matches the known hash of a known chain', () => {
    // printf '{"a":1}' | sha256sum, then the hash followed by '{"b":2}'
    const first = hashEntry(null, '{"a":1}');
    assert.equal(first, '015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862');
    assert.equal(hashEntry(first, '{"b":2}'), 'baf9f83c9ebd3a7e019a3d0130608999938549f4da529dccc001740b3fb3194a');
  });
});

describe('nextTime', () => {
  const afterEntryAt = (last: string, now: string) =>
    nextTime({ sequence: 1, hash: 'a'.repeat(64), at: last }, now, () => now);
  const shift = (time: string, milliseconds: number) => new Date(Date.parse(time) + milliseconds).toISOString();

  test('is the time of the clock, even if it was set back', () => {
    fc.assert(
      fc.property(anyTime, anyTime, (last, now) => {
        const lag = Date.parse(last) - Date.parse(now);
        fc.pre(lag <= 0 || lag > 1000);
        assert.deepEqual(afterEntryAt(last, now), { at: now, hasFallen: lag > 0 });
      }),
    );
  });

  test('does not decrease if the clocks of two servers differ by up to a second', () => {
    const last = '2026-11-21T12:00:00.000Z';
    for (const lag of [1, 999, 1000])
      assert.deepEqual(afterEntryAt(last, shift(last, -lag)), { at: last, hasFallen: false });
    const earlier = shift(last, -1001);
    assert.deepEqual(afterEntryAt(last, earlier), { at: earlier, hasFallen: true });
  });

  test('is now for the first entry', () => {
    const now = '2026-11-21T12:00:00.000Z';
    assert.deepEqual(
      nextTime(emptyHead, now, () => now),
      { at: now, hasFallen: false },
    );
  });
});
