import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { GrowingTree, splitRange } from '../../../packages/node-sdk/src/ledger/merkle.ts';
import { sha256 } from '../../ledger/merkle.ts';
import { naiveLeaf, naiveNode, naivePath, naiveProof, naiveRoot, rootOfPath, rootsOfProof } from './naive-merkle.ts';
import { growRoot, makePath, makeProof, verifyConsistency, verifyInclusion } from './own-merkle.ts';

const leavesOf = (size: number) => Array.from({ length: size }, (_, at) => naiveLeaf(Buffer.from(`leaf ${at}`)));
const largest = 300;
const all = leavesOf(largest);
/** A tree and one of its leaves. */
const place = fc
  .integer({ min: 1, max: largest })
  .chain((size) => fc.record({ size: fc.constant(size), index: fc.nat(size - 1) }));
/** A tree and a smaller one. */
const growth = fc
  .integer({ min: 1, max: largest })
  .chain((to) => fc.record({ to: fc.constant(to), from: fc.integer({ min: 1, max: to }) }));

/** Every way to modify a list of hashes; the result always differs. */
function spoil(hashes: readonly Buffer[]): fc.Arbitrary<readonly Buffer[]> {
  const added = fc.record({ at: fc.nat(hashes.length), hash: fc.constantFrom(...all.slice(0, 4), ...hashes) });
  const ways: fc.Arbitrary<readonly Buffer[]>[] = [added.map(({ at, hash }) => hashes.toSpliced(at, 0, hash))];
  if (hashes.length > 0) {
    const at = fc.nat(hashes.length - 1);
    ways.push(at.map((index) => hashes.toSpliced(index, 1)));
    ways.push(fc.tuple(at, fc.nat(31), fc.nat(7)).map(([index, byte, bit]) => flip(hashes, index, byte, bit)));
    ways.push(
      fc
        .tuple(at, at)
        .map(([one, other]) => hashes.with(one, hashes[other] as Buffer).with(other, hashes[one] as Buffer)),
    );
  }
  return fc.oneof(...ways).filter((spoilt) => Buffer.concat(spoilt).compare(Buffer.concat(hashes)) !== 0);
}

function flip(hashes: readonly Buffer[], index: number, byte: number, bit: number): readonly Buffer[] {
  const changed = Buffer.from(hashes[index] as Buffer);
  changed[byte] = (changed[byte] as number) ^ (1 << bit);
  return hashes.with(index, changed);
}

describe('a Merkle tree', () => {
  test('has the root, the audit paths and the consistency proofs of RFC 6962 section 2.1', () => {
    fc.assert(
      fc.property(place, growth, ({ size, index }, { from, to }) => {
        const leaves = all.slice(0, size);
        assert.deepEqual(growRoot(leaves), naiveRoot(leaves));
        assert.deepEqual(makePath(index, leaves), naivePath(index, leaves));
        assert.deepEqual(makeProof(from, all.slice(0, to)), naiveProof(from, all.slice(0, to)));
      }),
    );
  });

  test('is the same when it grows by whole subtrees', () => {
    fc.assert(
      fc.property(growth, ({ from, to }) => {
        const tree = new GrowingTree(sha256);
        for (const { start, end } of [
          { start: 0, end: from },
          { start: from, end: to },
        ])
          for (const { level, index } of splitRange({ start, end }))
            tree.add(naiveRoot(all.slice(index * 2 ** level, (index + 1) * 2 ** level)), level);
        assert.equal(tree.size, to);
        assert.deepEqual(tree.root(), naiveRoot(all.slice(0, to)));
      }),
    );
  });
});

