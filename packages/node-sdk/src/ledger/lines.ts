import { isUtf8 } from 'node:buffer';
import { LedgerVerificationError } from './error.ts';

/** What an export is read from: bytes or text in pieces of any size, as files, sockets and responses give them. */
export type Chunks = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

const lineFeed = 0x0a;
/** Longer than any line that the server writes: an export without line breaks must not fill the memory. */
const longestLine = 16 * 1024 * 1024;

/**
 * Cuts an export into lines. A line ends with a line feed and nothing else: entries may hold U+2028 and other characters
 * that programs take for the end of a line.
 * @throws {LedgerVerificationError} `line_malformed` for what is not UTF-8, and for an endless line.
 */
export async function* readLines(chunks: Chunks, signal: AbortSignal | undefined): AsyncGenerator<string> {
  let open: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of toBytes(chunks)) {
    signal?.throwIfAborted();
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      yield decode([...open, chunk.subarray(start, end)]);
      [open, length] = [[], 0];
      start = end + 1;
    }
    open.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > longestLine) throw malformed('the line is longer than any that the server writes');
  }
  const last = decode(open);
  if (last !== '') yield last;
}

async function* toBytes(chunks: Chunks): AsyncGenerator<Uint8Array> {
  let half = '';
  for await (const chunk of chunks) {
    if (typeof chunk !== 'string') yield chunk;
    else {
      // A piece of text may end in the middle of a pair of surrogates.
      const text = half + chunk;
      half = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : '';
      const whole = half === '' ? text : text.slice(0, -1);
      if (!whole.isWellFormed()) throw malformed('the line is not UTF-8');
      yield Buffer.from(whole);
    }
  }
  if (half !== '') throw malformed('the line is not UTF-8');
}

function decode(parts: readonly Uint8Array[]): string {
  const bytes = parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
  if (!isUtf8(bytes)) throw malformed('the line is not UTF-8');
  const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  // Mail programs write line breaks as they are used to.
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function malformed(message: string): LedgerVerificationError {
  return new LedgerVerificationError('line_malformed', message);
}
