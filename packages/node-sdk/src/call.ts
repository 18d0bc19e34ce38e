import type { CallFacts, SvcError } from './errors.ts';
import type { Exchange, ReceivedHeaders } from './exchange.ts';
import type { Operation, RequestOptions, ResponseDetails } from './transport.ts';

const none: RequestOptions = {};

/** One call of an operation with all its tries. */
export class Call implements CallFacts {
  readonly target: Operation;
  readonly options: RequestOptions;
  readonly operation: string;
  idempotencyKey: string | null = null;
  attempts = 0;
  /** The answer of the last try. */
  exchange: Exchange | null = null;
  /** Why the try before this one failed. */
  lastError: SvcError | null = null;
  /** Ends what the call is waiting for just now. */
  interrupt: (() => void) | null = null;
  /** Whether a try failed after which the server may have carried the call out all the same. */
  isOutcomeUnknown = false;
  /** The Authorization header of the last try. */
  #authorization = '';

  constructor(target: Operation, options: RequestOptions | undefined) {
    this.target = target;
    this.options = options ?? none;
    this.operation = target.id;
  }

  /** Notes what is sent, so that nothing that comes back shows it. */
  useAuthorization(authorization: string): void {
    this.#authorization = authorization;
  }

  /** What may be shown of a text that came back. */
  redact(text: string): string {
    return redactCredential(text, this.#authorization);
  }

  /** The headers of the answer as errors and hooks may show them: a proxy may have echoed the request. */
  describeHeaders(): Readonly<Record<string, string>> {
    const shown: Record<string, string> = Object.create(null);
    for (const [name, value] of Object.entries(flattenHeaders((this.exchange as Exchange).headers)))
      shown[name] = this.redact(value);
    return shown;
  }

  /** What came along with the answer. */
  describeResponse(): ResponseDetails {
    const { status, headers } = this.exchange as Exchange;
    return {
      status,
      headers: flattenHeaders(headers),
      requestId: readHeader(headers, 'svc-request-id') ?? null,
      idempotencyKey: this.idempotencyKey,
      idempotentReplayed: readHeader(headers, 'idempotent-replayed') === 'true',
      version: readHeader(headers, 'svc-version') ?? null,
      attempts: this.attempts,
    };
  }
}

export function readHeader(headers: ReceivedHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Without cookies: response details may be printed, and this client stores none. */
function flattenHeaders(headers: ReceivedHeaders): Readonly<Record<string, string>> {
  const flat: Record<string, string> = Object.create(null);
  for (const name of Object.keys(headers)) if (name !== 'set-cookie') flat[name] = readHeader(headers, name) ?? '';
  return flat;
}

/**
 * Takes the credential of a request out of what came back: proxies and error pages echo requests.
 * @param authorization the header as it was sent; empty for none.
 */
function redactCredential(text: string, authorization: string): string {
  const [scheme, credential = ''] = authorization.split(' ');
  if (credential === '') return text;
  const kept = text.replaceAll(credential, '[redacted]');
  if (scheme !== 'Basic') return kept;
  const pair = Buffer.from(credential, 'base64').toString();
  return kept.replaceAll(pair.slice(pair.indexOf(':') + 1), '[redacted]');
}
