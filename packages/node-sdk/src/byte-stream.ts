import type { Exchange, FailureKind, Sink } from './exchange.ts';
import type { Runtime } from './runtime.ts';
import { splitLines } from './split-lines.ts';
import type { ByteStream, Operation, ResponseDetails } from './transport.ts';

/** Bytes that are buffered ahead of the reader; beyond that the connection applies backpressure. */
const mostAhead = 256 * 1024;

interface StreamOptions {
  readonly runtime: Runtime;
  /** The longest silence, and the longest time until the first read, in milliseconds. */
  readonly timeout: number;
  /** Called when no more bytes will come. */
  readonly onClosed: () => void;
  /** Makes the error of a stream that breaks off or is invalid; then `cause` is the message. */
  readonly onFailed: (kind: FailureKind, cause: unknown) => Error;
}

/** Buffers the bytes of a response until they are read. */
export class ByteQueue implements Sink, ByteStream {
  readonly response: ResponseDetails;
  readonly #exchange: Exchange;
  readonly #options: StreamOptions;
  #chunks: Uint8Array[] = [];
  #size = 0;
  #state: 'open' | 'ended' | FailureKind = 'open';
  #error: Error | null = null;
  #wake: (() => void) | null = null;
  #timer: unknown = null;

  constructor(exchange: Exchange, response: ResponseDetails, options: StreamOptions) {
    this.#exchange = exchange;
    this.response = response;
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

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      for (let chunk = await this.#take(); chunk !== null; chunk = await this.#take()) yield chunk;
    } finally {
      await this.cancel();
    }
  }

  lines(): AsyncIterable<string> {
    return splitLines(this, (message) => this.#options.onFailed('invalid', message));
  }

  /** @throws {ResponseError} for a response that is not the lines that were requested. */
  requireType({ accept }: Operation): this {
    const type = String(this.#exchange.headers['content-type']);
    if (accept === '*/*' || /^application\/(?:[a-z.-]+\+)?(?:json|jsonl|x-ndjson)\b/i.test(type)) return this;
    void this.cancel();
    throw this.#options.onFailed('invalid', 'The response is not JSON Lines. Is baseUrl the address of the API?');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cancel();
  }

  /** The next bytes, or null after the last. */
  async #take(): Promise<Uint8Array | null> {
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

  async cancel(): Promise<void> {
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
