/** Says what is wrong with the line of an export that is being read. */
export class Fault extends Error {
  override readonly name = 'Fault';
}

const lineFeed = 0x0a;
/** Longer than any line that the server writes: a file without line breaks must not fill the memory. */
const longestLine = 16 * 1024 * 1024;

/**
 * Cuts the bytes of an export into lines. A line ends with a line feed and nothing else: entries may hold U+2028 and other
 * characters that programs take for the end of a line.
 * @throws {Fault} for bytes that are not UTF-8 (they could be read as another character), and for an endless line.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      yield decode([...rest, chunk.subarray(start, end)]);
      rest = [];
      start = end + 1;
    }
    rest.push(chunk.subarray(start));
    if (rest.reduce((sum, { length }) => sum + length, 0) > longestLine)
      throw new Fault('the line is longer than any that the server writes');
  }
  const last = decode(rest);
  if (last !== '') yield last;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(parts: readonly Uint8Array[]): string {
  try {
    const line = decoder.decode(Buffer.concat(parts));
    // Mail programs write line breaks as they are used to.
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  } catch {
    throw new Fault('the line is not UTF-8');
  }
}
