import { existsSync, readFileSync, statSync } from 'node:fs';
import { tidyNote } from '../../packages/node-sdk/src/ledger/checkpoint.ts';
import { UsageError } from './command.ts';

/** The exit codes, for the help of the commands that verify. */
export const exitCodeHelp = `Exit codes:
  0  everything was checked and is intact
  1  something was changed
  2  an invalid option or setting; nothing was checked
  3  something could not be checked (a missing or wrong secret, a signature, a missing checkpoints.log or
     erasures.log, a missing or untrusted timestamp or cosignature)
  4  the database or the file could not be read`;

/** True if a path names an existing file. */
export function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

/**
 * Reads the signed note of a checkpoint that the caller kept: the note itself, or a response of the API that contains it.
 * @throws {UsageError}
 */
export function readNote(file: string): string {
  if (!isFile(file)) throw new UsageError(`--checkpoint: there is no file ${file}.`);
  const text = tidyNote(readFileSync(file, 'utf8'));
  if (!text.startsWith('{')) return text;
  try {
    const answer = JSON.parse(text);
    const { note } = answer.data ?? answer;
    if (typeof note === 'string') return note;
  } catch {
    // Reported below.
  }
  throw new UsageError(`--checkpoint: ${file} contains no checkpoint.`);
}
