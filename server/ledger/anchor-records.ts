import { createHash, type Hash } from 'node:crypto';
import { readSync } from 'node:fs';
import type { LogPosition, RestoreStatement } from './restore-statement.ts';

/** A record of the log of checkpoints: a signed note (C2SP signed-note), or what is there in place of one. */
export interface AnchorRecord {
  /** The line of the file that it starts on, from 1. */
  readonly line: number;
  /** The note as it was signed, in UTF-8. Valid until the next record is read. */
  readonly bytes: Buffer;
  /** Where the next record starts, in bytes: after the empty line that follows the note. */
  readonly end: number;
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

/** Follows the records of a log, to know where a restore statement is. */
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

  take({ bytes }: AnchorRecord): void {
    this.#records += 1;
    this.#hash.update(bytes).update('\n');
  }
}

/**
 * Reads the whole records of a log, one after the other: memory stays the same however long the log is. A record ends with
 * the empty line after its signatures; what comes after the last one was cut off in a crash, or is being written. What a
 * crash cut off before other records is skipped.
 * @param from the byte to start at: the end of a record.
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
      // An empty line within the note is before its signatures, not after one.
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
    // Grows with the record, so that a long one is not copied over and over.
    if (rest.length > chunk.length) chunk = Buffer.allocUnsafe(2 * chunk.length);
  }
  if (rest.length <= largestTail && !rest.includes('\r')) return;
  throw new MalformedLog(
    line,
    `from line ${line} on there are ${rest.length > largestRecord ? 'more than ' : ''}${rest.length} bytes that are no record: something other than Svc changed the file, such as its line ends. Put it back from a copy. It is left as it is.`,
  );
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(lineBreak); at !== -1; at = bytes.indexOf(lineBreak, at + 1)) lines += 1;
  return lines;
}

const lineBreak = 10;

/** What a signature line starts with (C2SP signed-note). */
const signatureMark = Buffer.from('\u2014 ');

/** What is appended to half a record before the next one. */
const cutMark = Buffer.from(' (cut off)');
export const cutOff = `${cutMark}\n\n`;

/** How much of a record a crash may leave at the end. */
const largestTail = 64 * 1024;
/** A restore statement has a line for each ledger of each tenant. */
const largestRecord = 64 * 1024 * 1024;
