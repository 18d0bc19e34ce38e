import { createHash, type Hash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, fsyncSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Checkpoint, readCheckpoint } from './checkpoint.ts';
import {
  type AnchoredState,
  type LogPosition,
  nameRestore,
  type RestoreStatement,
  readRestoreStatement,
} from './restore-statement.ts';
import { type NoteVerifier, openNote } from './signed-note.ts';
import type { LedgerOf } from './tree-store.ts';

/** The file of the data folder that keeps every signed checkpoint outside of the database. */
export const anchorFile = 'checkpoints.log';

/** A record of the log: a signed note (C2SP signed-note), or what stands there in place of one. */
export interface AnchorRecord {
  /** The line of the file that it starts on, from 1. */
  readonly line: number;
  /** As it was signed. */
  readonly note: string;
  /** Where the next record starts, in bytes. */
  readonly end: number;
}

/** The newest thing that the log says of a ledger. */
export interface LatestAnchor extends Pick<AnchoredState, 'size' | 'rootHash'> {
  /** Checkpoints of this size or more may be missing in the log. */
  readonly lacksFrom: number;
}

/** A log that something other than Svc wrote or changed, so that it cannot be read. */
export class MalformedLog extends Error {
  override readonly name = 'MalformedLog';
  /** The line of the file from which on it cannot be read. */
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Follows the records of a log, to tell where a restore statement stands. */
export class LogReader {
  #records = 0;
  readonly #hash: Hash = createHash('sha256');

  position(): LogPosition {
    return { records: this.#records, hash: this.#hash.copy().digest('base64') };
  }

  /** Whether a statement that comes next was made for this place; one that was copied here was not. */
  isPlaceOf({ after }: RestoreStatement): boolean {
    return after.records === this.#records && after.hash === this.position().hash;
  }

  take(note: string): void {
    this.#records += 1;
    this.#hash.update(`${note}\n`);
  }
}

/**
 * Keeps the signed checkpoints of an installation in a file that only grows, where a change of the database does not
 * reach them. Each is on the disk when `append` returns. Several processes may append to one file.
 */
export class AnchorLog {
  readonly file: string;
  readonly #verifier: NoteVerifier;
  readonly #latest = new Map<string, LatestAnchor>();
  #read = 0;
  #reader = new LogReader();

  /** @param verifier of the installation: what it did not sign is not believed. */
  constructor(file: string, verifier: NoteVerifier) {
    this.file = file;
    this.#verifier = verifier;
  }

  /**
   * Makes the file where there is none, and reads what was appended. It never removes anything: what looks like half a
   * record may be one that another process is writing.
   * @throws {MalformedLog}
   */
  open(): void {
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
    const isNew = !existsSync(this.file);
    const file = openSync(this.file, 'a+', 0o600);
    try {
      this.#takeUp(file);
    } finally {
      closeSync(file);
      if (isNew) syncFolder(dirname(this.file));
    }
  }

  /** What the log says last of a ledger, as far as it was read: `open` reads what other processes appended. */
  latest(of: LedgerOf): LatestAnchor | undefined {
    return this.#latest.get(nameLedger(of));
  }

