import type { Dispatcher } from 'undici';
import { DeliveryFailure, type DeliveryOutcome, describeFailure } from './outcome.ts';
import type { ReceiverConnection } from './receiver-connection.ts';
import type { ConnectorStep } from './receiver-connector.ts';

const longestRetryAfter = 100;

/** Calls after so many milliseconds, unless it is cancelled with the function that it returns. Tests hand in their own. */
export type Timer = (milliseconds: number, act: () => void) => () => void;

export interface ExchangeOptions {
  readonly connection: ReceiverConnection;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly timeoutMs: number;
  readonly timer: Timer;
  readonly signal: AbortSignal | undefined;
  /** Milliseconds that it waited for its turn. */
  readonly queued: number | null;
}

/**
 * One request and its answer on a connection that is its own until it ends. A kept connection may be closed by the receiver
 * just as the request is on its way: one that breaks before a byte of the answer came says nothing about the receiver, and the
 * request goes out once more over a new one. It may have arrived already (RFC 9110 section 9.2.2 leaves such a repetition to
 * who knows that it does no harm): deliveries come at least once, and each has an id.
 */
export class DeliveryExchange implements Dispatcher.DispatchHandler {
  /** Whether the connection may serve another delivery afterwards. */
  isReusable = false;
  readonly #options: ExchangeOptions;
  readonly #excerpt = new AnswerExcerpt();
  readonly #ended = Promise.withResolvers<DeliveryOutcome>();
  readonly #startedAt = performance.now();
  readonly #steps = { lookup: null, connect: null, tls: null, firstByte: null } as Record<
    ConnectorStep | 'firstByte',
    number | null
  >;
  #stepAt = this.#startedAt;
  #isFresh = false;
  #isReused = false;
  #isEnded = false;
  /** Of the connection, when the request was handed to it. */
  #bytesBefore = 0;
  #status: number | null = null;
  #retryAfter: string | null = null;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  /** Sends the request and waits for the whole answer, the time limit (one for both tries) or the signal. Never rejects. */
  async run(): Promise<DeliveryOutcome> {
    const { timeoutMs, timer, signal } = this.#options;
    const onAbort = () => this.#fail(new DeliveryFailure('aborted', 'The delivery was given up.'));
    const cancelTimer = timer(timeoutMs, () => this.#fail(this.#describeTimeout()));
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      if (signal?.aborted) onAbort();
      else this.#send();
      return await this.#ended.promise;
    } finally {
      cancelTimer();
      signal?.removeEventListener('abort', onAbort);
    }
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
    this.#retryAfter = readFirst(headers['retry-after'])?.slice(0, longestRetryAfter) ?? null;
    this.#measure('firstByte');
  }

  /** An answer that is too long ends here as the answer that it is: its status came, and nothing more is needed of it. */
  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#excerpt.add(chunk)) this.#answer();
  }

  onResponseEnd(): void {
    this.isReusable = !this.#isEnded;
    this.#answer();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const failure = describeFailure(error);
    if (this.#mayRepeat(failure)) this.#repeat();
    else this.#fail(failure);
  }

  #send(): void {
    const { connection, path, headers, body } = this.#options;
    this.#bytesBefore = connection.bytesRead;
    connection.send({ path, method: 'POST', headers, body }, this, (step) => this.#onStep(step));
  }

  /** The second try has a connection of its own, so there is no third. */
  #mayRepeat({ reason }: DeliveryFailure): boolean {
    if (this.#isEnded || !this.#isReused || reason !== 'connection') return false;
    return this.#options.connection.bytesRead === this.#bytesBefore;
  }

  #repeat(): void {
    this.#isReused = false;
    this.#stepAt = performance.now();
    this.#send();
  }

  #onStep(step: ConnectorStep): void {
    this.#isFresh = true;
    this.#measure(step);
  }

  #measure(step: ConnectorStep | 'firstByte'): void {
    const now = performance.now();
    this.#steps[step] = round(now - this.#stepAt);
    this.#stepAt = now;
  }

  #answer(): void {
    if (this.#status === null) return;
    this.#end({
      outcome: 'answered',
      status: this.#status,
      retryAfter: this.#retryAfter,
      excerpt: this.#excerpt.toString(),
    });
  }

  #fail({ reason, message }: DeliveryFailure): void {
    this.#end({ outcome: 'failed', reason, message });
  }

  #end(result: EndedExchange): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const total = round(performance.now() - this.#startedAt);
    this.#ended.resolve({
      ...result,
      timing: { queued: this.#options.queued, ...this.#steps, total },
      reused: this.#isReused,
    });
  }

  #describeTimeout(): DeliveryFailure {
    const limit = `${this.#options.timeoutMs / 1000} s`;
    return new DeliveryFailure(
      'timeout',
      this.#status === null
        ? `There was no answer within ${limit}.`
        : `The answer (status ${this.#status}) was not complete within ${limit}.`,
    );
  }
}

/** Both forms of an outcome without what every outcome has. */
type EndedExchange = DeliveryOutcome extends infer Outcome
  ? Outcome extends DeliveryOutcome
    ? Omit<Outcome, 'timing' | 'reused'>
    : never
  : never;

function readFirst(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** To a tenth of a millisecond. */
export function round(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

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
