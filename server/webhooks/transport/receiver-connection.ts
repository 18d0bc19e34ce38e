import type { Socket } from 'node:net';
import type { Client, Dispatcher } from 'undici';
import { type ConnectOptions, openSocket, type Step, type Undici } from './connection.ts';
import { DeliveryFailure, type DeliveryOutcome, describeFailure, type Ending } from './outcome.ts';

const longestRetryAfter = 100;
const longestExcerpt = 4 * 1024;
const longestBody = 64 * 1024;

/** What terminals, pages or PostgreSQL do not show as it is: control characters, and those that change text direction. */
const unreadable = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/**
 * A connection to an origin, used by one delivery at a time. The receiver may close a kept connection just as a request is
 * sent: if it breaks before a byte of the answer, the request is sent once more over a new one. It may have arrived already
 * (RFC 9110 section 9.2.2 allows the repetition where it does no harm): deliveries are at least once, and have an id.
 */
export class ReceiverConnection implements Dispatcher.DispatchHandler {
  /** Whether it may serve another delivery: the answer of the last one was read to its end. */
  isReusable = false;
  readonly #client: Client;
  /** The one that was opened last, also when it is closed by now. */
  #socket: Socket | null = null;

  /** Ends the delivery; null between two of them. */
  #resolve: ((outcome: DeliveryOutcome) => void) | null = null;
  #request!: Dispatcher.DispatchOptions;
  #isWanted: (() => Promise<boolean>) | null = null;
  #timing!: Record<Step, number | null> & { readonly queued: number; total: number };
  #startedAt!: number;
  #stepAt!: number;
  #isReused!: boolean;
  /** Of the socket, when the request was handed to it. */
  #bytesBefore: number | undefined;
  #answer!: { readonly status: number; readonly retryAfter: string | null } | null;
  #chunks!: Uint8Array[];
  #length!: number;

  /** @param onClose called when it is closed, also by the receiver. */
  constructor(undici: Undici, origin: string, options: ConnectOptions, onClose: () => void) {
    const onStep = (step: Step) => {
      this.#isReused = false;
      this.#measure(step);
    };
    this.#client = new undici.Client(origin, {
      connect: (target, answer) => {
        this.#socket = openSocket(undici, options, target, onStep, (error, socket) => {
          if (error !== null || this.#isWanted === null)
            return answer(...([error, socket] as Parameters<typeof answer>));
          void this.#isWanted().then((isWanted) => {
            if (isWanted && !socket.destroyed) return answer(null, socket);
            socket.destroy();
            answer(isWanted ? describeFailure(null) : canceled(), null);
          });
        });
      },
      allowH2: false,
      // One limit over the whole exchange replaces these.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16 * 1024,
      // Shorter than the 5 seconds after which many servers close a connection, which would meet a delivery on its way.
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 60_000,
    });
    this.#client.on('disconnect', onClose);
  }

  /** Closes it at once, also while it is being opened. */
  async destroy(): Promise<void> {
    this.#socket?.destroy();
    await this.#client.destroy();
  }

  /**
   * Sends a request and reads its answer. Never rejects.
   * @param queuedAt when the delivery was handed to the transport, on the clock of `performance`.
   * @param isWanted is asked once a connection was opened for it, which can take seconds: whether it is still to be sent.
   *   Never rejects.
   */
  post(
    request: Dispatcher.DispatchOptions,
    queuedAt: number,
    isWanted: (() => Promise<boolean>) | null = null,
  ): Promise<DeliveryOutcome> {
    const now = performance.now();
    this.isReusable = false;
    this.#request = request;
    this.#isWanted = isWanted;
    this.#timing = { queued: round(now - queuedAt), lookup: null, connect: null, tls: null, firstByte: null, total: 0 };
    this.#startedAt = now;
    this.#isReused = this.#socket?.destroyed === false;
    this.#answer = null;
    this.#chunks = [];
    this.#length = 0;
    const { promise, resolve } = Promise.withResolvers<DeliveryOutcome>();
    this.#resolve = resolve;
    this.#send(now);
    return promise;
  }

  /** Ends the delivery because its time limit has passed, which is one for both tries. */
  expire(seconds: number): void {
    const message =
      this.#answer === null
        ? `There was no answer within ${seconds} s.`
        : `The answer (status ${this.#answer.status}) was not complete within ${seconds} s.`;
    this.fail({ reason: 'timeout', message });
  }

  /** Ends the delivery unless it has ended; the connection is not reusable. */
  fail({ reason, message }: Pick<DeliveryFailure, 'reason' | 'message'>): void {
    this.#end({ outcome: 'failed', reason, message });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#resolve === null) controller.abort(new Error('The delivery has ended.'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // Not the answer yet (RFC 9110 section 15.2).
    if (status < 200) return;
    const given = headers['retry-after'];
    const retryAfter = (Array.isArray(given) ? given[0] : given)?.slice(0, longestRetryAfter);
    this.#answer = { status, retryAfter: retryAfter ?? null };
    this.#measure('firstByte');
  }

  /** A longer answer ends here with its status; the rest is not read. */
  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const free = longestExcerpt - this.#length;
    // A copy: the chunk is a view of a larger buffer.
    if (free > 0) this.#chunks.push(Uint8Array.from(chunk.subarray(0, free)));
    this.#length += chunk.length;
    if (this.#length >= longestBody) this.#finish();
  }

  onResponseEnd(): void {
    this.isReusable = this.#resolve !== null;
    this.#finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const failure = describeFailure(error);
    // The second try has a connection of its own, so there is no third.
    const mayRepeat = this.#resolve !== null && this.#isReused && failure.reason === 'connection';
    if (mayRepeat && this.#socket?.bytesRead === this.#bytesBefore) {
      this.#isReused = false;
      this.#send(performance.now());
    } else this.fail(failure);
  }

  #send(now: number): void {
    this.#stepAt = now;
    this.#bytesBefore = this.#socket?.bytesRead;
    this.#client.dispatch(this.#request, this);
  }

  #measure(step: Step): void {
    const now = performance.now();
    this.#timing[step] = round(now - this.#stepAt);
    this.#stepAt = now;
  }

  #finish(): void {
    if (this.#answer !== null) this.#end({ outcome: 'answered', ...this.#answer, excerpt: this.#readExcerpt() });
  }

  #end(ending: Ending): void {
    if (this.#resolve === null) return;
    this.#timing.total = round(performance.now() - this.#startedAt);
    this.#resolve({ ...ending, timing: this.#timing, reused: this.#isReused });
    this.#resolve = null;
  }

  /** The first 4 KiB as text, whatever bytes they are; a character that the limit cuts is left out. */
  #readExcerpt(): string {
    if (this.#length === 0) return '';
    const text = new TextDecoder().decode(Buffer.concat(this.#chunks), { stream: this.#length > longestExcerpt });
    return text.replaceAll('\r\n', '\n').replace(unreadable, '\u{fffd}');
  }
}

function canceled(): DeliveryFailure {
  return new DeliveryFailure('aborted', 'The delivery was canceled while its connection was opened.');
}

/** To a tenth of a millisecond. */
function round(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
