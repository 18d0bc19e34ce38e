import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BriefCache } from '../../storage/brief-cache.ts';

describe('a brief cache', () => {
  /** A cache of one value that the test sets; `looks` counts how often it was looked up. */
  function open() {
    const state = { now: 0, value: 'first' as string | undefined, looks: 0 };
    const cache = new BriefCache(
      async () => {
        state.looks += 1;
        const { value } = state;
        return value === undefined ? undefined : { value: { value }, length: value.length };
      },
      () => state.now,
    );
    const find = async () => (await cache.find('name'))?.value;
    return { state, cache, find };
  }

  test('looks once a second', async () => {
    const { state, find } = open();
    await find();
    state.value = 'second';
    state.now = 999;
    assert.deepEqual([await find(), state.looks], ['first', 1]);
    state.now = 1000;
    assert.deepEqual([await find(), state.looks], ['second', 2]);
  });

  test('keeps nothing of what was not found', async () => {
    const { state, find } = open();
    state.value = undefined;
    assert.equal(await find(), undefined);
    state.value = 'there';
    assert.equal(await find(), 'there');
  });

  test('forgets what it is told to, what is being looked up at that moment included', async () => {
    const { state, cache, find } = open();
    const early = find();
    state.value = 'second';
    cache.forget('name');
    assert.equal(await early, 'first');
    assert.equal(await find(), 'second');
    state.value = 'third';
    cache.forget('name');
    assert.equal(await find(), 'third');
  });
});
