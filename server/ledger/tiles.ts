import {
  foldSubtrees,
  GrowingTree,
  hashBytes,
  type Subtree,
  splitRange,
} from '../../packages/node-sdk/src/ledger/merkle.ts';
import { type Range, sha256 } from './merkle.ts';

// A tree is stored as tiles of 256 hashes, as in C2SP tlog-tiles: level 0 holds leaves, level 1 the roots of full
// tiles of level 0, and so on. The last tile of a level may hold fewer. Proofs of any size need only a few tiles.

const tileHeight = 8;
const tileWidth = 2 ** tileHeight;

/** The stored tiles do not cover a proof because they are being rebuilt. */
export class IncompleteTiles extends Error {
  override readonly name = 'IncompleteTiles';
}

export interface TileAddress {
  readonly level: number;
  readonly number: number;
}

/** A tile: its hashes one after the other. */
export interface Tile extends TileAddress {
  readonly hashes: Buffer;
}

/** The tiles that a proof needs, by `nameTile`. */
export type Tiles = ReadonlyMap<string, Buffer>;

/** The name of a tile in a set: its level and its number. */
export function nameTile({ level, number }: TileAddress): string {
  return `${level}/${number}`;
}

/** The tiles that are needed to compute the hashes of these ranges, without duplicates. */
export function listTiles(ranges: readonly Range[]): readonly TileAddress[] {
  const tiles = ranges.flatMap(splitRange).map((subtree) => locate(subtree).tile);
  return [...new Map(tiles.map((tile) => [nameTile(tile), tile])).values()];
}

/**
 * The hash of a range that is a node of a tree: its start is a multiple of the size of its subtree.
 * @throws {IncompleteTiles} if a tile is missing or too short.
 */
export function hashRange(range: Range, tiles: Tiles): Buffer {
  return foldSubtrees(sha256, hashSubtrees(range, tiles));
}

/** The hashes of the complete subtrees of a range, from left to right. */
export function hashSubtrees(range: Range, tiles: Tiles): readonly Buffer[] {
  return splitRange(range).map((subtree) => hashSubtree(subtree, tiles));
}

function hashSubtree(subtree: Subtree, tiles: Tiles): Buffer {
  const { tile, offset, count } = locate(subtree);
  const bytes = tiles.get(nameTile(tile));
  if (bytes === undefined || bytes.length < (offset + count) * hashBytes)
    throw new IncompleteTiles(`tile ${nameTile(tile)} does not reach that far`);
  const tree = new GrowingTree(sha256);
  for (const hash of readHashes(bytes, offset, count)) tree.add(hash);
  return tree.root();
}

/** The position of the hashes that a subtree consists of. */
function locate({ level, index }: Subtree) {
  const tileLevel = Math.floor(level / tileHeight);
  const count = 2 ** (level - tileLevel * tileHeight);
  const first = index * count;
  return { tile: { level: tileLevel, number: Math.floor(first / tileWidth) }, offset: first % tileWidth, count };
}

function readHashes(bytes: Buffer, first: number, count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray((first + index) * hashBytes, (first + index + 1) * hashBytes),
  );
}

/** How many hashes a tile has in a tree of the given size. */
export function countHashes({ level, number }: TileAddress, size: number): number {
  const count = Math.floor(size / tileWidth ** level) - number * tileWidth;
  return Math.min(tileWidth, Math.max(0, count));
}

/** The tiles at the right edge of a tree that are not full, and how many hashes they have. */
export function listOpenTiles(size: number): readonly (TileAddress & { readonly count: number })[] {
  const open: (TileAddress & { readonly count: number })[] = [];
  for (let level = 0, nodes = size; nodes > 0; level += 1, nodes = Math.floor(nodes / tileWidth)) {
    const count = nodes % tileWidth;
    if (count > 0) open.push({ level, number: Math.floor(nodes / tileWidth), count });
  }
  return open;
}

/** A growing tree and the tiles that change with it. */
export class TiledTree extends GrowingTree<Buffer> {
  /** The hashes of the tile of each level that grows next. */
  #open: Buffer[][] = [];
  #full: Tile[] = [];

  /**
   * @param size how many leaves there are.
   * @param tiles the tiles that are not full (`listOpenTiles`).
   */
  constructor(size = 0, tiles: Tiles = new Map()) {
    super(sha256, (level, hash) => this.#keep(level, hash));
    // Read only from the tiles, so that a tile that is too short is detected here.
    for (const subtree of splitRange({ start: 0, end: size })) this.add(hashSubtree(subtree, tiles), subtree.level);
    // The subtrees are in the tiles already.
    this.#open = [];
    for (const { count, ...tile } of listOpenTiles(size))
      this.#open[tile.level] = readHashes(tiles.get(nameTile(tile)) as Buffer, 0, count);
  }

  /** The tiles that became full since the last call. */
  takeFullTiles(): readonly Tile[] {
    const full = this.#full;
    this.#full = [];
    return full;
  }

  /** The tiles that are not full. */
  openTiles(): readonly Tile[] {
    return listOpenTiles(this.size).map(({ level, number }) => ({
      level,
      number,
      hashes: Buffer.concat(this.#open[level] as Buffer[]),
    }));
  }

  #keep(level: number, hash: Buffer): void {
    if (level % tileHeight !== 0) return;
    const tileLevel = level / tileHeight;
    this.#open[tileLevel] ??= [];
    const hashes = this.#open[tileLevel];
    hashes.push(hash);
    if (hashes.length < tileWidth) return;
    const number = this.size / (2 ** level * tileWidth) - 1;
    this.#full.push({ level: tileLevel, number, hashes: Buffer.concat(hashes) });
    this.#open[tileLevel] = [];
  }
}
