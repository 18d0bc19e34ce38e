/** What goes wrong: an error status; the connection reset; an answer that stops in its middle, or that is cut off there. */
export type FaultKind = number | 'reset' | 'stall' | 'truncate';

/** A fault to come. */
export interface Fault {
  /** The operationId, or method and path as in the documentation: `POST /v1/consent/{id}/records`. Default: any. */
  readonly operation?: string;
  /** How many requests it meets; default 1. `Infinity` for all until the next reset. */
  readonly times?: number;
  /** For a status: the header Retry-After, in seconds or as a date. */
  readonly retryAfter?: number | string;
  /** For a status: the code of the error; default: the one that the API has for the status. */
  readonly code?: string;
  /**
   * Whether the request has done its work before the fault, so that a client that asks again without the same
   * Idempotency-Key does it twice. Default: false for a status and a reset, true where an answer has begun.
   */
  readonly isProcessed?: boolean;
}

/** The faults that wait for their requests, first come first served. */
export class Faults {
  #waiting: { readonly kind: FaultKind; readonly fault: Fault; left: number }[] = [];

  add(kind: FaultKind, fault: Fault): void {
    if (typeof kind === 'number' && (!Number.isInteger(kind) || kind < 400 || kind > 599))
      throw new TypeError(`${kind} is no status of an error: 400 to 599`);
    this.#waiting.push({ kind, fault, left: fault.times ?? 1 });
  }

  /** The fault that meets a request, by the names of its operation. */
  take(names: readonly string[]): { readonly kind: FaultKind; readonly fault: Fault } | undefined {
    const found = this.#waiting.find(({ fault }) => fault.operation === undefined || names.includes(fault.operation));
    if (found === undefined) return undefined;
    found.left -= 1;
    this.#waiting = this.#waiting.filter(({ left }) => left > 0);
    return found;
  }

  clear(): void {
    this.#waiting = [];
  }
}

/** The code that the API has for a status. */
export function codeOf(status: number): string {
  return codes[status] ?? (status >= 500 ? 'internal_error' : 'conflict');
}

const codes: Readonly<Record<number, string>> = {
  400: 'invalid_json',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'validation_failed',
  429: 'rate_limited',
};
