import { cutRange, GrowingTree } from '../ledger/merkle.ts';

/** Leaves from the first up to, but without, the second. */
type Range = readonly [start: number, end: number];

/** The hash over a range of leaves (MTH of RFC 6962 section 2.1). */
export function hashRange(leaves: readonly Buffer[], [start, end]: Range): Buffer {
  const tree = new GrowingTree();
  for (const leaf of leaves.slice(start, end)) tree.add(leaf);
  return tree.root();
}

/** The hashes of the largest complete subtrees that a range consists of. */
export function hashSubtrees(leaves: readonly Buffer[], [start, end]: Range): readonly Buffer[] {
  let at = start;
  return cutRange(start, end).map((width) => {
    const range = [at, at + width] as const;
    at += width;
    return hashRange(leaves, range);
  });
}

/** PATH of RFC 6962 section 2.1.1, from the leaf upwards. */
export function inclusionPath(index: number, size: number): readonly Range[] {
  const path: Range[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + halfOf(end - start);
    path.unshift(index < middle ? [middle, end] : [start, middle]);
    if (index < middle) end = middle;
    else start = middle;
  }
  return path;
}

/** PROOF of RFC 6962 section 2.1.2: how a tree of one size grew out of a smaller one. */
export function consistencyPath(from: number, to: number): readonly Range[] {
  if (from === 0 || from === to) return [];
  const path: Range[] = [];
  let [start, end] = [0, to];
  while (from < end) {
    const middle = start + halfOf(end - start);
    path.unshift(from <= middle ? [middle, end] : [start, middle]);
    if (from <= middle) end = middle;
    else start = middle;
  }
  return start > 0 ? [[start, end], ...path] : path;
}

/** The largest power of two below a number. */
function halfOf(size: number): number {
  let power = 1;
  while (2 * power < size) power *= 2;
  return power;
}
