import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SenderWatch } from '../../webhooks/sender-watch.ts';

const beats = (counts: Readonly<Record<string, number>>) => new Map(Object.entries(counts));

describe('the watch over the processes that send', () => {
  test('finds who has not beaten for ten seconds, and nobody before', () => {
    const watch = new SenderWatch('me');
    assert.deepEqual(watch.note(beats({ me: 1, other: 5 }), 0), []);
    assert.deepEqual(watch.note(beats({ me: 2, other: 5 }), 9_999), []);
    assert.deepEqual(watch.note(beats({ me: 3, other: 5 }), 10_000), ['other']);
  });

  test('finds nobody ended who has beaten while this process stood still', () => {
    const watch = new SenderWatch('me');
    watch.note(beats({ me: 1, other: 5 }), 0);
    assert.deepEqual(watch.note(beats({ me: 2, other: 9 }), 60_000), []);
    assert.deepEqual(watch.note(beats({ me: 3, other: 9 }), 69_999), []);
    assert.deepEqual(watch.note(beats({ me: 4, other: 9 }), 70_000), ['other']);
  });

  test('does not find itself, and goes on telling of one that is still on the list', () => {
    const watch = new SenderWatch('me');
    watch.note(beats({ me: 1, other: 1 }), 0);
    assert.deepEqual(watch.note(beats({ me: 1, other: 1 }), 20_000), ['other']);
    assert.deepEqual(watch.note(beats({ me: 1, other: 1 }), 22_000), ['other']);
    assert.deepEqual(watch.note(beats({ me: 1 }), 24_000), []);
  });
});
