import {
  CompactTree,
  consistencyPath,
  foldSubtrees,
  inclusionPath,
  type Range,
  splitRange,
} from '../../ledger/merkle.ts';

/** The root over leaves, leaf by leaf. */
export function growRoot(leaves: readonly Buffer[]): Buffer {
  const tree = new CompactTree();
  for (const leaf of leaves) tree.add(leaf);
  return tree.root();
}

/** The hash of a range, by our own functions alone. */
const hashOf = (leaves: readonly Buffer[], { start, end }: Range) =>
  foldSubtrees(
    splitRange({ start, end }).map(({ level, index }) =>
      growRoot(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)),
    ),
  );
/** The audit path of a leaf. */
export const makePath = (index: number, leaves: readonly Buffer[]) =>
  inclusionPath(index, leaves.length).map((range) => hashOf(leaves, range));
/** The proof that a tree grew out of a smaller one. */
export const makeProof = (from: number, leaves: readonly Buffer[]) =>
  consistencyPath(from, leaves.length).map((range) => hashOf(leaves, range));
