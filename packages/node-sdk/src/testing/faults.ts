import type { OperationName } from './operation-answers.ts';
import { isKnown, resolveOperation } from './operation-names.ts';

/** What goes wrong: an error status; the connection reset; an answer that stops in its middle, or that is cut off there. */
export type FaultKind = number | 'reset' | 'stall' | 'truncate';

/** A fault to come. */
export interface Fault {
  /** The operationId, or method and path as in the documentation: `POST /v1/consent/{id}/records`. Default: any. */
  readonly operation?: OperationName;
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

/** A fault that still waits for requests. */
export interface PendingFault {
  readonly kind: FaultKind;
  /** The operationId, or method and path of one that only `respond` knows; null for any operation. */
  readonly operation: string | null;
  /** How many requests it will still meet. */
  readonly times: number;
}

interface Waiting {
  readonly kind: FaultKind;
  readonly fault: Fault;
  readonly operation: string | null;
  left: number;
}

/** The faults that wait for their requests, first come first served. */
export class Faults {
  #waiting: Waiting[] = [];

  /** @param isTold whether `respond` knows an operation that the API does not have. */
  add(kind: FaultKind, fault: Fault, isTold: (operation: string) => boolean): void {
    requireKind(kind);
    const odd = Object.keys(fault).find((name) => !fields.includes(name));
    if (odd !== undefined) throw new TypeError(`A fault has no ${odd}: only ${fields.join(', ')}`);
    const { times = 1, operation } = fault;
    if (times !== Number.POSITIVE_INFINITY && !(Number.isInteger(times) && times > 0))
      throw new TypeError(`${times} is no number of times: 1 or more`);
    const resolved = operation === undefined ? null : resolveOperation(operation);
    if (resolved !== null && !isKnown(resolved) && !isTold(resolved))
      throw new TypeError(`The API has no ${resolved}: tell the server first what to answer there, with respond`);
    this.#waiting.push({ kind, fault, operation: resolved, left: times });
  }

  /** Those that did not meet all their requests yet, oldest first. */
  get pending(): readonly PendingFault[] {
    return this.#waiting.map(({ kind, operation, left }) => ({ kind, operation, times: left }));
  }

  /** The fault that meets a request to an operation. */
  take(name: string | null): { readonly kind: FaultKind; readonly fault: Fault } | undefined {
    const found = this.#waiting.find(({ operation }) => operation === null || operation === name);
    if (found === undefined) return undefined;
    found.left -= 1;
    this.#waiting = this.#waiting.filter(({ left }) => left > 0);
    return found;
  }

  clear(): void {
    this.#waiting = [];
  }
}

const fields: readonly string[] = ['operation', 'times', 'retryAfter', 'code', 'isProcessed'];

function requireKind(kind: FaultKind): void {
  const isStatus = typeof kind === 'number' && Number.isInteger(kind) && kind >= 400 && kind <= 599;
  if (isStatus || kind === 'reset' || kind === 'stall' || kind === 'truncate') return;
  throw new TypeError(`${kind} is no status of an error (400 to 599), and neither 'reset', 'stall' nor 'truncate'`);
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
  503: 'unavailable',
};

/** Whether a request does its work, whatever becomes of its answer. */
export function mustProcess(met: { readonly kind: FaultKind; readonly fault: Fault } | undefined): boolean {
  if (met === undefined) return true;
  return met.fault.isProcessed ?? (met.kind === 'stall' || met.kind === 'truncate');
}
