import { chmodSync, closeSync, fsyncSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import SQLite from 'better-sqlite3';

/** A copy is unusable; the message gives the reason. */
export class DamagedDatabase extends Error {
  override readonly name = 'DamagedDatabase';
}

/**
 * Copies a consistent snapshot of a SQLite database, even while servers write to it, and checks the copy.
 * @param to a file that does not exist yet; when this returns, it is on disk and readable only by its owner.
 * @returns its size in bytes.
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

/** Syncs a file, or the names in a folder, to disk. */
export function flushToDisk(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

/** @throws {DamagedDatabase} if pages, indexes or rows are inconsistent. */
function readThrough(file: string): void {
  const copy = new SQLite(file, { readonly: true });
  try {
    const found = copy.pragma('integrity_check(1)', { simple: true });
    if (found !== 'ok') throw new DamagedDatabase(`The database is damaged: ${found}.`);
  } finally {
    copy.close();
  }
}
