import type { Dispatcher } from 'undici';
import type { Step } from './connection.ts';
import { DeliveryFailure, type DeliveryOutcome, describeFailure, type Ending } from './outcome.ts';
import type { OutgoingDelivery } from './receivers.ts';

/** Of look-up, connection and answer together. Standard Webhooks recommends 15 to 30 seconds. */
const timeoutSeconds = 15;
const longestRetryAfter = 100;
const longestExcerpt = 4 * 1024;
const longestBody = 64 * 1024;

/** What terminals, pages or PostgreSQL do not show as it is: control characters, and those that change text direction. */
const unreadable = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/** One delivery over a connection: measures its steps, reads its answer and ends at its time limit. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly delivery: OutgoingDelivery;
  /** Whether the connection was open before. */
  isReused = false;
  /** Whether the answer was read to its end, so that the connection may serve another delivery. */
  isComplete = false;
  readonly #repeat: (exchange: Exchange) => boolean;
  readonly #ending = Promise.withResolvers<DeliveryOutcome>();
  readonly #limit = setTimeout(() => this.#expire(), timeoutSeconds * 1000);
  readonly #startedAt = performance.now();
  #stepAt = this.#startedAt;
  readonly #timing: Record<Step, number | null> & { readonly queued: number };
  #answer: { readonly status: number; readonly retryAfter: string | null } | null = null;
  #length = 0;
  #decoder: TextDecoder | null = null;
  #excerpt = '';

  /**
   * @param queuedAt when the delivery was handed to the transport, on the clock of `performance`.
   * @param repeat sends it again over a new connection if it may; returns whether it did.
   */
  constructor(delivery: OutgoingDelivery, queuedAt: number, repeat: (exchange: Exchange) => boolean) {
    this.delivery = delivery;
    this.#repeat = repeat;
    const queued = round(this.#startedAt - queuedAt);
    this.#timing = { queued, lookup: null, connect: null, tls: null, firstByte: null };
  }

  get outcome(): Promise<DeliveryOutcome> {
    return this.#ending.promise;
  }

  /** Its request is sent now. */
  start(isReused: boolean): void {
    this.isReused = isReused;
    this.#stepAt = performance.now();
  }

  /** A step has ended, and the next one begins. */
  measure(step: Step): void {
    const now = performance.now();
    this.#timing[step] = round(now - this.#stepAt);
    this.#stepAt = now;
  }

  /** Ends it unless it has ended. */
  fail({ reason, message }: DeliveryFailure): void {
    this.#end({ outcome: 'failed', reason, message });
  }

  onRequestStart(): void {}

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    // Not the answer yet (RFC 9110 section 15.2).
    if (status < 200) return;
    const given = headers['retry-after'];
    const retryAfter = (Array.isArray(given) ? given[0] : given)?.slice(0, longestRetryAfter);
    this.#answer = { status, retryAfter: retryAfter ?? null };
    this.measure('firstByte');
  }

  /** A longer answer ends here with its status; the rest is not read. */
  onResponseData(_controller: unknown, chunk: Buffer): void {
    const free = longestExcerpt - this.#length;
    this.#decoder ??= new TextDecoder();
    if (free > 0) this.#excerpt += this.#decoder.decode(chunk.subarray(0, free), { stream: true });
    this.#length += chunk.length;
    if (this.#length >= longestBody) this.#finish();
  }

  onResponseEnd(): void {
    this.isComplete = true;
    // A character that the limit cut is left out; one that the answer cut is shown as unreadable.
    if (this.#length <= longestExcerpt) this.#excerpt += this.#decoder?.decode() ?? '';
    this.#finish();
  }

  onResponseError(_controller: unknown, error: Error): void {
    const failure = describeFailure(error);
    if (failure.reason !== 'connection' || !this.#repeat(this)) this.fail(failure);
  }

  #finish(): void {
    if (this.#answer === null) return;
    // Most answers have no text.
    if (this.#excerpt !== '') this.#excerpt = this.#excerpt.replaceAll('\r\n', '\n').replace(unreadable, '\u{fffd}');
    this.#end({ outcome: 'answered', ...this.#answer, excerpt: this.#excerpt });
  }

  #expire(): void {
    const what =
      this.#answer === null ? 'There was no answer' : `The answer (status ${this.#answer.status}) was not complete`;
    this.fail(new DeliveryFailure('timeout', `${what} within ${timeoutSeconds} s.`));
  }

  #end(ending: Ending): void {
    clearTimeout(this.#limit);
    const timing = { ...this.#timing, total: round(performance.now() - this.#startedAt) };
    this.#ending.resolve({ ...ending, timing, reused: this.isReused });
  }
}

/** To a tenth of a millisecond. */
function round(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
