import type { Call } from './call.ts';
import type { Exchange, FailureKind, Sink } from './exchange.ts';
import type { createResponseError } from './read-answer.ts';
import type { Runtime } from './runtime.ts';
import { splitLines } from './split-lines.ts';
import type { ByteStream, ResponseDetails } from './transport.ts';

/** Bytes that are buffered ahead of the reader; beyond that the connection applies backpressure. */
const mostAhead = 256 * 1024;

interface StreamOptions {
  readonly runtime: Runtime;
  /** The longest silence, and the longest time until the first read, in milliseconds. */
  readonly timeout: number;
  /** Called when no more bytes will come. */
  readonly onClosed: () => void;
  /** Makes the error of a stream that breaks off. */
  readonly onFailed: (kind: FailureKind, cause: unknown) => Error;
}

/**
 * Takes the function for its error: importing it would pull its modules into what is loaded by the first stream.
 * @throws {ResponseError} for a stream of something else than was asked for.
 */
export function checkStreamType(exchange: Exchange, call: Call, createError: typeof createResponseError): void {
  if (call.target.accept === '*/*') return;
  if (!/^application\/(?:[a-z.-]+\+)?(?:json|jsonl|x-ndjson)\b/i.test(String(exchange.headers['content-type'])))
    throw createError('The response is not JSON Lines. Is baseUrl the address of the API?', exchange, call);
}

/** Uint8Arrays the bytes of a response until they are read. */
export class ByteQueue implements Sink {
  readonly #exchange: Exchange;
  readonly #options: StreamOptions;
  #chunks: Uint8Array[] = [];
  #size = 0;
  #state: 'open' | 'ended' | FailureKind = 'open';
  #error: Error | null = null;
  #wake: (() => void) | null = null;
  #timer: unknown = null;

  constructor(exchange: Exchange, options: StreamOptions) {
    this.#exchange = exchange;
    this.#options = options;
    // Bytes that are never read would keep the connection open for ever.
    this.#startTimer();
  }

  push(chunk: Uint8Array): void {
    if (this.#state !== 'open') return;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size > mostAhead) this.#exchange.hold(true);
    this.#wake?.();
  }

  end(): void {
    this.#close('ended', undefined);
  }

  fail(kind: FailureKind, cause: unknown): void {
    this.#close(kind, cause);
  }

  /** The next bytes, or null after the last. */
  async take(): Promise<Uint8Array | null> {
    this.#stopTimer();
    if (this.#chunks.length === 0 && this.#state === 'open') await this.#wait();
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      const wasHeld = this.#size > mostAhead;
      this.#size -= chunk.length;
      if (wasHeld && this.#size <= mostAhead) this.#exchange.hold(false);
      return chunk;
    }
    if (this.#error === null) return null;
    // So that the stack contains the reader.
    Error.captureStackTrace?.(this.#error);
    throw this.#error;
  }

  /** Gives up what has not been taken. */
  cancel(): void {
    this.#chunks = [];
    if (this.#state !== 'open') return;
    this.#close('ended', undefined);
    this.#exchange.fail('aborted', undefined);
  }

  #close(state: 'ended' | FailureKind, cause: unknown): void {
    if (this.#state !== 'open') return;
    this.#state = state;
    this.#stopTimer();
    this.#options.onClosed();
    if (state !== 'ended') this.#error = this.#options.onFailed(state, cause);
    this.#wake?.();
  }

  async #wait(): Promise<void> {
    this.#startTimer();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await promise;
    this.#wake = null;
    this.#stopTimer();
  }

  #startTimer(): void {
    const { runtime, timeout } = this.#options;
    if (timeout !== Number.POSITIVE_INFINITY)
      this.#timer = runtime.setTimer(() => this.#exchange.fail('timeout', undefined), timeout);
  }

  #stopTimer(): void {
    if (this.#timer !== null) this.#options.runtime.clearTimer(this.#timer);
    this.#timer = null;
  }
}

/** The bytes of a queue, as a stream. */
export class QueuedStream implements ByteStream {
  readonly response: ResponseDetails;
  readonly #queue: ByteQueue;
  readonly #makeError: (message: string) => Error;

  constructor(queue: ByteQueue, response: ResponseDetails, makeError: (message: string) => Error) {
    this.#queue = queue;
    this.response = response;
    this.#makeError = makeError;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      for (let chunk = await this.#queue.take(); chunk !== null; chunk = await this.#queue.take()) yield chunk;
    } finally {
      this.#queue.cancel();
    }
  }

  lines(): AsyncIterable<string> {
    return splitLines(this, this.#makeError);
  }

  async cancel(): Promise<void> {
    this.#queue.cancel();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#queue.cancel();
  }
}
