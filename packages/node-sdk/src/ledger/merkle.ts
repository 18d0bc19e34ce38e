import { fromBase64, isEqual, type Sha256 } from './bytes.ts';

// The Merkle trees of RFC 6962 section 2.1 (RFC 9162 says the same with other words), for the server and for verifiers.
// Sizes go up to 2^53, so halves are computed by division: bit operators stop at 32 bits.

/** The bytes of one hash. */
export const hashBytes = 32;

/** The hash of a leaf: SHA-256 over the byte 0 and the data. */
export function hashLeaf<Hash extends Uint8Array>(sha256: Sha256<Hash>, data: Uint8Array): Hash {
  const input = new Uint8Array(1 + data.length);
  input.set(data, 1);
  return sha256(input);
}

/** The hash of an inner node: SHA-256 over the byte 1 and the hashes of its children. */
export function hashNode<Hash extends Uint8Array>(sha256: Sha256<Hash>, left: Uint8Array, right: Uint8Array): Hash {
  nodeInput.set(left, 1);
  nodeInput.set(right, 1 + hashBytes);
  return sha256(nodeInput);
}

/** One for all nodes: a server hashes millions of them. */
const nodeInput = new Uint8Array(1 + 2 * hashBytes).fill(1);

/** A subtree whose leaves are all there: those from `index × 2^level` on, `2^level` of them. */
export interface Subtree {
  readonly level: number;
  readonly index: number;
}

/** The largest complete subtrees that the leaves from `start` up to, but without, `end` consist of, from left to right. */
export function splitRange({ start, end }: { readonly start: number; readonly end: number }): readonly Subtree[] {
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
export function foldSubtrees<Hash extends Uint8Array>(sha256: Sha256<Hash>, hashes: readonly Hash[]): Hash {
  const last = hashes.at(-1) ?? sha256('');
  return hashes.slice(0, -1).reduceRight((right, left) => hashNode(sha256, left, right), last);
}

/** A tree that grows, as far as one must know it to add leaves: the roots of the complete subtrees that it consists of. */
export class GrowingTree<Hash extends Uint8Array> {
  readonly #sha256: Sha256<Hash>;
  readonly #onSubtree: (level: number, hash: Hash) => void;
  readonly #subtrees: { readonly level: number; readonly hash: Hash }[] = [];
  #size = 0;

  /** @param onSubtree called with each subtree that becomes complete, leaves included, in the order of their ends. */
  constructor(sha256: Sha256<Hash>, onSubtree: (level: number, hash: Hash) => void = () => undefined) {
    this.#sha256 = sha256;
    this.#onSubtree = onSubtree;
  }

  /** How many leaves it has. */
  get size(): number {
    return this.#size;
  }

  /** Adds a leaf, or the complete subtree that comes next. */
  add(hash: Hash, level = 0): void {
    this.#size += 2 ** level;
    let added = { level, hash };
    this.#onSubtree(level, hash);
    for (let left = this.#subtrees.at(-1); left?.level === added.level; left = this.#subtrees.at(-1)) {
      this.#subtrees.pop();
      added = { level: added.level + 1, hash: hashNode(this.#sha256, left.hash, added.hash) };
      this.#onSubtree(added.level, added.hash);
    }
    this.#subtrees.push(added);
  }

  /** The Merkle tree hash over all leaves so far. */
  root(): Hash {
    return foldSubtrees(
      this.#sha256,
      this.#subtrees.map(({ hash }) => hash),
    );
  }
}

/** The largest power of two below a number. */
export function splitPoint(size: number): number {
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

/** True if a tree has a leaf: the audit path, in base64, leads from it to the root. */
export function isIncluded(
  sha256: Sha256,
  leaf: Uint8Array,
  index: number,
  { size, rootHash }: TreeHead,
  path: readonly unknown[],
): boolean {
  const hashes = readHashes(path);
  const root = hashes && followPath(sha256, leaf, index, size, hashes);
  return root !== null && isEqual(root, rootHash);
}

/**
 * True if a tree extends a smaller one: PROOF of RFC 6962 section 2.1.2, read backwards. Both roots are computed from
 * the same hashes.
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
  return bytes?.length === hashBytes ? bytes : null;
}

/** Reads hashes in base64; null when one of them is invalid. */
export function readHashes(texts: readonly unknown[]): readonly Uint8Array[] | null {
  const hashes = texts.map(readHash);
  return hashes.every((hash) => hash !== null) ? hashes : null;
}
