import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { type Checkpoint, readCheckpoint } from './checkpoint.ts';
import { type AnchoredState, readRestoreStatement } from './restore-statement.ts';
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

/**
 * Keeps the signed checkpoints of an installation in a file that only grows, where a change of the database does not
 * reach them. Each is on the disk when `append` returns. Several processes may append to one file.
 */
export class AnchorLog {
  readonly file: string;
  readonly #latest = new Map<string, LatestAnchor>();
  #read = 0;

  constructor(file: string) {
    this.file = file;
  }

  /** Makes the file where there is none, and cuts off a record that a crash left unfinished. */
  open(): void {
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
    const isNew = !existsSync(this.file);
    const file = openSync(this.file, 'a+', 0o600);
    try {
      this.#takeUp(file);
      if (fstatSync(file).size <= this.#read) return;
      ftruncateSync(file, this.#read);
      fsyncSync(file);
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

  /** Appends notes in order. */
  append(notes: readonly string[]): void {
    if (notes.length === 0) return;
    this.open();
    const file = openSync(this.file, 'a+', 0o600);
    try {
      // One write for all: another process cannot get in between.
      const bytes = Buffer.from(notes.map((note) => `${note}\n`).join(''));
      if (writeSync(file, bytes) !== bytes.length) throw new Error(`${this.file}: the disk took only a part`);
      fsyncSync(file);
      this.#takeUp(file);
    } finally {
      closeSync(file);
    }
  }

  /** Reads what was appended since the last look. A file that was cut says nothing new: what was read stays known. */
  #takeUp(file: number): void {
    const { size } = fstatSync(file);
    if (size < this.#read) this.#read = size;
    for (const { note, end } of readRecords(file, this.#read)) {
      const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
      const checkpoint = readCheckpoint(text);
      if (checkpoint !== null) this.#keep(checkpoint);
      const states = readRestoreStatement(text)?.states;
      if (states !== undefined) {
        this.#latest.clear();
        for (const state of states) this.#latest.set(nameLedger(state), { ...state, lacksFrom: state.size });
      }
      this.#read = end;
    }
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
 * one was cut off in a crash, or is being written.
 * @param from the byte to start at: the end of a record.
 * @param line the number of its line.
 */
export function* readRecords(file: number, from = 0, line = 1): Generator<AnchorRecord> {
  const chunk = Buffer.allocUnsafe(256 * 1024);
  let rest = Buffer.alloc(0);
  let position = from;
  let end = from;
  for (;;) {
    const count = readSync(file, chunk, 0, chunk.length, position);
    if (count === 0) return;
    position += count;
    const bytes = Buffer.concat([rest, chunk.subarray(0, count)]);
    let start = 0;
    for (let at = bytes.indexOf('\n\n'); at !== -1; at = bytes.indexOf('\n\n', at + 1)) {
      // An empty line within the note stands before its signatures, not after one.
      const lastLine = bytes.subarray(Math.max(start, bytes.lastIndexOf('\n', at - 1) + 1), at);
      if (!lastLine.subarray(0, signatureMark.length).equals(signatureMark)) continue;
      const note = bytes.toString('utf8', start, at + 1);
      end += at + 2 - start;
      yield { line, note, end };
      line += note.split('\n').length;
      start = at + 2;
    }
    rest = Buffer.from(bytes.subarray(start));
  }
}

/** What a signature line starts with (C2SP signed-note). */
const signatureMark = Buffer.from('\u2014 ');

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
