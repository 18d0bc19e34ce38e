import type { Dispatcher } from 'undici';

/** Why there is no answer. */
export type FailureKind = 'timeout' | 'deadline' | 'aborted' | 'connection' | 'too_large';

/** Takes the bytes of an answer as they come. */
export interface Sink {
  push(chunk: Buffer): void;
  end(): void;
  fail(kind: FailureKind, cause: unknown): void;
}

export type ReceivedHeaders = Readonly<Record<string, string | string[] | undefined>>;

interface ExchangeOptions {
  /** The most bytes that are kept of the body. */
  readonly limit: number;
  /** Makes what takes the body of an answer that is no error; null keeps the body. */
  readonly openSink: ((exchange: Exchange) => Sink) | null;
}

const noHeaders: ReceivedHeaders = {};
const noBytes = Buffer.alloc(0);

/**
 * One request and its answer: what undici reports to. Nothing is thrown from here; whoever awaits `settled` makes the error,
 * so that the caller stands in its stack.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  status = 0;
  headers: ReceivedHeaders = noHeaders;
  body: Buffer = noBytes;
  failure: FailureKind | null = null;
  cause: unknown;
  sink: Sink | null = null;
  /** Resolves when the answer is there, has begun to stream, or will not come. */
  readonly settled: Promise<void>;
  readonly #options: ExchangeOptions;
  #settle!: () => void;
  #isSettled = false;
  #controller: Dispatcher.DispatchController | null = null;
  #chunks: Buffer[] | null = null;
  #size = 0;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It waited for a connection for longer than anybody waits for it.
    if (this.#isSettled) controller.abort(new Error('given up'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ReceivedHeaders): void {
    // 103 and its like come before the answer (RFC 9110 section 15.2).
    if (status < 200 || this.#isSettled) return;
    this.status = status;
    this.headers = headers;
    const { openSink, limit } = this.#options;
    if (openSink !== null && status < 300) {
      this.sink = openSink(this);
      this.#finish();
    } else if (Number(headers['content-length']) > limit) this.fail('too_large', undefined);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.sink !== null) this.sink.push(chunk);
    else if (!this.#isSettled) this.#keep(chunk);
  }

  #keep(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#options.limit) this.fail('too_large', undefined);
    else if (this.#size === chunk.length) this.body = chunk;
    else {
      this.#chunks ??= [this.body];
      this.#chunks.push(chunk);
    }
  }

  onResponseEnd(): void {
    if (this.sink !== null) this.sink.end();
    else if (!this.#isSettled) {
      if (this.#chunks !== null) this.body = Buffer.concat(this.#chunks, this.#size);
      this.#finish();
    }
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.fail('connection', error);
  }

  /** Gives the answer up, and the connection with it. */
  fail(kind: FailureKind, cause: unknown): void {
    if (this.sink !== null) this.sink.fail(kind, cause);
    else if (!this.#isSettled) {
      this.failure = kind;
      this.cause = cause;
      this.#finish();
    } else return;
    this.#controller?.abort(new Error('given up'));
  }

  /** Stops and starts the flow of bytes into the sink. */
  hold(isHeld: boolean): void {
    if (isHeld) this.#controller?.pause();
    else this.#controller?.resume();
  }

  #finish(): void {
    this.#isSettled = true;
    this.#settle();
  }
}