  /** Every ledger that the log speaks of. */
  ledgers(): readonly string[] {
    return [...this.#latest.keys()];
  }

  /** Whether it has no records, as far as it was read. */
  get isEmpty(): boolean {
    return this.#reader.position().records === 0;
  }

  /** Appends notes in order. */
  append(notes: readonly string[]): void {
    if (notes.length > 0) this.#write(() => notes);
  }

  /**
   * Appends a restore statement.
   * @param sign makes it for its place.
   */
  appendStatement(sign: (after: LogPosition) => string): void {
    const { records } = this.#write((after) => [sign(after)]);
    if (this.#reader.position().records !== records + 1)
      throw new Error(
        `${this.file}: another process appended to it at the same moment. Stop the server, and try again`,
      );
  }

  /** @returns where it wrote. */
  #write(make: (after: LogPosition) => readonly string[]): LogPosition {
    this.open();
    const file = openSync(this.file, 'a+', 0o600);
    try {
      this.#takeUp(file);
      // One write for all: another process cannot get in between.
      const after = this.#reader.position();
      const notes = make(after);
      const isCut = fstatSync(file).size > this.#read;
      const bytes = Buffer.from(`${isCut ? cutOff : ''}${notes.map((note) => `${note}\n`).join('')}`);
      if (writeSync(file, bytes) !== bytes.length) throw new Error(`${this.file}: the disk took only a part`);
      fsyncSync(file);
      this.#takeUp(file);
      return after;
    } finally {
      closeSync(file);
    }
  }

  /** Reads what was appended since the last look. A file that was cut says nothing new: what was read stays known. */
  #takeUp(file: number): void {
    const { size } = fstatSync(file);
    try {
      if (size < this.#read) this.#startAgain(file);
      for (const record of readRecords(file, this.#read)) this.#take(record);
    } catch (error) {
      if (error instanceof MalformedLog) throw new MalformedLog(error.line, `${this.file}: ${error.message}`);
      throw error;
    }
  }

  #startAgain(file: number): void {
    this.#read = 0;
    this.#reader = new LogReader();
    for (const { note, end } of readRecords(file)) {
      this.#read = end;
      this.#reader.take(note);
    }
  }

  #take({ note, end }: AnchorRecord): void {
    const statement = this.#openRecord(note);
    this.#read = end;
    this.#reader.take(note);
    if (statement === null) return;
    this.#latest.clear();
    for (const state of statement.states) this.#latest.set(nameLedger(state), { ...state, lacksFrom: state.size });
  }

  /** Keeps what a checkpoint says. @returns the restore statement, where that is what stands there. */
  #openRecord(note: string): RestoreStatement | null {
    const text = openNote(note, this.#verifier);
    if (text === null) return null;
    const { name } = this.#verifier;
    const checkpoint = readCheckpoint(text);
    if (checkpoint?.origin.startsWith(`${name}/`)) this.#keep(checkpoint);
    const statement = readRestoreStatement(text);
    return statement?.origin === nameRestore(name) && this.#reader.isPlaceOf(statement) ? statement : null;
  }

  #keep({ origin, size, rootHash }: Checkpoint): void {
    const name = origin.slice(origin.indexOf('/') + 1);
    const known = this.#latest.get(name);
    if (known === undefined || known.size <= size)
      this.#latest.set(name, { size, rootHash: rootHash.toString('base64'), lacksFrom: size + 1 });
  }
}

/** The name of a ledger without that of the key: `<tenant id>/<ledger>`. */
export function nameLedger({ tenantId, ledger }: LedgerOf): string {
  return `${tenantId}/${ledger}`;
}

/**
 * Reads the whole records of a log. A record ends with the empty line after its signatures; what comes after the last
 * one was cut off in a crash, or is being written. What a crash cut off before other records is passed over.
 * @param from the byte to start at: the end of a record.
 * @param line the number of its line.
 * @throws {MalformedLog}
 */
export function* readRecords(file: number, from = 0, line = 1): Generator<AnchorRecord> {
  let chunk = Buffer.allocUnsafe(256 * 1024);
  let rest: Buffer = Buffer.alloc(0);
  let position = from;
  let end = from;
  for (;;) {
    const count = readSync(file, chunk, 0, chunk.length, position);
    if (count === 0) break;
    position += count;
    const bytes = Buffer.concat([rest, chunk.subarray(0, count)]);
    let start = 0;
    for (let at = bytes.indexOf('\n\n'); at !== -1; at = bytes.indexOf('\n\n', at + 1)) {
      // An empty line within the note stands before its signatures, not after one.
      const lastLine = bytes.subarray(Math.max(start, bytes.lastIndexOf('\n', at - 1) + 1), at);
      const isCut = lastLine.subarray(-cutMark.length).equals(cutMark);
      if (!isCut && !lastLine.subarray(0, signatureMark.length).equals(signatureMark)) continue;
      const note = bytes.toString('utf8', start, at + 1);
      end += at + 2 - start;
      if (!isCut) yield { line, note, end };
      line += note.split('\n').length;
      start = at + 2;
    }
    rest = Buffer.from(bytes.subarray(start));
    if (rest.length > largestRecord) break;
    // Grows with the record, so that a long one is not copied over and over.
    if (rest.length > chunk.length) chunk = Buffer.allocUnsafe(2 * chunk.length);
  }
  if (rest.length <= largestTail && !rest.includes('\r')) return;
  throw new MalformedLog(
    line,
    `from line ${line} on there are ${rest.length > largestRecord ? 'more than ' : ''}${rest.length} bytes that are no record: something other than Svc changed the file, such as its line ends. Put it back from a copy. It is left as it is.`,
  );
}

/** What a signature line starts with (C2SP signed-note). */
const signatureMark = Buffer.from('\u2014 ');

/** What is appended to half a record before the next one. */
const cutMark = Buffer.from(' (cut off)');
const cutOff = `${cutMark}\n\n`;

/** How much of a record a crash may leave at the end. */
const largestTail = 64 * 1024;
/** A restore statement has a line for each ledger of each tenant. */
const largestRecord = 64 * 1024 * 1024;

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
