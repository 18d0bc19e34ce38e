import type { Transform } from 'node:stream';
import type { Dispatcher } from 'undici';
import { createDecoder, isDecoded } from '#platform';
import type { Connection } from './connection-pool.ts';
import { join } from './ledger/bytes.ts';

/** Why there is no answer. */
export type FailureKind = 'timeout' | 'deadline' | 'aborted' | 'connection' | 'too_large' | 'undecodable' | 'invalid';

/** Takes the bytes of an answer as they come. */
export interface Sink {
  push(chunk: Uint8Array): void;
  end(): void;
  fail(kind: FailureKind, cause: unknown): void;
}

export type ReceivedHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Controls the flow of an answer. */
export type Controller = Pick<Dispatcher.DispatchController, 'abort' | 'pause' | 'resume'>;

interface ExchangeOptions {
  readonly connection: Connection;
  /** The most bytes that are kept of the body, after decompression. */
  readonly limit: number;
  /** Makes what takes the body of an answer that is no error; null keeps the body. */
  readonly openSink: ((exchange: Exchange) => Sink) | null;
}

const noBytes = new Uint8Array(0);

/**
 * One request and its answer: what undici reports to, and the platform's fetch. Nothing is thrown from here; the caller that awaits `settled`
 * makes the error, so that its stack contains that caller.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  status = 0;
  headers: ReceivedHeaders = {};
  body: Uint8Array = noBytes;
  failure: FailureKind | null = null;
  cause: unknown;
  sink: Sink | null = null;
  /** True once the request is written to a socket. */
  isSent = false;
  /** Resolves when the answer is there, has begun to stream, or will not come. */
  readonly settled: Promise<void>;
  readonly #options: ExchangeOptions;
  readonly #settle: () => void;
  #isSettled = false;
  #controller: Controller | null = null;
  #chunks: Uint8Array[] | null = null;
  #size = 0;
  /** Bytes that the socket had received before this request. */
  #bytesBefore = 0;
  #coding: string | null = null;
  #decoder: Transform | null = null;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.settled = promise;
    this.#settle = resolve;
  }

  /** True if a reused connection was closed before a byte of the answer arrived: the server had already closed it. */
  get isStale(): boolean {
    const { socket } = this.#options.connection;
    return this.failure === 'connection' && this.#bytesBefore > 0 && socket?.bytesRead === this.#bytesBefore;
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    this.isSent = true;
    const { connection } = this.#options;
    this.#bytesBefore = connection.socket?.bytesRead ?? 0;
    connection.expectResponse?.();
    // The call ended while this waited for a connection.
    if (this.#isSettled) this.#abort();
  }

  onResponseStart(_: Controller, status: number, headers: ReceivedHeaders): void {
    // An interim response (RFC 9110 section 15.2) over a dispatcher of the caller's.
    if (status < 200 || this.#isSettled) return;
    this.status = status;
    this.headers = headers;
    // A list without case (RFC 9110 section 8.4), where `identity` and an empty member mean nothing.
    const codings = `${headers['content-encoding'] ?? ''}`.toLowerCase().match(/[^\s,]+/g);
    if (!isDecoded) this.#coding = codings?.filter((one) => one !== 'identity').join() || null;
    const { openSink, limit } = this.#options;
    if (openSink !== null && status < 300) {
      this.sink = openSink(this);
      this.#finish();
    } else if (Number(headers['content-length']) > limit) this.#exceed();
  }

  onResponseData(_: Controller, chunk: Uint8Array): void {
    if (isDecoded || this.#coding === null) this.#receive(chunk);
    else if (this.sink !== null || !this.#isSettled) {
      this.#decoder ??= this.#openDecoder(this.#coding, chunk);
      if (this.#decoder?.write(chunk) === false) this.#controller?.pause();
    }
  }

  onResponseEnd(): void {
    if (isDecoded || this.#decoder === null) this.#complete();
    else this.#decoder.end();
  }

  onResponseError(_: Controller | null, error: Error): void {
    this.fail('connection', error);
  }

  /** Gives the answer up, and the connection with it. */
  fail(kind: FailureKind, cause: unknown): void {
    if (!isDecoded) this.#decoder?.destroy();
    if (this.sink !== null) this.sink.fail(kind, cause);
    else if (!this.#isSettled) {
      this.failure = kind;
      this.cause = cause;
      this.#finish();
    } else return;
    this.#abort();
  }

  /** Stops and starts the flow of bytes into the sink. */
  hold(isHeld: boolean): void {
    const flow = isDecoded ? this.#controller : (this.#decoder ?? this.#controller);
    if (isHeld) flow?.pause();
    else flow?.resume();
  }

  #receive(chunk: Uint8Array): void {
    if (this.sink !== null || this.#isSettled) {
      this.sink?.push(chunk);
      return;
    }
    this.#size += chunk.length;
    if (this.#size > this.#options.limit) this.#exceed();
    else if (this.#size === chunk.length) this.body = chunk;
    else {
      this.#chunks ??= [this.body];
      this.#chunks.push(chunk);
    }
  }

  /** Of an error the status matters and the body only explains it: the call may still be tried again. */
  #exceed(): void {
    if (this.status < 300) {
      this.fail('too_large', undefined);
      return;
    }
    this.#decoder?.destroy();
    this.body = noBytes;
    this.#finish();
    this.#abort();
  }

  #complete(): void {
    if (this.sink !== null) this.sink.end();
    else if (!this.#isSettled) {
      if (this.#chunks !== null) this.body = join(this.#chunks);
      this.#finish();
    }
  }

  /** Opened with the first bytes: an answer without any has nothing to decode. */
  #openDecoder(coding: string, first: Uint8Array): Transform | null {
    const decoder = createDecoder(coding, first);
    if (decoder === null) {
      this.fail('undecodable', undefined);
      return null;
    }
    decoder.on('data', (chunk: Uint8Array) => this.#receive(chunk));
    decoder.on('end', () => this.#complete());
    decoder.on('error', (error) => this.fail('undecodable', error));
    decoder.on('drain', () => this.#controller?.resume());
    return decoder;
  }

  #abort(): void {
    this.#controller?.abort(new Error('given up'));
  }

  #finish(): void {
    this.#isSettled = true;
    this.#settle();
  }
}
