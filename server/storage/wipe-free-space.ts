import { fdatasync, fstatSync, openSync, readFileSync, readSync, realpathSync, statSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type SQLite from 'better-sqlite3';

/**
 * - `none`: nothing was to be done.
 * - `busy`: nothing was done, because another connection reads or writes.
 * - `more`: the pass goes on.
 * - `again`: the pass is over, and another one follows, because something was erased meanwhile.
 * - `done`: no copies are left.
 */
export type WipeResult = 'none' | 'busy' | 'more' | 'again' | 'done';

/** Bounds of a step, in which requests wait. */
export interface WipeLimits {
  /** No more pages are read after this time. */
  readonly milliseconds: number;
  /** No more pages are read after so many were changed, which are synced after the step. */
  readonly changes: number;
  /** Pages that are read at once. */
  readonly pages: number;
}

/**
 * `user_version` of the file: 0 if no copies of erased values are left, `remains` after an erasure, and in a pass the page
 * that is read next. It is in the file, so that no crash forgets it.
 */
export const remains = -1;

const defaultLimits: WipeLimits = { milliseconds: 10, changes: 256, pages: 64 };
const zeros = Buffer.alloc(65_536);
/** From this number on, the first byte of an overflow page, which is that of a page number, can look like the type of a B-tree page. */
const firstUnclearPage = 0x02_00_00_00;
/** A longer log is not read, and its pages are not wiped again, which would take too long: the pass starts again. */
const longestLog = 16 * 1024 ** 2;

/**
 * Overwrites the unallocated bytes of every B-tree page with zeros, beside a server that reads and writes. SQLite overwrites
 * what it frees (secure_delete), but not the copies of rows that remain there after it has split a page. `VACUUM` would
 * remove them, but blocks the database for as long as a copy of the file takes.
 *
 * The bytes are written to the file itself: no row is in them (https://sqlite.org/fileformat2.html, 1.6), so that
 * every reader sees the same rows at any moment, also after a crash. Like SQLite, it relies on disks that change no byte
 * beside those that are written when the power fails (https://sqlite.org/psow.html). A step holds the lock of writers
 * while the log is empty: then no page of the file is outdated, and no other process writes to it.
 */
export class FreeSpaceWiper {
  readonly #database: SQLite.Database;
  readonly #limits: WipeLimits;
  readonly #inTurn: <Result>(step: () => Result) => Promise<Result>;
  /** The file that SQLite has open: another one that replaces it is not touched. Null for a database in memory. */
  readonly #file: OpenFile | null;
  #isRunning = false;
  /** The first page that has not been read. */
  #next = 1;
  /** Pages before it that SQLite has written since: a page can get the bytes of another one when both are split. */
  readonly #rewritten = new Set<number>();
  /** Identifies the log that the last step left: what is written to another one was not seen. */
  #log: string | null = null;
  /** The `user_version` that the pass wrote last; an erasure replaces it. */
  #written = 0;
  /** An erasure came after the start of the pass. */
  #isOutdated = false;

  /** @param inTurn runs a step when no caller of the connection has a transaction open. */
  constructor(
    database: SQLite.Database,
    inTurn: <Result>(step: () => Result) => Promise<Result> = async (step) => step(),
    limits: WipeLimits = defaultLimits,
  ) {
    this.#database = database;
    this.#limits = limits;
    this.#inTurn = inTurn;
    // SQLite follows links, and its log is beside the file that they lead to.
    this.#file = database.memory ? null : new OpenFile(realpathSync(database.name));
  }

  /** Wipes some pages, if there has been an erasure. All are on disk before the result is `done`. */
  async step(): Promise<WipeResult> {
    const file = this.#file;
    if (file === null) return 'none';
    if (this.#isRunning) return 'busy';
    this.#isRunning = true;
    try {
      const result = await this.#inTurn(() => this.#attempt(() => this.#wipe(file)));
      if (result === 'none' || result === 'busy') return result;
      await promisify(fdatasync)(file.descriptor);
      return result === 'more' ? 'more' : await this.#inTurn(() => this.#attempt(() => this.#finish()));
    } catch (error) {
      // After a failed sync, the system may have forgotten what was written.
      this.#restart();
      throw error;
    } finally {
      this.#isRunning = false;
    }
  }

  #restart(): void {
    this.#next = 1;
    this.#rewritten.clear();
    this.#isOutdated = false;
  }

  /** Runs synchronously, so that no other caller of the connection comes between. */
  #attempt(step: () => WipeResult): WipeResult {
    const database = this.#database;
    if (database.inTransaction) return 'busy';
    try {
      return step();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY'))) throw error;
      return 'busy';
    } finally {
      if (database.inTransaction) database.exec('rollback');
    }
  }

  #wipe(file: OpenFile): WipeResult {
    const database = this.#database;
    if (this.#next === 1 && this.#read('user_version') === 0) return 'none';
    const version = this.#read('data_version');
    if (this.#next > 1 && !this.#noteWrites(file)) this.#restart();
    const [checkpoint] = database.pragma('wal_checkpoint(truncate)') as { readonly busy: number }[];
    if (checkpoint?.busy !== 0) return 'busy';
    database.exec('begin immediate');
    if (file.logBytes > 0 || this.#read('data_version') !== version) {
      // Another process has written since the log was read.
      this.#restart();
      return 'busy';
    }
    if (this.#next > 1 && this.#read('user_version') !== this.#written) this.#isOutdated = true;
    const isRead = this.#wipePages(file);
    // Pages in memory, here and in other processes, which a change would write with the bytes that were wiped.
    database.pragma('shrink_memory');
    this.#write(this.#next);
    database.exec('commit');
    this.#log = file.readLog()?.id ?? null;
    // Another process may have replaced the log in between.
    if (this.#read('data_version') !== version) this.#log = null;
    return isRead ? 'done' : 'more';
  }

  /** Notes the pages that SQLite has written since the last step. @returns false if they are not known. */
  #noteWrites(file: OpenFile): boolean {
    const log = file.readLog();
    if (log === null || log.id !== this.#log) return false;
    for (const page of log.pages) if (page < this.#next) this.#rewritten.add(page);
    return true;
  }

  /** Writes to the file that nothing is left, once everything is on disk. */
  #finish(): WipeResult {
    this.#database.exec('begin immediate');
    const isLast = !this.#isOutdated && this.#read('user_version') === this.#written;
    this.#write(isLast ? 0 : remains);
    this.#database.exec('commit');
    this.#restart();
    return isLast ? 'done' : 'again';
  }

  #read(name: string): number {
    return this.#database.pragma(name, { simple: true }) as number;
  }

  #write(version: number): void {
    this.#database.pragma(`user_version = ${version}`);
    this.#written = version;
  }

  /** @returns true if all pages have been read. */
  #wipePages(file: OpenFile): boolean {
    const [size, count] = [this.#read('page_size'), this.#read('page_count')];
    if (count >= firstUnclearPage || this.#read('auto_vacuum') !== 0)
      throw new Error('Erased values cannot be removed from this file: it has auto_vacuum, or too many pages.');
    const end = performance.now() + this.#limits.milliseconds;
    let left = this.#limits.changes;
    const wipe = (first: number, pages: number) => {
      const bytes = file.read((first - 1) * size, pages * size);
      for (let offset = 0; offset < bytes.length; offset += size) {
        const number = first + offset / size;
        const gap = findUnallocated(bytes.subarray(offset, offset + size), number === 1 ? 100 : 0);
        if (gap === null) continue;
        left -= 1;
        file.clear((number - 1) * size + gap.from, gap.to - gap.from);
      }
      return left > 0 && performance.now() < end;
    };
    // All of them, which `longestLog` limits: otherwise they could become more with each step.
    for (const page of this.#rewritten) if (page <= count) wipe(page, 1);
    this.#rewritten.clear();
    while (this.#next <= count) {
      const pages = Math.min(this.#limits.pages, count - this.#next + 1);
      const isInTime = wipe(this.#next, pages);
      this.#next += pages;
      if (!isInTime) break;
    }
    return this.#next > count;
  }
}

/**
 * Finds the unallocated bytes of a B-tree page, between its cell pointers and its cells.
 * @param start of its header: 100 in the first page of a file.
 * @returns null if they are zeros, for every other kind of page, and for a page that is not as expected.
 */
export function findUnallocated(page: Buffer, start: number): { readonly from: number; readonly to: number } | null {
  const type = page[start] as number;
  const isLeaf = type === 10 || type === 13;
  if (!isLeaf && type !== 2 && type !== 5) return null;
  const cells = page.readUInt16BE(start + 3);
  const pointers = start + (isLeaf ? 8 : 12);
  const from = pointers + 2 * cells;
  const to = page.readUInt16BE(start + 5) || 65_536;
  if (from >= to || to > page.length || page.subarray(from, to).equals(zeros.subarray(0, to - from))) return null;
  const free = page.readUInt16BE(start + 1);
  if (free !== 0 && free < to) return null;
  for (let at = pointers; at < from; at += 2) {
    const cell = page.readUInt16BE(at);
    if (cell < to || cell >= page.length) return null;
  }
  return { from, to };
}

/** The file of a database beside SQLite, and its write-ahead log. */
class OpenFile {
  readonly #path: string;
  readonly #id: string;

  constructor(path: string) {
    this.#path = path;
    this.#id = identify(statSync(path, { bigint: true }));
  }

  /** Stays open for as long as the process lives: to close it would release SQLite's locks (https://sqlite.org/howtocorrupt.html, 2.2). */
  get descriptor(): number {
    let descriptor = descriptors.get(this.#id);
    if (descriptor !== undefined) return descriptor;
    descriptor = openSync(this.#path, 'r+');
    const id = identify(fstatSync(descriptor, { bigint: true }));
    descriptors.set(id, descriptor);
    if (id !== this.#id) throw new Error(`${this.#path} was replaced while it was open. Restart the server.`);
    return descriptor;
  }

  read(position: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    if (readSync(this.descriptor, bytes, 0, length, position) !== length)
      throw new Error(`${this.#path} is shorter than its header says.`);
    return bytes;
  }

  clear(position: number, length: number): void {
    if (writeSync(this.descriptor, zeros, 0, length, position) !== length)
      throw new Error(`${this.#path} could not be written.`);
  }

  get logBytes(): number {
    return statSync(`${this.#path}-wal`).size;
  }

  /**
   * The salt of the log, which changes each time that the log starts again, and the pages in it, also of transactions that
   * were rolled back (https://sqlite.org/fileformat2.html, 4.1).
   * @returns null if it is empty, or too long to be read.
   */
  readLog(): { readonly id: string; readonly pages: readonly number[] } | null {
    if (this.logBytes > longestLog) return null;
    const bytes = readFileSync(`${this.#path}-wal`);
    if (bytes.length < 32) return null;
    const frame = 24 + bytes.readUInt32BE(8);
    const salt = bytes.subarray(16, 24);
    const pages: number[] = [];
    for (let at = 32; at + frame <= bytes.length; at += frame)
      if (bytes.subarray(at + 8, at + 16).equals(salt)) pages.push(bytes.readUInt32BE(at));
    return { id: salt.toString('hex'), pages };
  }
}

const descriptors = new Map<string, number>();

function identify({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${dev} ${ino}`;
}
