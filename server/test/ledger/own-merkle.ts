import {
  foldSubtrees,
  followPath,
  GrowingTree,
  isGrown,
  splitRange,
} from '../../../packages/node-sdk/src/ledger/merkle.ts';
import { consistencyPath, inclusionPath, type Range, sha256 } from '../../ledger/merkle.ts';

/** The root over leaves, leaf by leaf. */
export function growRoot(leaves: readonly Buffer[]): Buffer {
  const tree = new GrowingTree(sha256);
  for (const leaf of leaves) tree.add(leaf);
  return tree.root();
}

/** The hash of a range, computed by the production code. */
const hashOf = (leaves: readonly Buffer[], { start, end }: Range) =>
  foldSubtrees(
    sha256,
    splitRange({ start, end }).map(({ level, index }) =>
      growRoot(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)),
    ),
  );
/** The audit path of a leaf. */
export const makePath = (index: number, leaves: readonly Buffer[]) =>
  inclusionPath(index, leaves.length).map((range) => hashOf(leaves, range));
/** The proof that a tree extends a smaller one. */
export const makeProof = (from: number, leaves: readonly Buffer[]) =>
  consistencyPath(from, leaves.length).map((range) => hashOf(leaves, range));

/** True if a leaf is in a tree, by the verifier of the SDK. */
export function verifyInclusion(proof: {
  readonly index: number;
  readonly size: number;
  readonly leaf: Uint8Array;
  readonly root: Uint8Array;
  readonly hashes: readonly Uint8Array[];
}): boolean {
  const root = followPath(sha256, proof.leaf, proof.index, proof.size, proof.hashes);
  return root !== null && Buffer.compare(root, proof.root) === 0;
}

interface Tree {
  readonly size: number;
  readonly root: Uint8Array;
}

/** True if a tree extends a smaller one, by the verifier of the SDK. */
export function verifyConsistency(proof: {
  readonly from: Tree;
  readonly to: Tree;
  readonly hashes: readonly Uint8Array[];
}): boolean {
  const head = ({ size, root }: Tree) => ({ size, rootHash: root });
  return isGrown(sha256, head(proof.from), head(proof.to), proof.hashes);
}
