import { decodeText, join } from './ledger/bytes.ts';

const lineFeed = 0x0a;
/** Longer than any line that the server writes, so that bytes without line breaks do not fill the memory. */
const longestLine = 16 * 1024 * 1024;

/**
 * Splits bytes into lines of text, reading each byte once. Only a line feed terminates a line: JSON may contain
 * U+2028 and other characters that programs treat as line breaks.
 * @param makeError the error for invalid UTF-8, and for an overlong line.
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  makeError: (message: string) => Error,
): AsyncGenerator<string, void> {
  let open: Uint8Array[] = [];
  let length = 0;
  const close = (end: Uint8Array): string => {
    length += end.length;
    if (length > longestLine) throw makeError('The line is longer than 16 MiB.');
    const bytes = open.length === 0 ? end : join([...open, end]);
    [open, length] = [[], 0];
    const line = decodeText(bytes);
    if (line === null) throw makeError('The line is not UTF-8.');
    // Mail programs change line breaks.
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      yield close(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start === chunk.length) continue;
    open.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > longestLine) throw makeError('The line is longer than 16 MiB.');
  }
  const last = close(new Uint8Array());
  if (last !== '') yield last;
}
