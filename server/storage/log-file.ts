import { closeSync, existsSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.ts';

/** Opens a log that is only appended to, for the time of a step. Creates the file, and its folder, if it is missing. */
export function useLogFile<Result>(path: string, step: (file: number) => Result): Result {
  const folder = dirname(path);
  makeFolder(folder);
  const isNew = !existsSync(path);
  const file = openSync(path, 'a+', 0o600);
  try {
    if (isNew) flushToDisk(folder);
    return step(file);
  } finally {
    closeSync(file);
  }
}

/** Appends to an open log in a single write, so that another process cannot write in between, and syncs it to disk. */
export function appendToLog(path: string, file: number, text: string): void {
  const bytes = Buffer.from(text);
  if (writeSync(file, bytes) !== bytes.length)
    throw new Error(`${path}: only part of a record was written; free disk space.`);
  fsyncSync(file);
}

/** Syncs a file, or the names in a folder, to disk. */
export function flushToDisk(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}
