import { existsSync, readFileSync, statSync } from 'node:fs';
import { UsageError } from './command.ts';

/** Whether a path names a file. */
export function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

/**
 * Reads the signed note of a kept checkpoint: the note itself, or an answer of the API.
 * @throws {UsageError}
 */
export function readNote(file: string): string {
  if (!isFile(file)) throw new UsageError(`--checkpoint: there is no file ${file}.`);
  // Mail and editors leave marks at the edges and other line breaks; the signature is about neither.
  const text = readFileSync(file, 'utf8')
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .trim();
  // An answer of the API is as good as the note in it.
  if (!text.startsWith('{')) return `${text}\n`;
  try {
    const answer = JSON.parse(text);
    const { note } = answer.data ?? answer;
    if (typeof note === 'string') return note;
  } catch {
    // Said below.
  }
  throw new UsageError(`--checkpoint: ${file} holds no checkpoint.`);
}
