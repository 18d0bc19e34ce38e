const longestExcerpt = 4 * 1024;
const longestBody = 64 * 1024;

/** What a terminal, a page or PostgreSQL would not show as it is: control characters, and those that turn text round. */
const unreadable = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/** Keeps the beginning of an answer and counts the rest. */
export class AnswerExcerpt {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  /** @returns whether more may be read: an answer has as many bytes as its sender likes. */
  add(chunk: Uint8Array): boolean {
    const room = longestExcerpt - this.#length;
    // A copy: the chunk is a view of a larger buffer.
    if (room > 0) this.#chunks.push(Uint8Array.from(chunk.subarray(0, room)));
    this.#length += chunk.length;
    return this.#length < longestBody;
  }

  /** The first 4 KiB as text, whatever bytes they are; a character that the limit cuts is left out. */
  toString(): string {
    const isCut = this.#length > longestExcerpt;
    const text = new TextDecoder().decode(Buffer.concat(this.#chunks), { stream: isCut });
    return text.replaceAll('\r\n', '\n').replace(unreadable, '\u{fffd}');
  }
}
