import { hash } from 'node:crypto';

// The Merkle trees of RFC 6962 section 2.1, from the side of who checks. Sizes go up to 2^53, so halves are counted with
// division: bit operators stop at 32 bits.

const sha256 = (...parts: readonly Uint8Array[]): Buffer => hash('sha256', Buffer.concat(parts), 'buffer');

const leafMark = Buffer.of(0);
const nodeMark = Buffer.of(1);

/** The hash of a leaf. */
export function hashLeaf(data: Uint8Array): Buffer {
  return sha256(leafMark, data);
}

function hashNode(left: Uint8Array, right: Uint8Array): Buffer {
  return sha256(nodeMark, left, right);
}

/** A tree as it grows: the complete subtrees that it consists of, the largest first. */
export class GrowingTree {
  readonly #subtrees: { readonly width: number; readonly hash: Buffer }[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a leaf, or a complete subtree of so many leaves. */
  add(hash: Buffer, width = 1): void {
    this.#size += width;
    let added = { width, hash };
    for (let left = this.#subtrees.at(-1); left?.width === added.width; left = this.#subtrees.at(-1)) {
      this.#subtrees.pop();
      added = { width: 2 * added.width, hash: hashNode(left.hash, added.hash) };
    }
    this.#subtrees.push(added);
  }

  /** MTH of RFC 6962 section 2.1. */
  root(): Buffer {
    const [last, ...others] = this.#subtrees.toReversed();
    return others.reduce((right, left) => hashNode(left.hash, right), last?.hash ?? sha256());
  }
}

/** The widths of the largest complete subtrees that leaves from `start` up to, but without, `end` consist of. */
export function cutRange(start: number, end: number): readonly number[] {
  const widths: number[] = [];
  for (let at = start; at < end; at += widths.at(-1) as number) {
    let width = 1;
    while (at % (2 * width) === 0 && at + 2 * width <= end) width *= 2;
    widths.push(width);
  }
  return widths;
}

/** The largest power of two below a number. */
function splitPoint(size: number): number {
  let power = 1;
  while (2 * power < size) power *= 2;
  return power;
}

/**
 * The root that an audit path leads to: PATH of RFC 6962 section 2.1.1, read backwards.
 * @returns null when the path has too few or too many hashes.
 */
export function followPath(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
): Uint8Array | null {
  const rest = [...path];
  const climb = (at: number, width: number): Uint8Array | null => {
    if (width === 1) return leaf;
    const sibling = rest.pop();
    const half = splitPoint(width);
    const inner = at < half ? climb(at, half) : climb(at - half, width - half);
    if (sibling === undefined || inner === null) return null;
    return at < half ? hashNode(inner, sibling) : hashNode(sibling, inner);
  };
  const root = index < size ? climb(index, size) : null;
  return rest.length === 0 ? root : null;
}

/**
 * Whether a tree grew out of a smaller one: PROOF of RFC 6962 section 2.1.2, read backwards. Both roots are made of the
 * same hashes.
 */
export function isGrown(older: TreeHead, newer: TreeHead, proof: readonly Uint8Array[]): boolean {
  if (older.size > newer.size) return false;
  // Of nothing everything grows; the root of nothing is known.
  if (older.size === 0) return proof.length === 0 && new GrowingTree().root().equals(older.rootHash);
  const rest = [...proof];
  const climb = (from: number, to: number, isWhole: boolean): readonly [Uint8Array, Uint8Array] | null => {
    if (from === to) {
      const hash = isWhole ? older.rootHash : rest.pop();
      return hash === undefined ? null : [hash, hash];
    }
    const sibling = rest.pop();
    const half = splitPoint(to);
    const inner = from <= half ? climb(from, half, isWhole) : climb(from - half, to - half, false);
    if (sibling === undefined || inner === null) return null;
    const [before, now] = inner;
    return from <= half ? [before, hashNode(now, sibling)] : [hashNode(sibling, before), hashNode(sibling, now)];
  };
  const roots = climb(older.size, newer.size, true);
  if (roots === null || rest.length > 0) return false;
  return Buffer.compare(roots[0], older.rootHash) === 0 && Buffer.compare(roots[1], newer.rootHash) === 0;
}

/** A tree of which only the size and the root are known. */
export interface TreeHead {
  readonly size: number;
  readonly rootHash: Uint8Array;
}

/** Reads a hash in base64; null for another text, and for another spelling of the same bytes. */
export function readHash(text: unknown): Buffer | null {
  if (typeof text !== 'string') return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 32 && bytes.toString('base64') === text ? bytes : null;
}
