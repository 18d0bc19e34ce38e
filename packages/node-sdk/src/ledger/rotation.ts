import type { Sha256 } from './bytes.ts';
import { isTime, readKey, type Signer } from './checkpoint.ts';
import { readHash } from './merkle.ts';

// When an installation gets another key, both keys sign, for each ledger and for the log of the installation, where the
// one ends and the other begins.

/** What a rotation states of a ledger: the older key signed nothing larger. */
export interface Rotation {
  /** The name of the log, as in its checkpoints. */
  readonly origin: string;
  /** RFC 3339, UTC. */
  readonly at: string;
  /** How many entries the ledger had, and the root of the tree over them, base64. */
  readonly size: number;
  readonly rootHash: string;
  /** The older key, and the one that signs from now on. */
  readonly from: Signer;
  readonly to: Signer;
}

/** The text that both keys sign. @param keys as text, `<name>+<key id>+<key>`. */
export function writeRotation({
  origin,
  at,
  size,
  rootHash,
  ...keys
}: Omit<Rotation, 'from' | 'to'> & { readonly from: string; readonly to: string }): string {
  return `${origin}\nRotated: ${at}\n${size} ${rootHash}\nFrom: ${keys.from}\nTo: ${keys.to}\n`;
}

/** Reads the text of a rotation; null for any other text. The signatures of both keys are not verified. */
export function readRotation(sha256: Sha256, text: string): Rotation | null {
  const [, origin = '', at, size, rootHash = '', from, to] =
    /^(\S{1,500})\nRotated: (\S{1,40})\n(0|[1-9]\d{0,14}) (\S{1,100})\nFrom: (\S{1,400})\nTo: (\S{1,400})\n$/.exec(
      text,
    ) ?? [];
  if (!isTime(at) || readHash(rootHash) === null) return null;
  try {
    return { origin, at, size: Number(size), rootHash, from: readKey(sha256, from), to: readKey(sha256, to) };
  } catch {
    return null;
  }
}
