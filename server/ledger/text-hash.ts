import { hash } from 'node:crypto';

/** The SHA-256, hex, of the UTF-8 of a text that consists of these pieces. */
export function hashPieces(pieces: readonly string[], before = ''): string {
  return hash('sha256', before + pieces.join(''));
}
