import { existsSync, readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tidyNote } from '../../packages/node-sdk/src/ledger/checkpoint.ts';
import { readHeader, readLines } from '../../packages/node-sdk/src/ledger/export-format.ts';
import { LedgerVerificationError } from '../../packages/node-sdk/src/ledger/index.ts';
import * as keys from '../../packages/node-sdk/src/ledger/keys.ts';
import { sha256 } from '../ledger/merkle.ts';
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

/** The rotations that an export contains, unverified; null for a file that does not have the header of an export. */
export async function readExportRotations(file: string): Promise<readonly string[] | null> {
  await using opened = await open(file);
  try {
    for await (const line of readLines(opened.createReadStream({ autoClose: false }), undefined))
      return readHeader(line).rotations;
  } catch (error) {
    if (!LedgerVerificationError.isInstance(error)) throw error;
  }
  return null;
}

/** More than any proof has. */
const mostBytes = 16 * 1024 * 1024;

/**
 * Reads the rotations of a key from a file: an export, a response of the API that contains them, or the notes themselves.
 * An empty file is that of a key that was never rotated.
 * @throws {UsageError}
 */
export async function readRotations(file: string): Promise<readonly string[]> {
  if (!isFile(file)) throw new UsageError(`--rotations: there is no file ${file}.`);
  const exported = await readExportRotations(file);
  if (exported !== null) return exported;
  const text = statSync(file).size > mostBytes ? '{}' : readFileSync(file, 'utf8').trim();
  const rotations = text.startsWith('{')
    ? readAnswerRotations(text)
    : text === '' || hasRotations(text)
      ? [text]
      : null;
  if (rotations !== null) return rotations;
  throw new UsageError(
    `--rotations: ${file} contains no rotations: use a newer export or proof of the ledger, or the text of /.well-known/svc-ledger-key-rotations.`,
  );
}

function hasRotations(text: string): boolean {
  try {
    return keys.readRotations(sha256, [text]).length > 0;
  } catch {
    return false;
  }
}

/** The rotations of a response of the API; null if it has none. */
function readAnswerRotations(text: string): readonly string[] | null {
  try {
    const answer = JSON.parse(text);
    const { rotations } = answer.data ?? answer;
    return Array.isArray(rotations) ? rotations : null;
  } catch {
    return null;
  }
}
