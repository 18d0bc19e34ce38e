import { closeSync, existsSync, fstatSync, fsyncSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type AnchorRecord, cutOff, LogReader, MalformedLog, readRecords } from './anchor-records.ts';
import { openCheckpoint } from './checkpoint.ts';
import {
  type AnchoredState,
  type LogPosition,
  nameRestore,
  type RestoreStatement,
  readRestoreStatement,
} from './restore-statement.ts';
import { type NoteVerifier, openNote } from './signed-note.ts';
import type { LedgerOf } from './tree-store.ts';

/** The file of the data folder that keeps every signed checkpoint outside the database. */
export const anchorFile = 'checkpoints.log';

/** The newest state of a ledger in the log. */
export interface LatestAnchor extends Pick<AnchoredState, 'size' | 'rootHash'> {
  /** Checkpoints of this size or larger may be missing from the log. */
  readonly lacksFrom: number;
  /** The size that a restore accepted; -1 without one. */
  readonly restored: number;
  /** How many checkpoints larger than `restored` the log has; null if they are not in ascending order of size. */
  readonly count: number | null;
}

/** Where a record is in the file. */
interface Place {
  readonly start: number;
  readonly length: number;
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
  #wasRead = false;
  #read = 0;
  #reader = new LogReader();

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
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
    const isNew = !existsSync(this.file);
    const file = openSync(this.file, 'a+', 0o600);
    try {
      this.#readAppended(file);
    } finally {
      closeSync(file);
      if (isNew) syncFolder(dirname(this.file));
    }
  }

  /** The newest state of a ledger, as of the last read; `open` reads what other processes appended. */
  latest(of: LedgerOf): LatestAnchor | undefined {
    return this.#latest.get(nameLedger(of));
  }

  /** The names of all ledgers in the log (`nameLedger`). */
  ledgers(): readonly string[] {
    return [...this.#latest.keys()];
  }

  /** Whether the log has no records, as of the last read. */
  get isEmpty(): boolean {
    return this.#reader.position().records === 0;
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
    this.open();
    const file = openSync(this.file, 'a+', 0o600);
    try {
      this.#readAppended(file);
      // A single write, so that another process cannot write in between.
      const notes = make(this.#reader.position());
      const isCut = fstatSync(file).size > this.#read;
      const bytes = Buffer.from(`${isCut ? cutOff : ''}${notes.map((note) => `${note}\n`).join('')}`);
      if (writeSync(file, bytes) !== bytes.length) throw new Error(`${this.file}: only part of the record was written`);
      fsyncSync(file);
      this.#readAppended(file);
    } finally {
      closeSync(file);
    }
  }

  /** Reads what was appended since the last read. If the file was truncated, the known states are kept. */
  #readAppended(file: number): void {
    try {
      if (!this.#wasRead) this.#readFirst(file);
      else if (fstatSync(file).size < this.#read) this.#startAgain(file);
      for (const record of readRecords(file, this.#read)) this.#take(record, null);
    } catch (error) {
      if (error instanceof MalformedLog) throw new MalformedLog(error.line, `${this.file}: ${error.message}`);
      throw error;
    }
  }

  #startAgain(file: number): void {
    this.#read = 0;
    this.#reader = new LogReader();
    for (const record of readRecords(file)) this.#pass(record);
  }

  /** Reads the whole file. If an unsigned record claims to be the newest checkpoint, every signature is verified. */
  #readFirst(file: number): void {
    for (const unchecked of [new Map<string, Place>(), null]) {
      this.#latest.clear();
      this.#read = 0;
      this.#reader = new LogReader();
      for (const record of readRecords(file)) this.#take(record, unchecked);
      this.#wasRead = unchecked === null || [...unchecked].every(([name, place]) => this.#check(file, name, place));
      if (this.#wasRead) return;
    }
  }

  /** @param unchecked collects the newest checkpoint of each ledger, to verify later; null to verify each immediately. */
  #take(record: AnchorRecord, unchecked: Map<string, Place> | null): void {
    const { bytes, end } = record;
    const { name } = this.#verifier;
    const [origin, size] = readFirstLines(bytes);
    if (origin === nameRestore(name)) {
      const statement = this.#openStatement(bytes);
      if (statement !== null) {
        this.#latest.clear();
        unchecked?.clear();
        for (const state of statement.states) this.#latest.set(nameLedger(state), describeRestored(state));
      }
    } else if (origin.startsWith(`${name}/`) && Number.isSafeInteger(size)) {
      const ledger = origin.slice(name.length + 1);
      if (unchecked === null) {
        const checkpoint = openCheckpoint(bytes.toString(), this.#verifier);
        if (checkpoint !== null) this.#keep(ledger, size, checkpoint.rootHash.toString('base64'));
      } else if (this.#keep(ledger, size, ''))
        unchecked.set(ledger, { start: end - 1 - bytes.length, length: bytes.length });
    }
    this.#pass(record);
  }

  #pass(record: AnchorRecord): void {
    this.#read = record.end;
    this.#reader.take(record);
  }

  #openStatement(bytes: Buffer): RestoreStatement | null {
    const text = openNote(bytes.toString(), this.#verifier);
    const statement = text === null ? null : readRestoreStatement(text);
    return statement !== null && this.#reader.isPlaceOf(statement) ? statement : null;
  }

  /** Verifies a checkpoint that was kept unchecked, and stores its root. @returns false if the signature is invalid. */
  #check(file: number, name: string, { start, length }: Place): boolean {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, start);
    const checkpoint = openCheckpoint(bytes.toString(), this.#verifier);
    const latest = this.#latest.get(name) as LatestAnchor;
    if (checkpoint === null) return false;
    this.#latest.set(name, { ...latest, rootHash: checkpoint.rootHash.toString('base64') });
    return true;
  }

  /** @returns whether it is the newest checkpoint of its ledger so far. */
  #keep(name: string, size: number, rootHash: string): boolean {
    const known = this.#latest.get(name) ?? { size: -1, restored: -1, count: 0 };
    const isNewest = size >= known.size;
    if (isNewest) {
      const count = known.count === null || size === known.size ? known.count : known.count + 1;
      this.#latest.set(name, { size, rootHash, lacksFrom: size + 1, restored: known.restored, count });
    } else this.#latest.set(name, { ...(known as LatestAnchor), count: null });
    return isNewest;
  }
}

/** The first two lines of a note. The rest is not decoded, because most records are not the newest of their ledger. */
function readFirstLines(bytes: Buffer): readonly [origin: string, size: number] {
  const [origin = '', size] = bytes.toString('latin1', 0, 256).split('\n', 2);
  return [origin, Number(size)];
}

function describeRestored({ size, rootHash }: AnchoredState): LatestAnchor {
  return { size, rootHash, lacksFrom: size, restored: size, count: 0 };
}

/** The name of a ledger without the name of the key: `<tenant id>/<ledger>`. */
export function nameLedger({ tenantId, ledger }: LedgerOf): string {
  return `${tenantId}/${ledger}`;
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
