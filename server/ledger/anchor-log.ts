import { closeSync, existsSync, fstatSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type AnchoredState,
  type AnchorRecord,
  cutOff,
  type LogPosition,
  LogReader,
  MalformedLog,
  nameRestore,
  readRestoreStatement,
} from './anchor-records.ts';
import { openCheckpoint } from './checkpoint.ts';
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
    this.#use((file) => this.#readAppended(file));
    if (isNew) syncFolder(dirname(this.file));
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
    this.open();
    this.#use((file) => {
      this.#readAppended(file);
      // A single write, so that another process cannot write in between.
      const notes = make(this.#reader.position);
      const isCut = fstatSync(file).size > this.#reader.end;
      const bytes = Buffer.from(`${isCut ? cutOff : ''}${notes.map((note) => `${note}\n`).join('')}`);
      if (writeSync(file, bytes) !== bytes.length) throw new Error(`${this.file}: only part of the record was written`);
      fsyncSync(file);
      this.#readAppended(file);
    });
  }

  #use(step: (file: number) => void): void {
    const file = openSync(this.file, 'a+', 0o600);
    try {
      step(file);
    } finally {
      closeSync(file);
    }
  }

  /** Reads what was appended since the last read. If the file was truncated, the known states are kept. */
  #readAppended(file: number): void {
    try {
      if (!this.#wasRead) this.#readFirst(file);
      else if (fstatSync(file).size < this.#reader.end) this.#readAll(file, () => undefined);
      for (const record of this.#reader.read(file)) this.#take(record, null);
    } catch (error) {
      if (error instanceof MalformedLog) throw new MalformedLog(error.line, `${this.file}: ${error.message}`);
      throw error;
    }
  }

  #readAll(file: number, take: (record: AnchorRecord) => void): void {
    this.#reader = new LogReader();
    for (const record of this.#reader.read(file)) take(record);
  }

  /** Reads the whole file. If an unsigned record claims to be the newest checkpoint, every signature is verified. */
  #readFirst(file: number): void {
    for (const unchecked of [new Map<string, string>(), null]) {
      this.#latest.clear();
      this.#readAll(file, (record) => this.#take(record, unchecked));
      this.#wasRead = unchecked === null || [...unchecked].every(([name, note]) => this.#check(name, note));
      if (this.#wasRead) return;
    }
  }

  /** @param unchecked collects the newest checkpoint of each ledger, to verify later; null to verify each immediately. */
  #take({ bytes }: AnchorRecord, unchecked: Map<string, string> | null): void {
    const { name } = this.#verifier;
    const [origin = '', line] = bytes.toString('latin1', 0, 256).split('\n', 2);
    if (origin === nameRestore(name)) this.#restore(bytes.toString(), unchecked);
    const size = Number(line);
    if (!origin.startsWith(`${name}/`) || !Number.isSafeInteger(size)) return;
    const ledger = origin.slice(name.length + 1);
    if (unchecked === null) {
      const checkpoint = openCheckpoint(bytes.toString(), this.#verifier);
      if (checkpoint !== null) this.#keep(ledger, size, checkpoint.rootHash);
    } else if (this.#keep(ledger, size, '')) unchecked.set(ledger, bytes.toString());
  }

  #restore(note: string, unchecked: Map<string, string> | null): void {
    const text = openNote(note, this.#verifier);
    const statement = text === null ? null : readRestoreStatement(text);
    if (statement === null || !this.#reader.isPlaceOf(statement)) return;
    this.#latest.clear();
    unchecked?.clear();
    for (const { size, rootHash, ...of } of statement.states)
      this.#latest.set(nameLedger(of), { size, rootHash, lacksFrom: size, restored: size, count: 0 });
  }

  /** Verifies a checkpoint that was kept unchecked, and stores its root. @returns false if the signature is invalid. */
  #check(name: string, note: string): boolean {
    const checkpoint = openCheckpoint(note, this.#verifier);
    if (checkpoint === null) return false;
    this.#latest.set(name, { ...(this.#latest.get(name) as LatestAnchor), rootHash: checkpoint.rootHash });
    return true;
  }

  /** @returns whether it is the newest checkpoint of its ledger so far. */
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

/** The name of a ledger without the name of the key: `<tenant id>/<ledger>`. */
export function nameLedger({ tenantId, ledger }: LedgerOf): string {
  return `${tenantId}/${ledger}`;
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
