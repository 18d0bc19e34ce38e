import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSenderWatch } from '../../webhooks/sender/run-sender.ts';

const beats = (counts: Readonly<Record<string, number>>) => new Map(Object.entries(counts));

describe('the watch over sender processes', () => {
  test('reports a process without a heartbeat for ten seconds, and none before', () => {
    const watch = createSenderWatch('me');
    assert.deepEqual(watch(beats({ me: 1, other: 5 }), 0), []);
    for (const now of [3000, 6000, 9000, 9_999]) assert.deepEqual(watch(beats({ me: 2, other: 5 }), now), []);
    assert.deepEqual(watch(beats({ me: 3, other: 5 }), 10_000), ['other']);
  });

  test('reports none after it was suspended or the database was away, and then waits ten seconds again', () => {
    for (const count of [5, 9]) {
      const watch = createSenderWatch('me');
      watch(beats({ me: 1, other: 5 }), 0);
      for (const now of [60_000, 64_000, 68_000, 69_999])
        assert.deepEqual(watch(beats({ me: 2, other: count }), now), []);
      assert.deepEqual(watch(beats({ me: 4, other: count }), 70_000), ['other']);
    }
  });

  test('does not report itself, and keeps reporting a process that is still on the list', () => {
    const watch = createSenderWatch('me');
    watch(beats({ me: 1, other: 1 }), 0);
    for (const now of [4000, 8000]) watch(beats({ me: 1, other: 1 }), now);
    assert.deepEqual(watch(beats({ me: 1, other: 1 }), 10_000), ['other']);
    assert.deepEqual(watch(beats({ me: 1, other: 1 }), 12_000), ['other']);
    assert.deepEqual(watch(beats({ me: 1 }), 14_000), []);
  });
});