describe('an audit path', () => {
  const verify = (index: number, size: number, hashes: readonly Buffer[], change: object = {}) =>
    verifyInclusion({
      index,
      size,
      leaf: all[index] as Buffer,
      root: naiveRoot(all.slice(0, size)),
      hashes,
      ...change,
    });

  test('verifies for every leaf of every tree', () => {
    for (let size = 1; size <= 40; size += 1) {
      for (let index = 0; index < size; index += 1)
        assert.ok(verify(index, size, naivePath(index, all.slice(0, size))));
    }
  });

  test('does not verify with a hash changed, dropped, added or swapped', () => {
    const spoilt = place.chain(({ size, index }) =>
      fc.record({
        size: fc.constant(size),
        index: fc.constant(index),
        hashes: spoil(naivePath(index, all.slice(0, size))),
      }),
    );
    fc.assert(
      fc.property(spoilt, ({ size, index, hashes }) => {
        assert.equal(verify(index, size, hashes), false);
      }),
      { numRuns: 500 },
    );
  });

  test('does not verify for another leaf, place or root', () => {
    fc.assert(
      fc.property(
        place,
        fc.nat(largest - 1),
        fc.integer({ min: -2, max: largest }),
        ({ size, index }, other, wrong) => {
          fc.pre(other !== index && wrong !== index);
          const hashes = naivePath(index, all.slice(0, size));
          assert.equal(verify(index, size, hashes, { leaf: all[other] }), false);
          assert.equal(verify(index, size, hashes, { index: wrong }), false);
          assert.equal(verify(index, size, hashes, { root: naiveRoot(all.slice(0, size - 1)) }), false);
        },
      ),
    );
  });

  test('verifies for another size only if the definition leads to the same root', () => {
    fc.assert(
      fc.property(place, fc.integer({ min: 0, max: 2 * largest }), ({ size, index }, other) => {
        const hashes = naivePath(index, all.slice(0, size));
        const root = naiveRoot(all.slice(0, size));
        const expected = index < other && rootOfPath(all[index] as Buffer, index, other, hashes)?.equals(root) === true;
        assert.equal(verify(index, other, hashes, { root }), expected);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a proof that continues above the root', () => {
  test('does not verify, although its last hash leads to the given root', () => {
    fc.assert(
      fc.property(place, growth, fc.boolean(), ({ size, index }, { from, to }, isLeft) => {
        const more = naiveLeaf(Buffer.from('more'));
        const above = (root: Buffer) => (isLeft ? naiveNode(more, root) : naiveNode(root, more));
        const root = above(naiveRoot(all.slice(0, size)));
        const hashes = [...naivePath(index, all.slice(0, size)), more];
        assert.equal(verifyInclusion({ index, size, leaf: all[index] as Buffer, root, hashes }), false);
        const [older, newer] = [naiveRoot(all.slice(0, from)), above(naiveRoot(all.slice(0, to)))];
        for (const one of [older, above(older)]) {
          const ends = { from: { size: from, root: one }, to: { size: to, root: newer } };
          assert.equal(verifyConsistency({ ...ends, hashes: [...naiveProof(from, all.slice(0, to)), more] }), false);
        }
      }),
    );
  });
});

describe('a consistency proof', () => {
  const verify = (from: number, to: number, hashes: readonly Buffer[], roots = { from, to }) =>
    verifyConsistency({
      from: { size: from, root: naiveRoot(all.slice(0, roots.from)) },
      to: { size: to, root: naiveRoot(all.slice(0, roots.to)) },
      hashes,
    });

  test('verifies for every two sizes', () => {
    for (let to = 0; to <= 40; to += 1) {
      for (let from = 0; from <= to; from += 1)
        assert.ok(verify(from, to, naiveProof(from, all.slice(0, to))), `${from} ${to}`);
    }
  });

  test('does not verify with a hash changed, dropped, added or swapped', () => {
    const spoilt = growth.chain(({ from, to }) =>
      fc.record({ from: fc.constant(from), to: fc.constant(to), hashes: spoil(naiveProof(from, all.slice(0, to))) }),
    );
    fc.assert(
      fc.property(spoilt, ({ from, to, hashes }) => {
        assert.equal(verify(from, to, hashes), false);
      }),
      { numRuns: 500 },
    );
  });

  test('does not verify for the root of another tree', () => {
    fc.assert(
      fc.property(growth, fc.nat(largest), ({ from, to }, other) => {
        const hashes = naiveProof(from, all.slice(0, to));
        if (other !== from) assert.equal(verify(from, to, hashes, { from: other, to }), false);
        if (other !== to) assert.equal(verify(from, to, hashes, { from, to: other }), false);
      }),
    );
  });

  test('verifies for other sizes only if the definition leads to the same roots', () => {
    fc.assert(
      fc.property(growth, fc.nat(largest + 20), fc.nat(largest + 20), ({ from, to }, one, other) => {
        const hashes = naiveProof(from, all.slice(0, to));
        const [older, newer] = [naiveRoot(all.slice(0, from)), naiveRoot(all.slice(0, to))];
        for (const [smaller, larger] of [
          [one, to],
          [from, other],
          [one, other],
        ] as const) {
          const roots = smaller > 0 && smaller <= larger ? rootsOfProof(smaller, larger, older, hashes) : null;
          const expected = roots?.[0].equals(older) === true && roots[1].equals(newer);
          assert.equal(verify(smaller, larger, hashes, { from, to }), expected, `${smaller} ${larger}`);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('is empty for an empty tree', () => {
    assert.ok(verify(0, 5, []));
    assert.equal(verify(0, 5, [all[0] as Buffer]), false);
    assert.equal(verify(0, 5, [], { from: 1, to: 5 }), false);
    assert.equal(verify(5, 4, []), false);
  });
});
