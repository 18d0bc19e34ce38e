import { createHash, type Hash } from 'node:crypto';
import { readSync } from 'node:fs';
import type { LogPosition, RestoreStatement } from './restore-statement.ts';

/** A record of the checkpoint log: a signed note (C2SP signed-note), or invalid text in its place. */
export interface AnchorRecord {
  /** The line on which the record starts, from 1. */
  readonly line: number;
  /** The note as it was signed, in UTF-8. Valid until the next record is read. */
  readonly bytes: Buffer;
  /** Byte offset of the next record: after the empty line that follows the note. */
  readonly end: number;
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

/** Counts and hashes the records of a log, to check the position of restore statements. */
export class LogReader {
  #records = 0;
  readonly #hash: Hash = createHash('sha256');

  position(): LogPosition {
    return { records: this.#records, hash: this.#hash.copy().digest('base64') };
  }

  /** Whether a statement was made for the current position; a copied one was not. */
  isPlaceOf({ after }: RestoreStatement): boolean {
    return after.records === this.#records && after.hash === this.position().hash;
  }

  take({ bytes }: AnchorRecord): void {
    this.#records += 1;
    this.#hash.update(bytes).update('\n');
  }
}

/**
 * Reads the complete records of a log one by one, in constant memory. A record ends with the empty line after its
 * signatures; bytes after the last one were cut off in a crash or are being written. An incomplete record before other
 * records is skipped.
 * @param from the byte offset to start at: the end of a record.
 * @throws {MalformedLog}
 */
export function* readRecords(file: number, from = 0): Generator<AnchorRecord> {
  let chunk = Buffer.allocUnsafe(256 * 1024);
  let rest: Buffer = Buffer.alloc(0);
  let position = from;
  let end = from;
  let line = 1;
  for (;;) {
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
      end += at + 2 - start;
      if (!isCut) yield { line, bytes: note, end };
      line += countLines(note) + 1;
      start = at + 2;
    }
    rest = Buffer.from(bytes.subarray(start));
    if (rest.length > largestRecord) break;
    // Doubles, so that a long record is copied only a few times.
    if (rest.length > chunk.length) chunk = Buffer.allocUnsafe(2 * chunk.length);
  }
  if (rest.length <= largestTail && !rest.includes('\r')) return;
  throw new MalformedLog(
    line,
    `the ${rest.length > largestRecord ? 'more than ' : ''}${rest.length} bytes from line ${line} on are not a record: a program other than Svc changed the file, for example its line endings. Restore it from a copy. Svc does not repair it.`,
  );
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(lineBreak); at !== -1; at = bytes.indexOf(lineBreak, at + 1)) lines += 1;
  return lines;
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
