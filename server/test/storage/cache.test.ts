import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { BriefCache, ByteCache } from '../../storage/cache.ts';
import { DatabaseUnavailable } from '../../storage/unavailable.ts';

describe('a byte cache', () => {
  test('evicts its oldest entries to stay within its limit', () => {
    const cache = new ByteCache<string>(100);
    for (const name of ['a', 'b', 'c']) cache.set(name, name, 15);
    assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], ['a', 'b', 'c']);
    cache.set('d', 'd', 15);
    assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('d')], [undefined, 'b', 'd']);
    cache.set('b', 'again', 15);
    cache.set('e', 'e', 15);
    assert.deepEqual([cache.get('b'), cache.get('c')], ['again', undefined]);
  });

  test('does not cache a value that is larger than the limit', () => {
    const cache = new ByteCache<string>(100);
    cache.set('huge', 'huge', 50);
    assert.equal(cache.get('huge'), undefined);
    cache.set('small', 'small', 10);
    assert.equal(cache.get('small'), 'small');
  });

  test('never exceeds its limit after any sequence of sets and deletes', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const step = fc.oneof(fc.record({ name, length: fc.nat(60) }), fc.record({ name }));
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const cache = new ByteCache<number>(100);
        for (const { name: key, length } of steps as { name: string; length?: number }[]) {
          if (length === undefined) cache.delete(key);
          else cache.set(key, length, length);
          const kept = ['a', 'b', 'c', 'd', 'e', 'f'].map((one) => cache.get(one)).filter((one) => one !== undefined);
          assert.ok(kept.reduce((sum, one) => sum + 2 * (1 + one), 0) <= 100);
          if (length !== undefined) assert.equal(cache.get(key), 2 * (1 + length) <= 100 ? length : undefined);
        }
      }),
    );
  });
});

const day = 24 * 60 * 60 * 1000;

describe('a brief cache', () => {
  /** A cache of one value that the test sets; `looks` counts its lookups. */
  function open() {
    const state = {
      now: 0,
      value: 'first' as string | undefined,
      looks: 0,
      /** Awaited by a lookup; its rejection is the lookup's error. */
      database: Promise.resolve(),
    };
    const cache = new BriefCache(
      async () => {
        state.looks += 1;
        const { value } = state;
        await state.database;
        return value === undefined ? undefined : { value: { value }, length: value.length };
      },
      () => state.now,
    );
    const find = async () => (await cache.find('name'))?.value;
    return { state, cache, find };
  }

  test('looks up at most once a second', async () => {
    const { state, find } = open();
    await find();
    state.value = 'second';
    state.now = 999;
    assert.deepEqual([await find(), state.looks], ['first', 1]);
    state.now = 1000;
    assert.deepEqual([await find(), state.looks], ['second', 2]);
  });

  test('does not cache missing values', async () => {
    const { state, find } = open();
    state.value = undefined;
    assert.equal(await find(), undefined);
    state.value = 'there';
    assert.equal(await find(), 'there');
  });

  test('forgets a value, including the result of a lookup in progress', async () => {
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

  test('shares one lookup between concurrent callers', async () => {
    const { state, find } = open();
    assert.deepEqual(await Promise.all([find(), find(), find()]), ['first', 'first', 'first']);
    assert.equal(state.looks, 1);
  });

  const unavailable = () => new DatabaseUnavailable(new Error('gone'));

  test('serves the last value for a day while the database is unavailable, and retries once a second', async () => {
    const { state, find } = open();
    await find();
    state.database = Promise.reject(unavailable());
    state.value = 'second';
    state.now = 1000;
    assert.deepEqual([await find(), await find(), state.looks], ['first', 'first', 2]);
    state.now = day - 1;
    assert.deepEqual([await find(), state.looks], ['first', 3]);
    state.now = day + 1000;
    await assert.rejects(find(), DatabaseUnavailable);
    state.database = Promise.resolve();
    assert.equal(await find(), 'second');
  });

  test('does not wait for a database that does not respond, and uses a late response', {
    timeout: 60_000,
  }, async () => {
    const { state, find } = open();
    await find();
    const answered = Promise.withResolvers<void>();
    state.database = answered.promise;
    state.value = 'second';
    state.now = 1000;
    assert.deepEqual([await find(), await find(), state.looks], ['first', 'first', 2]);
    answered.resolve();
    // The lookup in progress ends after some turns of its promises.
    while ((await find()) === 'first') await new Promise((resolve) => setImmediate(resolve));
    assert.equal(state.looks, 2);
  });

  test('throws for values that were never found or were forgotten, and for other errors', async () => {
    const { state, cache, find } = open();
    state.database = Promise.reject(unavailable());
    await assert.rejects(find(), DatabaseUnavailable);
    state.database = Promise.resolve();
    await find();
    state.database = Promise.reject(unavailable());
    cache.forget('name');
    await assert.rejects(find(), DatabaseUnavailable);
    state.database = Promise.resolve();
    await find();
    state.now = 1000;
    state.database = Promise.reject(new TypeError('a bug'));
    await assert.rejects(find(), TypeError);
  });

  test('drops a value once the database reports that it is gone', async () => {
    const { state, find } = open();
    await find();
    state.value = undefined;
    state.now = 1000;
    assert.equal(await find(), undefined);
    state.database = Promise.reject(unavailable());
    await assert.rejects(find(), DatabaseUnavailable);
  });
});
