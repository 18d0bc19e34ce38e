import type { Dispatcher } from 'undici';
import type { ReceiverConnection, Step } from './connection.ts';
import { DeliveryFailure, type DeliveryOutcome, describeFailure } from './outcome.ts';

/** Of look-up, connection and answer together. Standard Webhooks recommends 15 to 30 seconds. */
export const timeoutMs = 15_000;
const longestRetryAfter = 100;
const longestExcerpt = 4 * 1024;
const longestBody = 64 * 1024;

/** What terminals, pages or PostgreSQL do not show as it is: control characters, and those that change text direction. */
const unreadable = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/**
 * One request and its answer on a connection of its own. The receiver may close a kept connection just as the request is sent:
 * if a kept connection breaks before a byte of the answer, the request is sent once more over a new one. It may have arrived
 * already (RFC 9110 section 9.2.2 allows the repetition where it does no harm): deliveries are at least once, and have an id.
 */
export class DeliveryExchange implements Dispatcher.DispatchHandler {
  /** Whether the connection may serve another delivery afterwards. */
  isReusable = false;
  readonly ended: Promise<DeliveryOutcome>;
  readonly #connection: ReceiverConnection;
  readonly #request: Dispatcher.DispatchOptions;
  readonly #resolve: (outcome: DeliveryOutcome) => void;
  readonly #startedAt = performance.now();
  readonly #timing: { -readonly [Name in Step | 'queued']: number | null };
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  #stepAt = this.#startedAt;
  #isFresh = false;
  #isReused = false;
  #isEnded = false;
  /** Of the connection, when the request was handed to it. */
  #bytesBefore = 0;
  #status: number | null = null;
  #retryAfter: string | null = null;

  /** @param queuedAt when the delivery was handed to the transport, on the clock of `performance`. */
  constructor(connection: ReceiverConnection, request: Dispatcher.DispatchOptions, queuedAt: number) {
    const { promise, resolve } = Promise.withResolvers<DeliveryOutcome>();
    this.ended = promise;
    this.#resolve = resolve;
    this.#connection = connection;
    this.#request = request;
    const queued = round(this.#startedAt - queuedAt);
    this.#timing = { queued, lookup: null, connect: null, tls: null, firstByte: null };
  }

  /** Sends the request. */
  start(): void {
    this.#bytesBefore = this.#connection.bytesRead;
    this.#connection.send(this.#request, this, (step) => {
      this.#isFresh = true;
      this.#measure(step);
    });
  }

  /** Ends it unless it has ended: the connection is closed by its owner. */
  fail({ reason, message }: DeliveryFailure): void {
    if (!this.#isEnded) this.#resolve({ outcome: 'failed', reason, message, ...this.#end() });
  }

  /** Ends it because its time limit has passed, which is one for both tries. */
  expire(): void {
    const limit = `${timeoutMs / 1000} s`;
    const message =
      this.#status === null
        ? `There was no answer within ${limit}.`
        : `The answer (status ${this.#status}) was not complete within ${limit}.`;
    this.fail(new DeliveryFailure('timeout', message));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isEnded) controller.abort(new Error('The exchange has ended.'));
    this.#isReused = !this.#isFresh;
    this.#stepAt = performance.now();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // Not the answer yet (RFC 9110 section 15.2).
    if (status < 200) return;
    this.#status = status;
    const retryAfter = headers['retry-after'];
    this.#retryAfter = (Array.isArray(retryAfter) ? retryAfter[0] : retryAfter)?.slice(0, longestRetryAfter) ?? null;
    this.#measure('firstByte');
  }

  /** A longer answer ends here with its status; the rest is not read. */
  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const free = longestExcerpt - this.#length;
    // A copy: the chunk is a view of a larger buffer.
    if (free > 0) this.#chunks.push(Uint8Array.from(chunk.subarray(0, free)));
    this.#length += chunk.length;
    if (this.#length >= longestBody) this.#answer();
  }

  onResponseEnd(): void {
    this.isReusable = !this.#isEnded;
    this.#answer();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const failure = describeFailure(error);
    // The second try has a connection of its own, so there is no third.
    const mayRepeat = !this.#isEnded && this.#isReused && failure.reason === 'connection';
    if (mayRepeat && this.#connection.bytesRead === this.#bytesBefore) {
      this.#isReused = false;
      this.#stepAt = performance.now();
      this.start();
    } else this.fail(failure);
  }

  #measure(step: Step): void {
    const now = performance.now();
    this.#timing[step] = round(now - this.#stepAt);
    this.#stepAt = now;
  }

  #answer(): void {
    if (this.#status === null || this.#isEnded) return;
    const [status, retryAfter, excerpt] = [this.#status, this.#retryAfter, this.#readExcerpt()];
    this.#resolve({ outcome: 'answered', status, retryAfter, excerpt, ...this.#end() });
  }

  #end(): Pick<DeliveryOutcome, 'timing' | 'reused'> {
    this.#isEnded = true;
    return { timing: { ...this.#timing, total: round(performance.now() - this.#startedAt) }, reused: this.#isReused };
  }

  /** The first 4 KiB as text, whatever bytes they are; a character that the limit cuts is left out. */
  #readExcerpt(): string {
    if (this.#length === 0) return '';
    const text = new TextDecoder().decode(Buffer.concat(this.#chunks), { stream: this.#length > longestExcerpt });
    return text.replaceAll('\r\n', '\n').replace(unreadable, '\u{fffd}');
  }
}

/** To a tenth of a millisecond. */
function round(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
