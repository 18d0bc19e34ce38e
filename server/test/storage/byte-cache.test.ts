import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ByteCache } from '../../storage/cache.ts';

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
