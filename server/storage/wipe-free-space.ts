import { fdatasync, openSync, readFileSync, readSync, statSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type SQLite from 'better-sqlite3';

/** `none`: nothing is left. `busy`: nothing was done, because another connection reads or writes; the pass may start again. */
export type WipeResult = 'none' | 'more' | 'busy' | 'done';

/** Bounds of a step, in which requests wait. */
export interface WipeLimits {
  /** After so long no more pages are read. */
  readonly milliseconds: number;
  /** After so many changed pages neither: they are synced after the step. */
  readonly changes: number;
  /** Pages that are read at once, in each step at least once. */
  readonly pages: number;
}

/**
 * `user_version` of the file: 0 if no copies of erased values are left, `remains` since an erasure, and in a pass the page
 * that is read next. It is in the file, so that no crash forgets it.
 */
export const remains = -1;

const usualLimits: WipeLimits = { milliseconds: 10, changes: 512, pages: 256 };
const nothing = Buffer.alloc(65_536);
/** Above it, the first byte of an overflow page can look like the type of a B-tree page. */
const mostPages = 0x02_00_00_00;
/** A longer log is not read, which would take more than a step: the pass starts again. */
const longestLog = 64 * 1024 ** 2;

/**
 * Overwrites the unallocated bytes of every B-tree page with zeros, beside a server that reads and writes. SQLite overwrites
 * what it frees (secure_delete), but not the copies of rows that remain there after it has divided a page. `VACUUM` would
 * remove them, but blocks the database for as long as a copy of the file takes.
 *
 * The bytes are written to the file itself: no row is in them (https://sqlite.org/fileformat2.html, 1.6), so that
 * every reader sees the same rows at any moment, also after a crash. A step holds the lock of writers while the log is
 * empty: then no page of the file is outdated, and no other process writes to it.
 */
export class FreeSpaceWiper {
  readonly #database: SQLite.Database;
  readonly #limits: WipeLimits;
  readonly #inTurn: <Result>(step: () => Result) => Promise<Result>;
  /** The file that SQLite has open: another one at its path is not touched. */
  readonly #file: FileId | null;
  /** The first page that has not been read. */
  #next = 1;
  /** Pages before it that SQLite has written since: a page can get the bytes of another one when both are divided. */
  readonly #rewritten = new Set<number>();
  /** Identifies the log, and the writes of other connections: what changes unseen starts the pass again. */
  #seen: { readonly log: number | null; readonly others: number } | null = null;
  /** What the pass last wrote as `user_version`; an erasure replaces it. */
  #mark = 0;
  /** An erasure came after the start of the pass: another pass follows. */
  #isOutdated = false;

  /** @param inTurn runs a step when no caller of the connection has a transaction open. */
  constructor(
    database: SQLite.Database,
    inTurn: <Result>(step: () => Result) => Promise<Result> = async (step) => step(),
    limits: WipeLimits = usualLimits,
  ) {
    this.#database = database;
    this.#limits = limits;
    this.#inTurn = inTurn;
    this.#file = database.memory ? null : identify(database.name);
  }

  /**
   * Wipes some pages, if there has been an erasure.
   * @returns `done` when all of them, as they were when the pass began, are wiped and on disk.
   */
  async step(): Promise<WipeResult> {
    if (this.#file === null) return 'none';
    const file = keepOpen(this.#file, this.#database.name);
    const result = await this.#inTurn(() => this.#attempt(() => this.#wipe(file)));
    if (result === 'none' || result === 'busy') return result;
    await promisify(fdatasync)(file);
    return result === 'more' ? 'more' : this.#inTurn(() => this.#attempt(() => this.#finish()));
  }

  #restart(): void {
    this.#next = 1;
    this.#rewritten.clear();
    this.#seen = null;
    this.#isOutdated = false;
  }

  /** Runs synchronously, so that no other caller of the connection comes between. */
  #attempt(step: () => WipeResult): WipeResult {
    const database = this.#database;
    if (database.inTransaction) return 'busy';
    try {
      return step();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY')) throw error;
      return 'busy';
    } finally {
      if (database.inTransaction) database.exec('rollback');
    }
  }

  #wipe(file: number): WipeResult {
    const database = this.#database;
    if (this.#seen === null && this.#read('user_version') === 0) return 'none';
    const others = this.#read('data_version');
    if (!this.#follow(others)) {
      this.#restart();
      return 'busy';
    }
    const [checkpoint] = database.pragma('wal_checkpoint(truncate)') as { readonly busy: number }[];
    if (checkpoint?.busy !== 0) return 'busy';
    database.exec('begin immediate');
    // Another process has written since the log was read.
    if (statSync(logOf(database)).size > 0 || this.#read('data_version') !== others) return 'busy';
    if (this.#next > 1 && this.#read('user_version') !== this.#mark) this.#isOutdated = true;
    const isDone = this.#wipePages(file);
    // Pages in memory, here and in other processes, which a change would write with the bytes that were wiped.
    database.pragma('shrink_memory');
    this.#write(this.#next);
    database.exec('commit');
    this.#seen = { log: readLog(database)?.sequence ?? null, others };
    return isDone ? 'done' : 'more';
  }

  /** Notes what SQLite has written since the step before. @returns false if that is not known. */
  #follow(others: number): boolean {
    const log = readLog(this.#database);
    if (log === null || (this.#seen !== null && (this.#seen.log !== log.sequence || this.#seen.others !== others)))
      return false;
    for (const page of log.pages) if (page < this.#next) this.#rewritten.add(page);
    this.#seen = { log: log.sequence, others };
    return true;
  }

  /** Notes that nothing is left, once everything is on disk. */
  #finish(): WipeResult {
    this.#database.exec('begin immediate');
    const isLast = !this.#isOutdated && this.#read('user_version') === this.#mark;
    this.#write(isLast ? 0 : remains);
    this.#database.exec('commit');
    this.#restart();
    return 'done';
  }

  #read(name: string): number {
    return this.#database.pragma(name, { simple: true }) as number;
  }

  #write(mark: number): void {
    this.#database.pragma(`user_version = ${mark}`);
    this.#mark = mark;
  }

  #wipePages(file: number): boolean {
    const [size, count] = [this.#read('page_size'), this.#read('page_count')];
    if (count > mostPages || this.#read('auto_vacuum') !== 0)
      throw new Error('Erased values cannot be removed from this file: it has auto_vacuum, or more than 128 GiB.');
    const chunk = Buffer.alloc(this.#limits.pages * size);
    let changes = 0;
    const wipe = (first: number, pages: number) => {
      const bytes = readSync(file, chunk, 0, pages * size, (first - 1) * size);
      for (let offset = 0; offset + size <= bytes; offset += size) {
        const number = first + offset / size;
        const gap = findUnallocated(chunk.subarray(offset, offset + size), number === 1 ? 100 : 0);
        if (gap === null) continue;
        changes += 1;
        writeSync(file, nothing, 0, gap.to - gap.from, (number - 1) * size + gap.from);
      }
    };
    for (const page of this.#rewritten) if (page <= count) wipe(page, 1);
    this.#rewritten.clear();
    const end = performance.now() + this.#limits.milliseconds;
    while (this.#next <= count) {
      const pages = Math.min(this.#limits.pages, count - this.#next + 1);
      wipe(this.#next, pages);
      this.#next += pages;
      if (changes >= this.#limits.changes || performance.now() >= end) break;
    }
    return this.#next > count;
  }
}

/**
 * Finds the unallocated bytes of a B-tree page, between its cell pointers and its cells.
 * @param start of its header: 100 in the first page of a file.
 * @returns null if it has none but zeros, and for every other kind of page.
 */
export function findUnallocated(page: Buffer, start: number): { readonly from: number; readonly to: number } | null {
  const type = page[start] as number;
  const isLeaf = type === 10 || type === 13;
  if (!isLeaf && type !== 2 && type !== 5) return null;
  const cells = page.readUInt16BE(start + 3);
  const pointers = start + (isLeaf ? 8 : 12);
  const from = pointers + 2 * cells;
  const to = page.readUInt16BE(start + 5) || 65_536;
  if (from >= to || to > page.length || page.subarray(from, to).equals(nothing.subarray(0, to - from))) return null;
  // No byte of a page that is not as expected is touched.
  const free = page.readUInt16BE(start + 1);
  if (free !== 0 && free < to) return null;
  for (let at = pointers; at < from; at += 2) {
    const cell = page.readUInt16BE(at);
    if (cell < to || cell >= page.length) return null;
  }
  return { from, to };
}

const logOf = ({ name }: SQLite.Database) => `${name}-wal`;

/**
 * The number of the write-ahead log, which grows each time that it begins again (null if it is empty), and the pages in it.
 * @returns null if it is too long to be read.
 */
function readLog(
  database: SQLite.Database,
): { readonly sequence: number | null; readonly pages: readonly number[] } | null {
  if (statSync(logOf(database)).size > longestLog) return null;
  const wal = readFileSync(logOf(database));
  if (wal.length < 32) return { sequence: null, pages: [] };
  const frame = 24 + wal.readUInt32BE(8);
  const salt = wal.subarray(16, 24);
  const pages: number[] = [];
  for (let at = 32; at + frame <= wal.length; at += frame)
    if (wal.subarray(at + 8, at + 16).equals(salt)) pages.push(wal.readUInt32BE(at));
  return { sequence: wal.readUInt32BE(12), pages };
}

/** The device and number of a file. */
type FileId = string;

function identify(path: string): FileId {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev} ${ino}`;
}

const openFiles = new Map<FileId, number>();

/** Opens a file for as long as the process lives: to close it would release SQLite's locks (https://sqlite.org/howtocorrupt.html, 2.2). */
function keepOpen(id: FileId, path: string): number {
  let file = openFiles.get(id);
  if (file !== undefined) return file;
  if (identify(path) !== id) throw new Error(`${path} was replaced while it was open. Restart the server.`);
  file = openSync(path, 'r+');
  openFiles.set(id, file);
  return file;
}
