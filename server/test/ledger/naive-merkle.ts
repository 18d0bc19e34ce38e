import { createHash, createPublicKey, verify } from 'node:crypto';

// A slow, literal implementation of RFC 6962 section 2.1, to compare the production code with.

const sha256 = (...parts: readonly Uint8Array[]): Buffer =>
  parts.reduce((state, part) => state.update(part), createHash('sha256')).digest();

export const naiveLeaf = (data: Uint8Array): Buffer => sha256(Buffer.of(0), data);
export const naiveNode = (left: Uint8Array, right: Uint8Array): Buffer => sha256(Buffer.of(1), left, right);

/** The largest power of two that is smaller than n. */
function splitPoint(n: number): number {
  // Counted in digits, because a logarithm would round.
  return 2 ** ((n - 1).toString(2).length - 1);
}

/** MTH over leaves that are already hashed. */
export function naiveRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return leaves[0] as Buffer;
  const k = splitPoint(leaves.length);
  return naiveNode(naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)));
}

/** PATH(m, D[n]). */
export function naivePath(m: number, leaves: readonly Buffer[]): readonly Buffer[] {
  if (leaves.length <= 1) return [];
  const k = splitPoint(leaves.length);
  return m < k
    ? [...naivePath(m, leaves.slice(0, k)), naiveRoot(leaves.slice(k))]
    : [...naivePath(m - k, leaves.slice(k)), naiveRoot(leaves.slice(0, k))];
}

/** PROOF(m, D[n]); for m = 0 there is nothing to prove. */
export function naiveProof(m: number, leaves: readonly Buffer[]): readonly Buffer[] {
  return m === 0 ? [] : subproof(m, leaves, true);
}

function subproof(m: number, leaves: readonly Buffer[], isWhole: boolean): readonly Buffer[] {
  if (m === leaves.length) return isWhole ? [] : [naiveRoot(leaves)];
  const k = splitPoint(leaves.length);
  return m <= k
    ? [...subproof(m, leaves.slice(0, k), isWhole), naiveRoot(leaves.slice(k))]
    : [...subproof(m - k, leaves.slice(k), false), naiveRoot(leaves.slice(0, k))];
}

/** The root that an audit path leads to; null if it has too many or too few hashes. */
export function rootOfPath(leaf: Buffer, m: number, n: number, path: readonly Buffer[]): Buffer | null {
  const left = [...path];
  const climb = (index: number, size: number): Buffer | null => {
    if (size === 1) return leaf;
    const sibling = left.pop();
    const k = splitPoint(size);
    const inner = index < k ? climb(index, k) : climb(index - k, size - k);
    if (sibling === undefined || inner === null) return null;
    return index < k ? naiveNode(inner, sibling) : naiveNode(sibling, inner);
  };
  const root = climb(m, n);
  return left.length === 0 ? root : null;
}

/** The roots of the smaller and of the larger tree that a consistency proof leads to, given the smaller one. */
export function rootsOfProof(m: number, n: number, oldRoot: Buffer, proof: readonly Buffer[]) {
  const left = [...proof];
  const climb = (from: number, to: number, isWhole: boolean): readonly [Buffer, Buffer] | null => {
    if (from === to) {
      const hash = isWhole ? oldRoot : left.pop();
      return hash === undefined ? null : [hash, hash];
    }
    const sibling = left.pop();
    const k = splitPoint(to);
    const inner = from <= k ? climb(from, k, isWhole) : climb(from - k, to - k, false);
    if (sibling === undefined || inner === null) return null;
    return from <= k
      ? [inner[0], naiveNode(inner[1], sibling)]
      : [naiveNode(sibling, inner[0]), naiveNode(sibling, inner[1])];
  };
  const roots = climb(m, n, true);
  return left.length === 0 ? roots : null;
}

/** The content of a signed checkpoint if it verifies with the public key in text form (`name+id+key`); else null. */
export function readNote(note: string, verifierKey: string) {
  const [name = '', , ...rest] = verifierKey.trim().split('+');
  const key = Buffer.from(rest.join('+'), 'base64').subarray(1);
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') },
    format: 'jwk',
  });
  const [text = '', signature = ''] = note.split('\n\n');
  const [dash, signer, encoded = ''] = signature.trim().split(' ');
  if (dash !== '—' || signer !== name) return null;
  const isSigned = verify(null, Buffer.from(`${text}\n`), publicKey, Buffer.from(encoded, 'base64').subarray(4));
  const [origin, size, root = ''] = text.split('\n');
  return isSigned ? { origin, size: Number(size), root: Buffer.from(root, 'base64') } : null;
}
