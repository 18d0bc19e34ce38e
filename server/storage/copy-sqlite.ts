import { chmodSync, closeSync, fsyncSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import SQLite from 'better-sqlite3';

/** A copy that cannot be used; the message says why. */
export class DamagedDatabase extends Error {
  override readonly name = 'DamagedDatabase';
}

/**
 * Copies a SQLite database as it stands at one moment, although servers go on writing to it, and reads the copy through.
 * @param to a file that is not there yet; it is on the disk, and readable only by its owner, when this returns.
 * @returns its size.
 * @throws {DamagedDatabase}
 */
export function copySqlite(from: string, to: string): { readonly bytes: number } {
  try {
    const source = new SQLite(from, { readonly: true, fileMustExist: true });
    try {
      source.pragma('busy_timeout = 10000');
      source.prepare('vacuum into ?').run(to);
    } finally {
      source.close();
    }
    readThrough(to);
  } catch (error) {
    if (!(error instanceof SQLite.SqliteError)) throw error;
    throw new DamagedDatabase(`${from} cannot be copied: ${error.message}.`);
  }
  chmodSync(to, 0o600);
  flushToDisk(to);
  flushToDisk(dirname(to));
  return { bytes: statSync(to).size };
}

/** Waits until the disk has a file, or the names in a folder. */
export function flushToDisk(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

/** @throws {DamagedDatabase} when pages, indexes or rows contradict each other. */
function readThrough(file: string): void {
  const copy = new SQLite(file, { readonly: true });
  try {
    const found = copy.pragma('integrity_check(1)', { simple: true });
    if (found !== 'ok') throw new DamagedDatabase(`The database is damaged: ${found}.`);
  } finally {
    copy.close();
  }
}
