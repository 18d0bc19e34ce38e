/** A request as it was captured: its headers, and the bytes of its body. */
export interface CapturedRequest {
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Uint8Array;
}

/**
 * Reads a request in the form of HTTP/1.1: header lines (a request line before them is passed over), an empty line, and
 * the body as it came.
 */
export function readCapturedRequest(bytes: Uint8Array): CapturedRequest | undefined {
  const text = Buffer.from(bytes).toString('latin1');
  const end = /\r?\n\r?\n/.exec(text);
  if (end === null) return undefined;
  return {
    headers: readHeaderLines(text.slice(0, end.index).split(/\r?\n/)),
    body: bytes.subarray(end.index + end[0].length),
  };
}

/** Reads lines of the form `Name: value`; others are passed over. */
export function readHeaderLines(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const [, name, value] = /^([\w-]+):(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const key = name.toLowerCase();
    const values = headers.get(key) ?? [];
    headers.set(key, values);
    values.push(value.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, ''));
  }
  return headers;
}
