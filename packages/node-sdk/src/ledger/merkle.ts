import { concat, fromBase64, isEqual, type Sha256 } from './bytes.ts';

// The Merkle trees of RFC 6962 section 2.1, as a verifier sees them. Sizes go up to 2^53, so halves are computed by
// division: bit operators stop at 32 bits.

const leafMark = Uint8Array.of(0);
const nodeMark = Uint8Array.of(1);

/** The hash of a leaf. */
export function hashLeaf(sha256: Sha256, data: Uint8Array): Uint8Array {
  return sha256(concat(leafMark, data));
}

function hashNode(sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concat(nodeMark, left, right));
}

/** A tree that grows: the complete subtrees that it consists of, the largest first. */
export class GrowingTree {
  readonly #sha256: Sha256;
  readonly #subtrees: { readonly width: number; readonly hash: Uint8Array }[] = [];
  #size = 0;

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  /** How many leaves it has. */
  get size(): number {
    return this.#size;
  }

  /** Adds a leaf, or the complete subtree of `width` leaves that comes next. */
  add(hash: Uint8Array, width = 1): void {
    this.#size += width;
    let added = { width, hash };
    for (let left = this.#subtrees.at(-1); left?.width === added.width; left = this.#subtrees.at(-1)) {
      this.#subtrees.pop();
      added = { width: 2 * added.width, hash: hashNode(this.#sha256, left.hash, added.hash) };
    }
    this.#subtrees.push(added);
  }

  /** MTH of RFC 6962 section 2.1. */
  root(): Uint8Array {
    const [last, ...others] = this.#subtrees.toReversed();
    return others.reduce((right, left) => hashNode(this.#sha256, left.hash, right), last?.hash ?? this.#sha256(''));
  }
}

/** The widths of the largest complete subtrees that the leaves from `start` up to, but without, `end` consist of. */
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
  sha256: Sha256,
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
    return at < half ? hashNode(sha256, inner, sibling) : hashNode(sha256, sibling, inner);
  };
  const root = index >= 0 && index < size ? climb(index, size) : null;
  return rest.length === 0 ? root : null;
}

/**
 * Whether a tree grew out of a smaller one: PROOF of RFC 6962 section 2.1.2, read backwards. Both roots are made of the
 * same hashes.
 */
export function isGrown(sha256: Sha256, older: TreeHead, newer: TreeHead, proof: readonly Uint8Array[]): boolean {
  if (older.size < 0 || older.size > newer.size) return false;
  // Every tree grows out of the empty one, whose root is known.
  if (older.size === 0) return proof.length === 0 && isEqual(sha256(''), older.rootHash);
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
    return from <= half
      ? [before, hashNode(sha256, now, sibling)]
      : [hashNode(sha256, sibling, before), hashNode(sha256, sibling, now)];
  };
  const roots = climb(older.size, newer.size, true);
  if (roots === null || rest.length > 0) return false;
  return isEqual(roots[0], older.rootHash) && isEqual(roots[1], newer.rootHash);
}

/** The size of a tree, and its root. */
export interface TreeHead {
  readonly size: number;
  readonly rootHash: Uint8Array;
}

/** Reads a hash in base64; null for anything else. */
export function readHash(text: unknown): Uint8Array<ArrayBuffer> | null {
  const bytes = fromBase64(text);
  return bytes?.length === 32 ? bytes : null;
}

/** Reads hashes in base64; null when one of them is invalid. */
export function readHashes(texts: readonly unknown[]): readonly Uint8Array[] | null {
  const hashes = texts.map(readHash);
  return hashes.every((hash) => hash !== null) ? hashes : null;
}
