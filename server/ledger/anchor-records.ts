import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import { isTime } from '../../packages/node-sdk/src/ledger/checkpoint.ts';
import { readHash } from '../../packages/node-sdk/src/ledger/merkle.ts';
import type { LedgerOf } from './tree-store.ts';

// The checkpoint log: signed notes (C2SP signed-note), each followed by an empty line.

/** A record of the log: a note, or invalid text in its place. */
export interface AnchorRecord {
  /** The line on which the record starts, from 1. */
  readonly line: number;
  /** The note as it was signed, in UTF-8. Valid until the next record is read. */
  readonly bytes: Buffer;
}

/** The log cannot be read because a program other than Svc wrote or changed it. */
export class MalformedLog extends Error {
  override readonly name = 'MalformedLog';
  /** The first unreadable line of the file. */
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** A position in the log. */
export interface LogPosition {
  readonly records: number;
  /** SHA-256 over the records before it, each with the empty line after it: base64. */
  readonly hash: string;
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

  /** Whether a statement was made for the record that is being read; a copied one was not. */
  isPlaceOf({ after }: RestoreStatement): boolean {
    return after.records === this.#records && after.hash === this.position.hash;
  }
}

const lineBreak = 10;

/** The start of a signature line (C2SP signed-note). */
const signatureMark = Buffer.from('\u2014 ');

/** Marks an incomplete record before the next one is appended. */
const cutMark = Buffer.from(' (cut off)');
export const cutOff = `${cutMark}\n\n`;

/** The longest incomplete record that a crash may leave at the end, in bytes. */
const largestTail = 64 * 1024;
/** A restore statement has a line for each ledger of each tenant. */
const largestRecord = 64 * 1024 * 1024;

/** The state of a ledger at a moment. */
export interface AnchoredState extends LedgerOf {
  readonly size: number;
  /** Root of its Merkle tree, base64. */
  readonly rootHash: string;
}

/** States that an operator with the secret put a database in place; earlier anchors no longer count. */
export interface RestoreStatement {
  /** The name of the key, and `/restore`. */
  readonly origin: string;
  /** RFC 3339, UTC. */
  readonly at: string;
  /** Its position in the log: the statement is invalid at any other. */
  readonly after: LogPosition;
  /** The state of each ledger at that time. */
  readonly states: readonly AnchoredState[];
}

/** The name that restore statements have where checkpoints have the name of a ledger. */
export function nameRestore(keyName: string): string {
  return `${keyName}/restore`;
}

/** The text of a statement: its origin, time, position in the log, and a line for each ledger. */
export function writeRestoreStatement({ origin, at, after, states }: RestoreStatement): string {
  const lines = states.map(({ tenantId, ledger, size, rootHash }) => `${tenantId}/${ledger} ${size} ${rootHash}`);
  return `${[origin, `Restored: ${at}`, `After: ${after.records} ${after.hash}`, ...lines].join('\n')}\n`;
}

/**
 * Parses the text of a statement.
 * @returns null if it is not a restore statement.
 */
export function readRestoreStatement(text: string): RestoreStatement | null {
  const [, origin = '', at, records, hash = '', lines = ''] =
    /^([^\s/]+\/restore)\nRestored: (\S+)\nAfter: (0|[1-9]\d{0,14}) (\S+)\n((?:.+\n)*)$/.exec(text) ?? [];
  if (!isTime(at) || readHash(hash) === null) return null;
  const states: AnchoredState[] = [];
  for (const line of lines.split('\n').slice(0, -1)) {
    const [, tenantId = '', ledger, size, rootHash = ''] =
      /^([^\s/]+)\/(consent|audit) (0|[1-9]\d{0,14}) (\S+)$/.exec(line) ?? [];
    if (readHash(rootHash) === null) return null;
    states.push({ tenantId, ledger: ledger as LedgerOf['ledger'], size: Number(size), rootHash });
  }
  return { origin, at, after: { records: Number(records), hash }, states };
}

/** The text of the first record of a log that was started when the database already had checkpoints. */
export function writeStart(keyName: string, at: string): string {
  return `${keyName}/start\nStarted: ${at}\n`;
}

/**
 * Parses the text of `writeStart`.
 * @returns null if it is not a start record.
 */
export function readStart(text: string): { readonly origin: string; readonly at: string } | null {
  const [, origin = '', at] = /^([^\s/]+\/start)\nStarted: (\S+)\n$/.exec(text) ?? [];
  return isTime(at) ? { origin, at } : null;
}
