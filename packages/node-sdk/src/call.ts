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

  constructor(target: Operation, options: RequestOptions | undefined) {
    this.target = target;
    this.options = options ?? none;
    this.operation = target.id;
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

export function flattenHeaders(headers: ReceivedHeaders): Readonly<Record<string, string>> {
  const flat: Record<string, string> = {};
  for (const name of Object.keys(headers)) flat[name] = readHeader(headers, name) ?? '';
  return flat;
}
