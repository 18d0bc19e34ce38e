import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { GrowingTree, hashLeaf, hashNode, splitRange } from '../../../packages/node-sdk/src/ledger/merkle.ts';
import { consistencyPath, inclusionPath, sha256 } from '../../ledger/merkle.ts';
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

/** Placeholders for the hashes of subtrees that are too large to hash. */
const subtrees = Array.from({ length: 120 }, (_, at) => naiveLeaf(Buffer.from(`subtree ${at}`)));

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
        const leaf = subtrees[0] as Buffer;
        const hashes = inclusionPath(index, count).map((_, at) => subtrees[at + 1] as Buffer);
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
        const hashes = consistencyPath(from, to).map((_, at) => subtrees[at + 1] as Buffer);
        const roots = rootsOfProof(from, to, subtrees[0] as Buffer, hashes);
        assert.ok(roots);
        const proof = { from: { size: from, root: roots[0] }, to: { size: to, root: roots[1] }, hashes };
        assert.ok(verifyConsistency(proof), `${from} ${to}`);
      }),
      { numRuns: 500, examples: [[2 ** 49 + 1, 2 ** 50 + 3]] },
    );
  });
});

const hex = (text: string) => Buffer.from(text, 'hex');

// The test data of the reference implementation of Certificate Transparency, which RFC 6962 describes.
const published = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const publishedRoots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const publishedPaths: readonly [index: number, size: number, hashes: readonly string[]][] = [
  [0, 1, []],
  [
    0,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    5,
    8,
    [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
  [
    1,
    5,
    [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];
const publishedProofs: readonly [from: number, to: number, hashes: readonly string[]][] = [
  [1, 1, []],
  [
    1,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    6,
    8,
    [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [
    2,
    5,
    [
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];

describe('the vectors of Certificate Transparency', () => {
  const leaves = published.map((data) => hashLeaf(sha256, hex(data)));

  test('give the published root of every size', () => {
    for (const [size, root] of publishedRoots.entries())
      assert.equal(growRoot(leaves.slice(0, size)).toString('hex'), root);
  });

  test('give the published audit paths, which verify', () => {
    for (const [index, size, expected] of publishedPaths) {
      const hashes = makePath(index, leaves.slice(0, size));
      assert.deepEqual(
        hashes.map((one) => one.toString('hex')),
        expected,
      );
      const root = hex(publishedRoots[size] as string);
      assert.ok(verifyInclusion({ index, size, leaf: leaves[index] as Buffer, root, hashes }));
    }
  });

  test('give the published consistency proofs, which verify', () => {
    for (const [size, larger, expected] of publishedProofs) {
      const hashes = makeProof(size, leaves.slice(0, larger));
      assert.deepEqual(
        hashes.map((one) => one.toString('hex')),
        expected,
      );
      const from = { size, root: hex(publishedRoots[size] as string) };
      assert.ok(verifyConsistency({ from, to: { size: larger, root: hex(publishedRoots[larger] as string) }, hashes }));
    }
  });

  test('give the published hashes of a leaf and of a node', () => {
    const bytes = (first: number, count: number) => Buffer.from(Array.from({ length: count }, (_, at) => first + at));
    const leaf = '3bfb960453ebaebf33727da7a1f4db38acc051d381b6da20d6d4e88f0eabfd7a';
    const node = '1a378704c17da31e2d05b6d121c2bb2c7d76f6ee6fa8f983e596c2d034963c57';
    assert.equal(hashLeaf(sha256, bytes(0x10, 16)).toString('hex'), leaf);
    assert.equal(hashNode(sha256, bytes(0, 32), bytes(32, 32)).toString('hex'), node);
  });
});
