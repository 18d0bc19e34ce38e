import { existsSync, readFileSync, statSync } from 'node:fs';
import { openCheckpoint, readCheckpoint } from '../ledger/checkpoint.ts';
import type { LedgerOf } from '../ledger/tree-store.ts';
import { type RootClaim, readLedgerName } from '../ledger/verify-anchors.ts';
import { UsageError } from './command.ts';
import type { Findings } from './exit-codes.ts';
import type { VerifyKeys } from './verify-keys.ts';

/** Whether a path names a file. */
export function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

/**
 * Reads the signed note of a kept checkpoint: the note itself, or a response of the API that contains it.
 * @throws {UsageError}
 */
export function readNote(file: string): string {
  if (!isFile(file)) throw new UsageError(`--checkpoint: there is no file ${file}.`);
  // Mail programs and editors add byte order marks, white space and CRLF; the signature covers none of them.
  const text = readFileSync(file, 'utf8')
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .trim();
  if (!text.startsWith('{')) return `${text}\n`;
  try {
    const answer = JSON.parse(text);
    const { note } = answer.data ?? answer;
    if (typeof note === 'string') return note;
  } catch {
    // Reported below.
  }
  throw new UsageError(`--checkpoint: ${file} contains no checkpoint.`);
}

/** A checkpoint that the caller kept. */
export interface KeptCheckpoint {
  readonly file: string;
  readonly note: string;
}

/** @throws {UsageError} */
export function readKept(file: string): KeptCheckpoint {
  return { file, note: readNote(file) };
}

/** The root of a ledger in a kept checkpoint. */
export interface KeptClaim extends RootClaim {
  readonly of: LedgerOf;
}

/** The roots in the kept checkpoints whose signatures are valid; without keys, in all of them. */
export function claimsOf(
  kept: readonly KeptCheckpoint[],
  keys: VerifyKeys | null,
  findings: Findings,
): readonly KeptClaim[] {
  return kept.flatMap(({ file, note }) => {
    const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
    const checkpoint = keys === null ? readCheckpoint(text) : openCheckpoint(note, keys.verifier);
    const of = checkpoint === null ? null : readLedgerName(checkpoint.origin.slice(checkpoint.origin.indexOf('/') + 1));
    if (checkpoint === null || of === null) {
      const issue = `${file} is no checkpoint that this installation signed, so nothing was compared with it.`;
      findings.add('unchecked', 'kept_checkpoint', issue);
      return [];
    }
    const { size, at, rootHash } = checkpoint;
    return [{ of, size, at, rootHash, place: file, note: null }];
  });
}
