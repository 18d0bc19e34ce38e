import type { CallFacts, SvcError } from './errors.ts';
import type { Exchange, ReceivedHeaders } from './exchange.ts';
import type { Operation, RequestOptions, ResponseDetails } from './transport.ts';

/** One call of an operation with all its attempts. */
export class Call implements CallFacts {
  readonly target: Operation;
  readonly options: RequestOptions;
  readonly operation: string;
  idempotencyKey: string | null = null;
  attempts = 0;
  /** The response of the last attempt. */
  exchange: Exchange | null = null;
  /** Why the previous attempt failed. */
  lastError: SvcError | undefined;
  /** Ends the current wait. */
  interrupt: (() => void) | null = null;
  /** True once an attempt has failed although the server may have executed it. */
  isOutcomeUnknown = false;
  /** The Authorization header of the last attempt; empty for none. */
  #authorization = '';

  constructor(target: Operation, options: RequestOptions | undefined) {
    this.target = target;
    this.options = options ?? {};
    this.operation = target.id;
  }

  /** Stores the credentials, so that they can be redacted from responses, and printing the call does not show them. */
  useAuthorization(authorization: string): void {
    this.#authorization = authorization;
  }

  /** A response text with the credentials of the request redacted: proxies and error pages echo requests. */
  redact(text: string): string {
    const [scheme, credential = ''] = this.#authorization.split(' ');
    if (credential === '') return text;
    const kept = text.replaceAll(credential, '[redacted]');
    if (scheme !== 'Basic') return kept;
    const pair = atob(credential);
    return kept.replaceAll(pair.slice(pair.indexOf(':') + 1), '[redacted]');
  }

  /** The headers of the response for errors and hooks: a proxy may have echoed the request. */
  describeHeaders(): Readonly<Record<string, string>> {
    const shown = flattenHeaders((this.exchange as Exchange).headers);
    for (const name of Object.keys(shown)) shown[name] = this.redact(shown[name] as string);
    return shown;
  }

  /** The metadata of the response. */
  describeResponse(): ResponseDetails {
    const { status, headers } = this.exchange as Exchange;
    return {
      status,
      headers: flattenHeaders(headers),
      requestId: readHeader(headers, 'svc-request-id'),
      idempotencyKey: this.idempotencyKey,
      idempotentReplayed: readHeader(headers, 'idempotent-replayed') === 'true',
      version: readHeader(headers, 'svc-version'),
      attempts: this.attempts,
    };
  }
}

export function readHeader(headers: ReceivedHeaders, name: string): string | null {
  const value = headers[name] ?? null;
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Without cookies: response details may be printed, and this client stores none. */
function flattenHeaders(headers: ReceivedHeaders): Record<string, string> {
  const flat: Record<string, string> = Object.create(null);
  for (const name of Object.keys(headers)) if (name !== 'set-cookie') flat[name] = readHeader(headers, name) ?? '';
  return flat;
}
