import { isUtf8 } from 'node:buffer';
import type { Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** Why it cannot be read; null if it can. */
  readonly fault: string | null;
}

/** The longest line, in bytes. */
export const longestLine = 64 * 1024;

const tooLong = `is longer than ${longestLine} bytes`;
const lineFeed = 0x0a;

/**
 * Reads the lines of a text file, also blank ones, in pieces: memory does not grow with it. A file that is UTF-16 has one
 * line, with the fault.
 * @param hash gets every byte of the file.
 */
export async function* readLines(file: string, hash: Hash): AsyncGenerator<Line> {
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
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk);
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
  /** True if the lines after it are read as records, but may be the rest of a quoted field of it. */
  readonly isOpen: boolean;
}

/**
 * Reads CSV (RFC 4180) with a header. No fault of a record stops the next ones from being read, so that a dry run names them
 * all: where a quoted field is not closed correctly, only its first line is the record, and the next one is read again.
 * @param lines of the file. The delimiter is the most frequent of comma, semicolon and tab in the first line.
 */
export async function* readCsv(lines: AsyncIterable<Line>): AsyncGenerator<CsvRecord> {
  // csv-parse (7.0.3) was measured: after a quote that is not closed it names the last line, and loses those in between.
  let header: { readonly names: readonly string[]; readonly delimiter: string } | null = null;
  const source = lines[Symbol.asyncIterator]();
  /** Lines to be read again, the last one first. */
  const waiting: Line[] = [];
  const take = async (): Promise<Line | undefined> => waiting.pop() ?? (await source.next()).value;
  for (let line = await take(); line !== undefined; line = await take()) {
    if (isBlank(line)) continue;
    const delimiter: string = header?.delimiter ?? findDelimiter(line.text);
    const { number } = line;
    const read = await readFields(line, delimiter, take);
    waiting.push(...read.unread.toReversed());
    const found = { number, fields: {}, isOpen: read.isOpen };
    if (header !== null) yield nameFields(found, header.names, read);
    else {
      const names = read.values.map((name) => name.trim());
      const fault = read.fault ?? findHeaderFault(names);
      if (fault === null) header = { names, delimiter };
      else {
        yield { ...found, fault: `${fault}. It is the header: the lines after it were not read` };
        // The whole file counts for its hash.
        while ((await take()) !== undefined);
      }
    }
  }
}

interface ReadFields {
  readonly values: readonly string[];
  readonly fault: string | null;
  /** The last line of the record. */
  readonly end: number;
  /** Lines that are not of the record. */
  readonly unread: readonly Line[];
  readonly isOpen: boolean;
}

/** Reads the fields of a record, which has further lines while a quoted field is open. */
async function readFields(line: Line, delimiter: string, take: () => Promise<Line | undefined>): Promise<ReadFields> {
  const fields: Fields = { values: [], open: null };
  const unread: Line[] = [];
  const finish = (fault: string | null, { number: end } = line): ReadFields => {
    return { values: fields.values, fault, end, unread: [], isOpen: false };
  };
  const giveBack = (fault: string, isOpen: boolean) => ({ ...finish(fault), unread, isOpen });
  if (!addFields(fields, line.text, delimiter)) return finish(line.fault ?? 'has a misplaced quotation mark');
  let { fault } = line;
  let length = line.text.length;
  while (fields.open !== null) {
    const next = await take();
    if (next === undefined) return giveBack(unclosed, true);
    unread.push(next);
    length += next.text.length + 1;
    if (length > longestLine || next.fault === tooLong)
      return giveBack(`${unclosed} within ${longestLine} bytes`, true);
    if (!addFields(fields, next.text, delimiter)) return giveBack(unclosed, false);
    fault ??= next.fault;
    if (fields.open === null) return finish(fault, next);
  }
  return finish(fault);
}

const unclosed = 'has a quotation mark that is not closed';

function nameFields(
  record: Pick<CsvRecord, 'number' | 'fields' | 'isOpen'>,
  names: readonly string[],
  { values, fault, end }: ReadFields,
): CsvRecord {
  if (fault !== null) return { ...record, fault };
  if (values.length !== names.length) {
    const lines = end === record.number ? '' : `together with the lines up to ${end} `;
    return { ...record, fault: `${lines}has ${values.length} fields, but the header has ${names.length}` };
  }
  // Without a prototype: a column may have any name.
  const fields: Record<string, string> = Object.create(null);
  for (const [index, name] of names.entries()) fields[name] = values[index] as string;
  return { ...record, fields, fault: null };
}

function findHeaderFault(names: readonly string[]): string | null {
  const index = names.findIndex((name, at) => names.indexOf(name) !== at);
  if (index === -1) return null;
  // Numbers, because a file without a header has values of a person here.
  return `has the same name in columns ${names.indexOf(names[index] as string) + 1} and ${index + 1}`;
}

function findDelimiter(header: string): string {
  const count = (delimiter: string) => header.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, other) => (count(other) > count(best) ? other : best));
}

/** True if a line has no text, which is no fault. */
export function isBlank({ text, fault }: Pick<Line, 'text' | 'fault'>): boolean {
  return fault === null && text.trim() === '';
}

/** The fields of a record so far; `open` is the beginning of a quoted one that ends in a later line. */
interface Fields {
  readonly values: string[];
  open: string | null;
}

/** Adds the fields of a line. @returns false if a quotation mark is misplaced. */
function addFields(fields: Fields, text: string, delimiter: string): boolean {
  if (fields.open === null && !text.includes('"')) {
    fields.values.push(...text.split(delimiter));
    return true;
  }
  let quoted = fields.open === null ? null : `${fields.open}\n`;
  for (let at = 0; ; at += 1) {
    let field = '';
    if (quoted === null && text[at] === '"') {
      quoted = '';
      at += 1;
    }
    if (quoted !== null) {
      field = quoted;
      for (; ; at += 1) {
        const end = text.indexOf('"', at);
        fields.open = end === -1 ? field + text.slice(at) : null;
        if (end === -1) return true;
        field += text.slice(at, end);
        at = end + 1;
        if (text[at] !== '"') break;
        field += '"';
      }
      quoted = null;
    } else {
      const end = text.indexOf(delimiter, at);
      field = text.slice(at, end === -1 ? undefined : end);
      if (field.includes('"')) return false;
      at += field.length;
    }
    fields.values.push(field);
    if (at >= text.length) return true;
    if (text[at] !== delimiter) return false;
  }
}
