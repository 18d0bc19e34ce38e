import type { AttemptView, FailureReason } from '../deliveries/delivery.ts';

/** Why there was no whole answer. `aborted`: the server stops, or the delivery was canceled before its body was sent. */
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

/** What came back, or why nothing whole did. */
export type Ending =
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
