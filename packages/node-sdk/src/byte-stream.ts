import type { Exchange, FailureKind, Sink } from './exchange.ts';
import type { Runtime } from './runtime.ts';
import type { ByteStream, ResponseDetails, StreamPromise } from './transport.ts';

/** Read ahead of whoever takes the bytes; more is left to the connection to hold back. */
const mostAhead = 256 * 1024;

interface StreamOptions {
  readonly runtime: Runtime;
  /** The longest silence, in milliseconds. */
  readonly timeout: number;
  readonly makeError: (kind: FailureKind, cause: unknown) => Error;
  /** Called when no more bytes will come. */
  readonly onClosed: () => void;
}

/** Holds the bytes of an answer until somebody takes them. */
export class ByteQueue implements Sink {
  readonly #exchange: Exchange;
  readonly #options: StreamOptions;
  #chunks: Buffer[] = [];
  #size = 0;
  #state: 'open' | 'ended' | FailureKind = 'open';
  #cause: unknown;
  #wake: (() => void) | null = null;

  constructor(exchange: Exchange, options: StreamOptions) {
    this.#exchange = exchange;
    this.#options = options;
  }

  push(chunk: Buffer): void {
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
  async take(): Promise<Buffer | null> {
    if (this.#chunks.length === 0 && this.#state === 'open') await this.#wait();
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      const wasHeld = this.#size > mostAhead;
      this.#size -= chunk.length;
      if (wasHeld && this.#size <= mostAhead) this.#exchange.hold(false);
      return chunk;
    }
    if (this.#state === 'open' || this.#state === 'ended') return null;
    throw this.#options.makeError(this.#state, this.#cause);
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
    this.#cause = cause;
    this.#options.onClosed();
    this.#wake?.();
  }

  async #wait(): Promise<void> {
    const { runtime, timeout } = this.#options;
    const timer =
      timeout === Number.POSITIVE_INFINITY
        ? null
        : runtime.setTimer(() => this.#exchange.fail('timeout', undefined), timeout);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = null;
    if (timer !== null) runtime.clearTimer(timer);
  }
}

/** The bytes of a queue, for whoever asked for them. */
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

async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  makeError: (message: string) => Error,
): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw makeError('The stream is not text in UTF-8.');
    }
  };
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decode(chunk)).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  rest += decode();
  if (rest !== '') yield rest;
}

/** A stream that is on its way. */
export class PendingStream implements StreamPromise {
  readonly [Symbol.toStringTag] = 'StreamPromise';
  readonly #stream: Promise<ByteStream>;

  constructor(stream: Promise<ByteStream>) {
    this.#stream = stream;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  then<Fulfilled = ByteStream, Rejected = never>(
    onFulfilled?: ((stream: ByteStream) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#stream.then(onFulfilled, onRejected);
  }

  catch<Rejected = never>(
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<ByteStream | Rejected> {
    return this.#stream.catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<ByteStream> {
    return this.#stream.finally(onFinally);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    yield* await this.#stream;
  }

  async *lines(): AsyncGenerator<string, void> {
    yield* (await this.#stream).lines();
  }
}
