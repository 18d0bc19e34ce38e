import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { splitRange } from '../../../packages/node-sdk/src/ledger/merkle.ts';
import { consistencyPath, inclusionPath } from '../../ledger/merkle.ts';
import { naiveLeaf, rootOfPath, rootsOfProof } from './naive-merkle.ts';
import { verifyConsistency, verifyInclusion } from './own-merkle.ts';

/** Placeholders for the hashes of subtrees that are too large to hash. */
const all = Array.from({ length: 120 }, (_, at) => naiveLeaf(Buffer.from(`subtree ${at}`)));

// No tree is that large, but the numbers must be right where bit operators would stop at 32 bits.
describe('the numbers of large trees', () => {
  const size = fc.oneof(
    fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    fc
      .tuple(fc.integer({ min: 31, max: 52 }), fc.integer({ min: -2, max: 2 }))
      .map(([power, more]) => 2 ** power + more),
  );
  const largePlace = size.chain((count) =>
    fc.record({ count: fc.constant(count), index: fc.integer({ min: 0, max: count - 1 }) }),
  );

  test('a range is split into adjacent aligned subtrees of maximal size', () => {
    fc.assert(
      fc.property(largePlace, ({ count, index }) => {
        const parts = splitRange({ start: index, end: count });
        let at = index;
        for (const { level, index: number } of parts) {
          assert.equal(number * 2 ** level, at);
          const larger = 2 ** (level + 1);
          assert.ok(at % larger !== 0 || at + larger > count, 'a larger subtree fits');
          at += 2 ** level;
        }
        assert.equal(at, count);
        assert.ok(parts.length <= 2 * 53);
      }),
    );
  });

  test('an audit path and its leaf cover the whole tree, and each step at least doubles it', () => {
    fc.assert(
      fc.property(largePlace, ({ count, index }) => {
        const path = inclusionPath(index, count);
        assert.ok(path.length <= (count - 1).toString(2).length);
        let [start, end] = [index, index + 1];
        for (const range of path) {
          assert.ok(range.end === start || range.start === end, 'a sibling stands beside');
          [start, end] = [Math.min(start, range.start), Math.max(end, range.end)];
        }
        assert.deepEqual([start, end], [0, count]);
      }),
    );
  });

  test('an audit path in a tree of any size verifies, and not at another position', () => {
    fc.assert(
      fc.property(largePlace, ({ count, index }) => {
        const leaf = all[0] as Buffer;
        const hashes = inclusionPath(index, count).map((_, at) => all[at + 1] as Buffer);
        const root = rootOfPath(leaf, index, count, hashes) as Buffer;
        assert.ok(verifyInclusion({ index, size: count, leaf, root, hashes }));
        if (index !== count - 1 - index)
          assert.equal(verifyInclusion({ index: count - 1 - index, size: count, leaf, root, hashes }), false);
      }),
    );
  });

  test('a proof between any two sizes verifies, also next to powers of two', () => {
    fc.assert(
      fc.property(size, size, (one, other) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        fc.pre(from < to);
        const hashes = consistencyPath(from, to).map((_, at) => all[at + 1] as Buffer);
        const roots = rootsOfProof(from, to, all[0] as Buffer, hashes);
        assert.ok(roots);
        const proof = { from: { size: from, root: roots[0] }, to: { size: to, root: roots[1] }, hashes };
        assert.ok(verifyConsistency(proof), `${from} ${to}`);
      }),
      { numRuns: 500, examples: [[2 ** 49 + 1, 2 ** 50 + 3]] },
    );
  });
});
