import { hash } from 'node:crypto';

// The Merkle trees of RFC 6962 section 2.1 (RFC 9162 says the same with other words), over any number of leaves up to
// 2^53. Every function is pure; numbers are halved by division, since bit operators stop at 32 bits.

/** The bytes of one hash. */
export const hashBytes = 32;

/** The root of a tree without leaves. */
export const emptyRoot: Buffer = digest('');

/** The hash of a leaf: SHA-256 over the byte 0 and the data. */
export function hashLeaf(data: Uint8Array): Buffer {
  const input = Buffer.allocUnsafe(1 + data.length);
  input[0] = 0;
  input.set(data, 1);
  return digest(input);
}

/** The hash of an inner node: SHA-256 over the byte 1 and the hashes of its children. */
export function hashNode(left: Uint8Array, right: Uint8Array): Buffer {
  nodeInput.set(left, 1);
  nodeInput.set(right, 1 + hashBytes);
  return digest(nodeInput);
}

const nodeInput = Buffer.alloc(1 + 2 * hashBytes, 1);

/** A subtree whose leaves are all there: those from `index × 2^level` on, `2^level` of them. */
export interface Subtree {
  readonly level: number;
  readonly index: number;
}

/** Leaves from `start` up to, but without, `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The largest complete subtrees that together are a range, from left to right. */
export function splitRange({ start, end }: Range): readonly Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = start; at < end; ) {
    let level = 0;
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= end) level += 1;
    subtrees.push({ level, index: at / 2 ** level });
    at += 2 ** level;
  }
  return subtrees;
}

/** The root over complete subtrees that stand next to each other from the first leaf on, of falling size. */
export function foldSubtrees(hashes: readonly Uint8Array[]): Buffer {
  const last = hashes.at(-1);
  if (last === undefined) return emptyRoot;
  return Buffer.from(hashes.slice(0, -1).reduceRight((right, left) => hashNode(left, right), last));
}

/** The ranges whose hashes are the audit path of a leaf (RFC 6962 section 2.1.1), from the leaf upwards. */
export function inclusionPath(index: number, size: number): readonly Range[] {
  const path: Range[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + largestPowerBelow(end - start);
    if (index < middle) {
      path.unshift({ start: middle, end });
      end = middle;
    } else {
      path.unshift({ start, end: middle });
      start = middle;
    }
  }
  return path;
}

/** The ranges whose hashes prove that a tree grew out of a smaller one (RFC 6962 section 2.1.2); none from 0. */
export function consistencyPath(from: number, to: number): readonly Range[] {
  if (from === 0 || from === to) return [];
  const path: Range[] = [];
  let [start, end] = [0, to];
  while (from < end) {
    const middle = start + largestPowerBelow(end - start);
    if (from <= middle) {
      path.unshift({ start: middle, end });
      end = middle;
    } else {
      path.unshift({ start, end: middle });
      start = middle;
    }
  }
  // What is left is the right edge of the smaller tree; when it is the whole of it, the verifier knows its hash.
  if (start > 0) path.unshift({ start, end });
  return path;
}

/** A tree as far as one must know it to add leaves: the roots of the complete subtrees that it consists of. */
export class CompactTree {
  readonly #subtrees: { readonly level: number; readonly hash: Uint8Array }[] = [];
  readonly #onSubtree: (level: number, hash: Uint8Array) => void;
  #size = 0;

  /** @param onSubtree called with each subtree that becomes complete, leaves included, in the order of their ends. */
  constructor(onSubtree: (level: number, hash: Uint8Array) => void = () => undefined) {
    this.#onSubtree = onSubtree;
  }

  /** How many leaves the tree has. */
  get size(): number {
    return this.#size;
  }

  /** Adds a leaf, or the complete subtree that comes next. */
  add(hash: Uint8Array, level = 0): void {
    this.#size += 2 ** level;
    let node = { level, hash };
    this.#onSubtree(level, hash);
    for (let left = this.#subtrees.at(-1); left?.level === node.level; left = this.#subtrees.at(-1)) {
      this.#subtrees.pop();
      node = { level: node.level + 1, hash: hashNode(left.hash, node.hash) };
      this.#onSubtree(node.level, node.hash);
    }
    this.#subtrees.push(node);
  }

  /** The Merkle tree hash over all leaves so far. */
  root(): Buffer {
    return foldSubtrees(this.#subtrees.map(({ hash }) => hash));
  }
}

function largestPowerBelow(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

/** A third of what the output as a buffer costs: Node makes strings of it faster, and the buffer is of its pool. */
function digest(input: Buffer | string): Buffer {
  return Buffer.from(hash('sha256', input, 'binary'), 'latin1');
}
