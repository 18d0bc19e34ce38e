import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** A line of a text file, or a record of several lines of a CSV file. */
export interface Line {
  /** Of its first line, from 1. */
  readonly number: number;
  readonly text: string;
  /** Why it cannot be read; null if it can. */
  readonly fault: string | null;
}

/** The longest line, in bytes. */
export const longestLine = 64 * 1024;

const tooLong = `is longer than ${longestLine} bytes`;
const lineFeed = 0x0a;

/** A text file that is read once, in pieces: memory does not grow with it. */
export class LineReader {
  readonly #file: string;
  readonly #hash = createHash('sha256');

  constructor(file: string) {
    this.#file = file;
  }

  /** The SHA-256 of the file, hex; only after everything was read. */
  digest(): string {
    return this.#hash.digest('hex');
  }

  /** Reads the lines, also blank ones. A file that is UTF-16 has one line, with the fault. */
  async *read(): AsyncGenerator<Line> {
    let number = 1;
    let isStart = true;
    let isUtf16 = false;
    let rest: Buffer = Buffer.alloc(0);
    let isSkipping = false;
    const take = (bytes: Buffer): Line => {
      const isLong = isSkipping || bytes.length > longestLine;
      isSkipping = false;
      const text = isLong ? '' : bytes.toString().replace(/\r$/, '');
      const fault = isLong ? tooLong : isUtf8(bytes) ? null : 'is not UTF-8';
      return { number, text, fault };
    };
    for await (const chunk of createReadStream(this.#file) as AsyncIterable<Buffer>) {
      this.#hash.update(chunk);
      if (isUtf16) continue;
      let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      if (isStart) {
        // Enough to recognize the encoding, but for files that have less.
        if (looksLikeUtf16(bytes)) {
          isUtf16 = true;
          yield { number: 1, text: '', fault: 'is UTF-16. Convert the file to UTF-8' };
          continue;
        }
        if (bytes.subarray(0, 3).equals(byteOrderMark)) bytes = bytes.subarray(3);
        isStart = false;
      }
      let from = 0;
      for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, from)) {
        yield take(bytes.subarray(from, end));
        number += 1;
        from = end + 1;
      }
      rest = bytes.subarray(from);
      if (rest.length > longestLine) isSkipping = true;
      if (isSkipping) rest = Buffer.alloc(0);
    }
    if (isUtf16 || (rest.length === 0 && !isSkipping)) return;
    yield take(rest);
  }
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** With its mark or without: the texts of a file that a person can import have some ASCII in their first characters. */
function looksLikeUtf16(bytes: Buffer): boolean {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return bytes.subarray(0, 4).includes(0);
}

/** A record of a CSV file: its fields by the names of the header. */
export interface CsvRecord extends Omit<Line, 'text'> {
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Reads CSV (RFC 4180) with a header. Of the faults that a record can have, none stops the next records from being read: so a
 * dry run names them all.
 * @param lines of the file. The delimiter is the most frequent of comma, semicolon and tab in the header.
 */
export async function* readCsv(lines: AsyncIterable<Line>): AsyncGenerator<CsvRecord> {
  let header: { readonly names: readonly string[]; readonly delimiter: string } | null = null;
  let isLost = false;
  for await (const { number, text, fault } of joinQuoted(lines)) {
    if (isLost || isBlank({ text, fault })) continue;
    const none = { number, fields: {} };
    if (header === null) {
      const delimiter = findDelimiter(text);
      const names = fault === null ? splitFields(text, delimiter)?.map((name) => name.trim()) : undefined;
      const issue = fault ?? (names === undefined ? 'has a misplaced quotation mark' : findHeaderFault(names));
      if (issue !== null) {
        yield { ...none, fault: `${issue}, and is the header, so that nothing else can be read` };
        isLost = true;
        continue;
      }
      header = { names: names as readonly string[], delimiter };
      continue;
    }
    const { names, delimiter } = header;
    const values = fault === null ? splitFields(text, delimiter) : null;
    if (fault !== null) yield { ...none, fault };
    else if (values === null) yield { ...none, fault: 'has a misplaced quotation mark' };
    else if (values.length !== names.length)
      yield { ...none, fault: `has ${values.length} fields, but the header has ${names.length}` };
    else {
      // Without a prototype: a column may have any name.
      const fields: Record<string, string> = Object.create(null);
      for (const [index, name] of names.entries()) fields[name] = values[index] as string;
      yield { number, fields, fault: null };
    }
  }
}

function findHeaderFault(names: readonly string[]): string | null {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  return repeated === undefined ? null : `has the column "${repeated}" twice`;
}

function findDelimiter(header: string): string {
  const count = (delimiter: string) => header.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, other) => (count(other) > count(best) ? other : best));
}

/** Whether a line has nothing to read, which is no fault. */
export function isBlank({ text, fault }: Pick<Line, 'text' | 'fault'>): boolean {
  return fault === null && text.trim() === '';
}

/**
 * Joins the lines of a quoted field: a record ends where the number of quotation marks is even. One that does not end is the
 * last: what follows could be the rest of its field, and must not be taken for records.
 */
async function* joinQuoted(lines: AsyncIterable<Line>): AsyncGenerator<Line> {
  let number = 0;
  let texts: string[] = [];
  let length = 0;
  let fault: string | null = null;
  let isOpen = false;
  let isLost = false;
  const finish = (unclosed: string | null = null): Line => {
    const joined = { number, text: texts.join('\n'), fault: fault ?? unclosed };
    texts = [];
    length = 0;
    fault = null;
    isOpen = false;
    return joined;
  };
  for await (const line of lines) {
    // The whole file counts for its hash.
    if (isLost) continue;
    if (texts.length === 0) number = line.number;
    texts.push(line.text);
    length += line.text.length;
    fault ??= line.fault;
    if (line.text.split('"').length % 2 === 0) isOpen = !isOpen;
    if (!isOpen) yield finish();
    else if (length > longestLine || line.fault === tooLong) {
      yield finish(`has a quotation mark that is not closed by line ${line.number}, so that nothing else can be read`);
      isLost = true;
    }
  }
  if (texts.length > 0) yield finish('has a quotation mark that is not closed');
}

/** The fields of a record; null if a quotation mark is misplaced. */
function splitFields(text: string, delimiter: string): readonly string[] | null {
  if (!text.includes('"')) return text.split(delimiter);
  const fields: string[] = [];
  for (let at = 0; ; at += 1) {
    let field = '';
    if (text[at] === '"') {
      for (at += 1; ; at += 1) {
        const end = text.indexOf('"', at);
        if (end === -1) return null;
        field += text.slice(at, end);
        at = end + 1;
        if (text[at] !== '"') break;
        field += '"';
      }
    } else {
      const end = text.indexOf(delimiter, at);
      field = text.slice(at, end === -1 ? undefined : end);
      if (field.includes('"')) return null;
      at += field.length;
    }
    fields.push(field);
    if (at >= text.length) return fields;
    if (text[at] !== delimiter) return null;
  }
}
