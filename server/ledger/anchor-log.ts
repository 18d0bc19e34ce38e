import { createHash, hash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { ExplainedError } from '../storage/explained-error.ts';
import { appendToLog, useLogFile } from '../storage/log-file.ts';
import {
  type LogPosition,
  nameRestore,
  nameTree,
  openCheckpoint,
  type RestoreStatement,
  readRestoreStatement,
} from './checkpoint.ts';
import { type NoteVerifier, openStatement } from './signed-note.ts';
import type { TreeOf } from './tree-store.ts';

// The checkpoint log: signed notes (C2SP signed-note), each followed by an empty line.

/** The file of the data folder that keeps every signed checkpoint outside the database. */
export const anchorFile = 'checkpoints.log';

/** The newest state of a ledger in the log. */
export interface LatestAnchor {
  readonly size: number;
  /** Root of its Merkle tree, base64. */
  readonly rootHash: string;
  /** Checkpoints of this size or larger may be missing from the log. */
  readonly lacksFrom: number;
  /** The size that a restore accepted; -1 without one. */
  readonly restored: number;
  /** How many checkpoints larger than `restored` the log has; null if they are not in ascending order of size. */
  readonly count: number | null;
}

/**
 * Keeps the signed checkpoints of an installation in an append-only file, where a change of the database does not reach
 * them. A checkpoint is on disk when `append` returns. Several processes may append to one file.
 *
 * The file is read as a stream, and only the newest checkpoint of each ledger is kept. The first read verifies only the
 * signatures of those, because a verification takes a hundred times as long as reading the record.
 */
export class AnchorLog {
  readonly file: string;
  readonly #verifier: NoteVerifier;
  readonly #latest = new Map<string, LatestAnchor>();
  #reader = new LogReader();
  /** The newest checkpoint of each ledger during the first read; null once each is verified when it is read. */
  #unchecked: Map<string, Buffer> | null = new Map();

  /** @param verifier of the installation: records that it did not sign are ignored. */
  constructor(file: string, verifier: NoteVerifier) {
    this.file = file;
    this.#verifier = verifier;
  }

  /**
   * Creates the file if it is missing, and reads what was appended. It never removes anything: an incomplete record may be
   * one that another process is writing.
   * @throws {MalformedLog}
   */
  open(): void {
    this.#use(() => undefined);
  }

  /** The newest state of a ledger, as of the last read; `open` reads what other processes appended. */
  latest(of: TreeOf): LatestAnchor | undefined {
    return this.#latest.get(nameTree(of));
  }

  /** The names of all ledgers in the log (`nameTree`). */
  ledgers(): readonly string[] {
    return [...this.#latest.keys()];
  }

  /** True if the log has no records, as of the last read. */
  get isEmpty(): boolean {
    return this.#reader.position.records === 0;
  }

  /** Appends notes in the given order. */
  append(notes: readonly string[]): void {
    if (notes.length > 0) this.#write(() => notes);
  }

  /**
   * Appends a restore statement. Requires the lock of the folder (`FolderLock`), so that no other process appends.
   * @param sign creates the statement for its position in the log.
   */
  appendStatement(sign: (after: LogPosition) => string): void {
    this.#write((after) => [sign(after)]);
  }

  #write(make: (after: LogPosition) => readonly string[]): void {
    this.#use((file) => {
      const notes = make(this.#reader.position);
      const isCut = fstatSync(file).size > this.#reader.end;
      appendToLog(this.file, file, `${isCut ? cutOff : ''}${notes.map((note) => `${note}\n`).join('')}`);
      this.#read(file);
    });
  }

  #use(step: (file: number) => void): void {
    try {
      useLogFile(this.file, (file) => {
        this.#read(file);
        step(file);
      });
    } catch (error) {
      if (error instanceof MalformedLog) throw new MalformedLog(error.line, `${this.file}: ${error.message}`);
      throw error;
    }
  }

  /** Reads what was appended since the last read. If the file was truncated, the known states are kept. */
  #read(file: number): void {
    const isTruncated = fstatSync(file).size < this.#reader.end;
    if (isTruncated) this.#reader = new LogReader();
    for (const { bytes } of this.#reader.read(file)) if (!isTruncated) this.#take(bytes);
    const unchecked = this.#unchecked;
    this.#unchecked = null;
    if (unchecked === null || [...unchecked].every(([name, note]) => this.#check(name, note))) return;
    // An unsigned record claims to be the newest checkpoint, so every signature is verified.
    this.#latest.clear();
    this.#reader = new LogReader();
    this.#read(file);
  }

  #take(bytes: Buffer): void {
    const { name } = this.#verifier;
    const [origin = '', line] = bytes.toString('latin1', 0, 256).split('\n', 2);
    if (origin === nameRestore(name)) this.#restore(bytes.toString());
    const size = Number(line);
    if (!origin.startsWith(`${name}/`) || !Number.isSafeInteger(size)) return;
    const ledger = origin.slice(name.length + 1);
    if (this.#unchecked !== null) {
      // A copy, because the bytes are overwritten. Only the newest note of each ledger is ever decoded.
      if (this.#keep(ledger, size, '')) this.#unchecked.set(ledger, Buffer.from(bytes));
      return;
    }
    const checkpoint = openCheckpoint(bytes.toString(), this.#verifier);
    if (checkpoint !== null) this.#keep(ledger, size, checkpoint.rootHash);
  }

  #restore(note: string): void {
    const statement = openStatement(note, this.#verifier, readRestoreStatement);
    if (statement === null || !this.#reader.isPlaceOf(statement)) return;
    this.#latest.clear();
    this.#unchecked?.clear();
    for (const { size, rootHash, ...of } of statement.states)
      this.#latest.set(nameTree(of), { size, rootHash, lacksFrom: size, restored: size, count: 0 });
  }

  /** Verifies a checkpoint that was kept unchecked, and stores its root. @returns false if the signature is invalid. */
  #check(name: string, note: Buffer): boolean {
    const checkpoint = openCheckpoint(note.toString(), this.#verifier);
    if (checkpoint === null) return false;
    this.#latest.set(name, { ...(this.#latest.get(name) as LatestAnchor), rootHash: checkpoint.rootHash });
    return true;
  }

  /** @returns true if it is the newest checkpoint of its ledger so far. */
  #keep(name: string, size: number, rootHash: string): boolean {
    const known = this.#latest.get(name) ?? { size: -1, rootHash, lacksFrom: 0, restored: -1, count: 0 };
    const isNewest = size >= known.size;
    const count = known.count === null || size === known.size ? known.count : known.count + 1;
    this.#latest.set(
      name,
      isNewest ? { ...known, size, rootHash, lacksFrom: size + 1, count } : { ...known, count: null },
    );
    return isNewest;
  }
}

/** A record of the log: a note, or invalid text in its place. */
export interface AnchorRecord {
  /** The line on which the record starts, from 1. */
  readonly line: number;
  /** The note as it was signed, in UTF-8. Valid until the next record is read. */
  readonly bytes: Buffer;
}

/** The log cannot be read because a program other than Svc wrote or changed it. */
export class MalformedLog extends ExplainedError {
  override readonly name = 'MalformedLog';
  /** The first unreadable line of the file. */
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Reads the records of a log, and later those that were appended. */
export class LogReader {
  #end = 0;
  #line = 1;
  #records = 0;
  readonly #hash = createHash('sha256');

  /** The byte offset after the last record that was read. */
  get end(): number {
    return this.#end;
  }

  /** The position of the record that is being read, or of the next one. */
  get position(): LogPosition {
    return { records: this.#records, hash: this.#hash.copy().digest('base64') };
  }

  /**
   * Reads the complete records after those that were read, one by one, in constant memory. A record extends to the empty
   * line after its signatures; bytes after the last one were cut off in a crash or are being written. An incomplete record
   * before other records is skipped.
   * @throws {MalformedLog}
   */
  *read(file: number): Generator<AnchorRecord> {
    let chunk = Buffer.allocUnsafe(256 * 1024);
    let rest: Buffer = Buffer.alloc(0);
    for (let position = this.#end; ; ) {
      const count = readSync(file, chunk, 0, chunk.length, position);
      if (count === 0) break;
      position += count;
      const bytes = Buffer.concat([rest, chunk.subarray(0, count)]);
      let start = 0;
      for (let at = bytes.indexOf('\n\n'); at !== -1; at = bytes.indexOf('\n\n', at + 1)) {
        // An empty line inside the note precedes its signatures instead of following one.
        const lastLine = bytes.subarray(Math.max(start, bytes.lastIndexOf('\n', at - 1) + 1), at);
        const isCut = lastLine.subarray(-cutMark.length).equals(cutMark);
        if (!isCut && !lastLine.subarray(0, signatureMark.length).equals(signatureMark)) continue;
        const note = bytes.subarray(start, at + 1);
        if (!isCut) {
          yield { line: this.#line, bytes: note };
          this.#records += 1;
          this.#hash.update(note).update('\n');
        }
        this.#end += note.length + 1;
        this.#line += 1;
        for (let end = note.indexOf(lineBreak); end !== -1; end = note.indexOf(lineBreak, end + 1)) this.#line += 1;
        start = at + 2;
      }
      rest = Buffer.from(bytes.subarray(start));
      if (rest.length > largestRecord) break;
      // Doubles, so that a long record is copied only a few times.
      if (rest.length > chunk.length) chunk = Buffer.allocUnsafe(2 * chunk.length);
    }
    if (rest.length <= largestTail && !rest.includes('\r')) return;
    throw new MalformedLog(
      this.#line,
      `the ${rest.length > largestRecord ? 'more than ' : ''}${rest.length} bytes from line ${this.#line} on are not a record: a program other than Svc changed the file, for example its line endings. Restore it from a copy. Svc does not repair it.`,
    );
  }

  /** True if a statement was made for the record that is being read; a copied statement was not. */
  isPlaceOf({ after }: RestoreStatement): boolean {
    return after.records === this.#records && after.hash === this.position.hash;
  }
}

const lineBreak = 10;

/** The start of a signature line (C2SP signed-note). */
const signatureMark = Buffer.from('\u2014 ');

/** Marks an incomplete record before the next one is appended. */
const cutMark = Buffer.from(' (cut off)');
const cutOff = `${cutMark}\n\n`;

/** The longest incomplete record that a crash may leave at the end, in bytes. */
const largestTail = 64 * 1024;
/** A restore statement has a line for each ledger of each tenant. */
const largestRecord = 64 * 1024 * 1024;

/** The names of the notes in a log. Call it after reading the database: a server appends after its commit. */
export function readNoteNames(path: string): ReadonlySet<string> {
  const names = new Set<string>();
  scanLog(path, new LogReader(), ({ bytes }) => names.add(nameNote(bytes)));
  return names;
}

/** A short name of a note, so that millions of them fit in memory. */
export function nameNote(note: string | Buffer): string {
  return hash('sha256', note, 'base64');
}

/**
 * Reads a log without changing it.
 * @param refuse is called with the reason why the rest of the file cannot be read.
 * @returns true if the file exists.
 */
export function scanLog(
  path: string,
  reader: LogReader,
  take: (record: AnchorRecord) => void,
  refuse: (error: MalformedLog) => void = () => undefined,
): boolean {
  if (!existsSync(path)) return false;
  const file = openSync(path, 'r');
  try {
    if (fstatSync(file).isFile()) for (const record of reader.read(file)) take(record);
  } catch (error) {
    if (!(error instanceof MalformedLog)) throw error;
    refuse(error);
  } finally {
    closeSync(file);
  }
  return true;
}
