import { ConfigurationError } from '../errors.ts';
import { splitLines } from '../split-lines.ts';
import { LedgerVerificationError } from './error.ts';

/** What an export is read from: bytes or text, whole or in pieces of any size, as files, sockets and responses give them. */
export type Chunks = Uint8Array | string | AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/**
 * Cuts an export into lines.
 * @throws {LedgerVerificationError} `line_malformed` for what is not UTF-8, and for an endless line.
 * @throws {ConfigurationError} for what is neither bytes nor text.
 */
export function readLines(chunks: Chunks, signal: AbortSignal | undefined): AsyncGenerator<string, void> {
  return splitLines(toBytes(chunks, signal), malformed);
}

async function* toBytes(chunks: Chunks, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  let half = '';
  for await (const chunk of readPieces(chunks)) {
    signal?.throwIfAborted();
    if (chunk instanceof Uint8Array) yield chunk;
    else if (typeof chunk !== 'string') throw new ConfigurationError('The export must come as bytes or text.');
    else {
      // A piece of text may end in the middle of a pair of surrogates.
      const text = half + chunk;
      half = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : '';
      const whole = half === '' ? text : text.slice(0, -1);
      if (!whole.isWellFormed()) throw malformed('The line is not UTF-8.');
      yield new TextEncoder().encode(whole);
    }
  }
  if (half !== '') throw malformed('The line is not UTF-8.');
}

/** What was handed in whole is one piece: its members would be single numbers or characters. */
function readPieces(chunks: Chunks): AsyncIterable<unknown> | Iterable<unknown> {
  if (chunks instanceof Uint8Array || typeof chunks === 'string') return [chunks];
  const isIterable =
    typeof chunks === 'object' && chunks !== null && (Symbol.asyncIterator in chunks || Symbol.iterator in chunks);
  if (!isIterable) throw new ConfigurationError('The export must be bytes, text, or an iterable of them: a stream.');
  return chunks;
}

function malformed(message: string): LedgerVerificationError {
  return new LedgerVerificationError('line_malformed', message);
}
