import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { hashBytes, hashLeaf } from '../../../packages/node-sdk/src/ledger/merkle.ts';
import { sha256 } from '../../ledger/merkle.ts';
import {
  countHashes,
  hashRange,
  hashSubtrees,
  listOpenTiles,
  listTiles,
  nameTile,
  TiledTree,
} from '../../ledger/tiles.ts';
import { naiveRoot } from './naive-merkle.ts';

const leafAt = (at: number) => hashLeaf(sha256, Buffer.from(`leaf ${at}`));
const leavesOf = (size: number) => Array.from({ length: size }, (_, at) => leafAt(at));

/** A tree that is reopened from only what it stored. */
class Stored {
  readonly tiles = new Map<string, Buffer>();
  size = 0;

  /** Adds leaves as the server does. */
  grow(leaves: readonly Buffer[]): TiledTree {
    const wanted = listOpenTiles(this.size).map(nameTile);
    const tree = new TiledTree(this.size, new Map([...this.tiles].filter(([name]) => wanted.includes(name))));
    for (const leaf of leaves) tree.add(leaf);
    for (const tile of [...tree.takeFullTiles(), ...tree.openTiles()]) this.tiles.set(nameTile(tile), tile.hashes);
    this.size = tree.size;
    return tree;
  }
}

const largest = 1400;
const all = leavesOf(largest);
const steps = fc.array(fc.oneof(fc.nat(3), fc.integer({ min: 250, max: 260 }), fc.nat(700)), {
  minLength: 1,
  maxLength: 6,
});

describe('a tree in tiles', () => {
  test('has the same root and tiles regardless of the steps in which it grew', () => {
    fc.assert(
      fc.property(steps, (counts) => {
        const stored = new Stored();
        for (const count of counts) {
          const end = Math.min(largest, stored.size + count);
          const tree = stored.grow(all.slice(stored.size, end));
          assert.deepEqual(tree.root(), naiveRoot(all.slice(0, end)));
          const atOnce = new Stored();
          atOnce.grow(all.slice(0, end));
          assert.deepEqual([...stored.tiles].sort(), [...atOnce.tiles].sort());
        }
      }),
      { numRuns: 40 },
    );
  });

  test('has the number of hashes in each tile that its size implies', () => {
    fc.assert(
      fc.property(fc.nat(largest), (size) => {
        const stored = new Stored();
        stored.grow(all.slice(0, size));
        const open = listOpenTiles(size).map(nameTile);
        for (const level of [0, 1, 2]) {
          for (let number = 0; number < 7; number += 1) {
            const count = (stored.tiles.get(nameTile({ level, number }))?.length ?? 0) / hashBytes;
            assert.equal(countHashes({ level, number }, size), count);
            assert.equal(open.includes(nameTile({ level, number })), count > 0 && count < 256);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  test('does not open with missing or short tiles', () => {
    const stored = new Stored();
    stored.grow(all.slice(0, 700));
    for (const name of listOpenTiles(700).map(nameTile)) {
      const bytes = stored.tiles.get(name) as Buffer;
      for (const short of [undefined, bytes.subarray(0, -1), bytes.subarray(0, -hashBytes), Buffer.alloc(0)]) {
        const tiles = new Map(stored.tiles);
        if (short === undefined) tiles.delete(name);
        else tiles.set(name, short);
        assert.throws(() => new TiledTree(700, tiles), new RegExp(`tile ${name} does not reach that far`));
      }
    }
  });
});

describe('more leaves than two levels of tiles hold', () => {
  const size = 256 ** 2 + 300;
  const leaves = leavesOf(size);
  const stored = new Stored();

  test('have the root of RFC 6962', () => {
    assert.deepEqual(stored.grow(leaves).root(), naiveRoot(leaves));
    assert.equal(stored.tiles.get('2/0')?.length, hashBytes);
  });

  test('have the hash of every node and range of a proof in the tiles that are listed for it', () => {
    const anyRange = fc.integer({ min: 0, max: 16 }).chain((level) => {
      // A node of a tree: its start is a multiple of the size of its subtree, and its end may be incomplete.
      const width = 2 ** level;
      return fc
        .record({ index: fc.nat(Math.floor((size - 1) / width)), length: fc.integer({ min: 1, max: width }) })
        .map(({ index, length }) => ({ start: index * width, end: Math.min(size, index * width + length) }));
    });
    fc.assert(
      fc.property(anyRange, (range) => {
        const wanted = listTiles([range]).map(nameTile);
        const tiles = new Map(wanted.map((name) => [name, stored.tiles.get(name) as Buffer]));
        assert.deepEqual(hashRange(range, tiles), naiveRoot(leaves.slice(range.start, range.end)));
      }),
      {
        numRuns: 60,
        examples: [[{ start: 0, end: size }], [{ start: 0, end: 256 ** 2 }], [{ start: 256 ** 2, end: size }]],
      },
    );
  });

  test('need few tiles for a proof', () => {
    const range = { start: 0, end: size - 1 };
    assert.ok(listTiles([range]).length <= 4);
    assert.ok(hashSubtrees(range, stored.tiles).length <= 17);
  });
});
