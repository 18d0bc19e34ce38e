import { hash } from 'node:crypto';
import * as trees from '../../packages/node-sdk/src/ledger/merkle.ts';

/** A third of what the output as a buffer costs: Node makes strings of it faster, and the buffer is of its pool. */
export function sha256(input: Uint8Array | string): Buffer {
  return Buffer.from(hash('sha256', input, 'binary'), 'latin1');
}

/** The leaf of an entry: the hash over the 32 bytes of its chain hash, which covers the entry and all entries before it. */
export function leafOf(chainHash: string): Buffer {
  return trees.hashLeaf(sha256, Buffer.from(chainHash, 'hex'));
}

/** Leaves from `start` up to, but without, `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The ranges whose hashes are the audit path of a leaf (RFC 6962 section 2.1.1), from the leaf upwards. */
export function inclusionPath(index: number, size: number): readonly Range[] {
  return descend(
    size,
    ({ start, end }) => end - start > 1,
    (middle) => index < middle,
  ).path;
}

/** The ranges whose hashes prove that a tree grew out of a smaller one (RFC 6962 section 2.1.2); none from 0. */
export function consistencyPath(from: number, to: number): readonly Range[] {
  if (from === 0 || from === to) return [];
  const { path, last } = descend(
    to,
    ({ end }) => from < end,
    (middle) => from <= middle,
  );
  // The last range is the right edge of the smaller tree; when it is the whole of it, the verifier knows its hash.
  return last.start > 0 ? [last, ...path] : path;
}

/** Goes down from the root of a tree. @returns the last range, and the siblings of the ranges on the way, lowest first. */
function descend(size: number, goesOn: (range: Range) => boolean, goesLeft: (middle: number) => boolean) {
  const path: Range[] = [];
  let last: Range = { start: 0, end: size };
  while (goesOn(last)) {
    const { start, end } = last;
    const middle = start + trees.splitPoint(end - start);
    const [left, right] = [
      { start, end: middle },
      { start: middle, end },
    ];
    const isLeft = goesLeft(middle);
    path.unshift(isLeft ? right : left);
    last = isLeft ? left : right;
  }
  return { path, last };
}
