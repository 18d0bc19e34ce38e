import type { Dispatcher } from 'undici';
import type { AttemptView, FailureReason } from '../deliveries/delivery.ts';
import type { ReceiverConnection, Step } from './connection.ts';

/** Why there was no whole answer. `aborted`: by the sender, because the server stops. */
type NoAnswerReason = FailureReason | 'aborted';

/**
 * How one try of a delivery ended. Nothing in it describes the network of the server. An answer counts with its
 * status once it is whole, or once 64 KiB of it came: the rest is not read, and the connection is closed.
 */
export type DeliveryOutcome = Ending & {
  readonly timing: AttemptView['timing'];
  /** Whether the connection was kept from an earlier delivery; that of the second try when a kept one broke. */
  readonly reused: boolean;
};

type Ending =
  | {
      readonly outcome: 'answered';
      readonly status: number;
      /** The header Retry-After as it came, at most 100 characters. */
      readonly retryAfter: string | null;
      /** The beginning of the answer as text. */
      readonly excerpt: string;
    }
  | { readonly outcome: 'failed'; readonly reason: NoAnswerReason; readonly message: string };

/** A failure whose reason is known where it happens. */
export class DeliveryFailure extends Error {
  override readonly name = 'DeliveryFailure';
  readonly reason: NoAnswerReason;

  constructor(reason: NoAnswerReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

const meanings: Readonly<Record<string, readonly [NoAnswerReason, string]>> = {
  ECONNREFUSED: ['connection', 'The receiver refused the connection.'],
  EHOSTUNREACH: ['connection', 'The receiver cannot be reached.'],
  ENETUNREACH: ['connection', 'The receiver cannot be reached.'],
  ETIMEDOUT: ['connection', 'The receiver did not take the connection.'],
  CERT_HAS_EXPIRED: ['tls', 'The certificate of the receiver has expired.'],
  CERT_NOT_YET_VALID: ['tls', 'The certificate of the receiver is not valid yet.'],
  CERT_REVOKED: ['tls', 'The certificate of the receiver is revoked.'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['tls', 'The certificate of the receiver is signed by itself.'],
  SELF_SIGNED_CERT_IN_CHAIN: ['tls', 'The certificate of the receiver comes from an authority that is not trusted.'],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['tls', 'The receiver does not send the whole chain of its certificate.'],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['tls', 'The receiver does not send the whole chain of its certificate.'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['tls', 'The certificate of the receiver is for another name.'],
  UND_ERR_HEADERS_OVERFLOW: ['protocol', 'The headers of the answer are longer than 16 KiB.'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['protocol', 'The answer is not as long as its Content-Length says.'],
  UND_ERR_INVALID_ARG: ['protocol', 'The headers of the delivery cannot be written.'],
};

/** A network error in our words: the texts of the system hold addresses. */
export function describeFailure(error: unknown): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  const code = readCode(error);
  const known = meanings[code];
  if (known !== undefined) return new DeliveryFailure(...known);
  const { name, message } = error instanceof Error ? error : new Error();
  if (name === 'HTTPParserError' || /^bad (?:response|upgrade)$/.test(message)) {
    return new DeliveryFailure('protocol', 'The answer is not HTTP/1.1.');
  }
  if (/^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code)) return new DeliveryFailure('tls', 'The TLS handshake failed.');
  return new DeliveryFailure('connection', 'The receiver closed the connection before its answer was whole.');
}

/** The code of an error; Node gives several tries to connect that of the first. */
export function readCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** The outcome of a delivery that never came to a connection. */
export function failBefore(reason: NoAnswerReason, message: string): DeliveryOutcome {
  const timing = { queued: null, lookup: null, connect: null, tls: null, firstByte: null, total: 0 };
  return { outcome: 'failed', reason, message, timing, reused: false };
}

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
  readonly #ended = Promise.withResolvers<DeliveryOutcome>();
  readonly #connection: ReceiverConnection;
  readonly #request: Dispatcher.DispatchOptions;
  readonly #startedAt = performance.now();
  readonly #timing: { -readonly [Name in Step | 'queued']: number | null };
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  #stepAt = this.#startedAt;
  #isReused: boolean;
  #isEnded = false;
  /** Of the connection, when the request was handed to it. */
  #bytesBefore: number | undefined;
  #answer: { readonly status: number; readonly retryAfter: string | null } | null = null;

  /** @param queuedAt when the delivery was handed to the transport, on the clock of `performance`. */
  constructor(connection: ReceiverConnection, request: Dispatcher.DispatchOptions, queuedAt: number) {
    this.#connection = connection;
    this.#request = request;
    this.#isReused = connection.socket?.destroyed === false;
    const queued = round(this.#startedAt - queuedAt);
    this.#timing = { queued, lookup: null, connect: null, tls: null, firstByte: null };
  }

  get ended(): Promise<DeliveryOutcome> {
    return this.#ended.promise;
  }

  /** Sends the request. */
  start(): void {
    this.#bytesBefore = this.#connection.socket?.bytesRead;
    this.#connection.onStep = (step) => {
      this.#isReused = false;
      this.#measure(step);
    };
    this.#connection.client.dispatch(this.#request, this);
  }

  /** Ends it unless it has ended: the connection is closed by its owner. */
  fail({ reason, message }: DeliveryFailure): void {
    this.#end({ outcome: 'failed', reason, message });
  }

  /** Ends it because its time limit has passed, which is one for both tries. */
  expire(): void {
    const limit = `${timeoutMs / 1000} s`;
    const message =
      this.#answer === null
        ? `There was no answer within ${limit}.`
        : `The answer (status ${this.#answer.status}) was not complete within ${limit}.`;
    this.fail(new DeliveryFailure('timeout', message));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isEnded) controller.abort(new Error('The exchange has ended.'));
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
    this.isReusable = !this.#isEnded;
    this.#finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const failure = describeFailure(error);
    // The second try has a connection of its own, so there is no third.
    const mayRepeat = !this.#isEnded && this.#isReused && failure.reason === 'connection';
    if (mayRepeat && this.#connection.socket?.bytesRead === this.#bytesBefore) {
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

  #finish(): void {
    if (this.#answer !== null) this.#end({ outcome: 'answered', ...this.#answer, excerpt: this.#readExcerpt() });
  }

  #end(how: Ending): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const timing = { ...this.#timing, total: round(performance.now() - this.#startedAt) };
    this.#ended.resolve({ ...how, timing, reused: this.#isReused });
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
