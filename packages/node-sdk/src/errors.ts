import type { ResponseDetails } from './transport.ts';

const brand = Symbol.for('@svc/node-sdk/error');

/** The call that failed. */
export interface CallFacts {
  /** The operationId; null where no call was made yet. */
  readonly operation: string | null;
  /** The Idempotency-Key that was sent: pass it again to continue without doing anything twice. */
  readonly idempotencyKey: string | null;
  /** The number of attempts. */
  readonly attempts: number;
}

/** Before any call. */
export const noCall: CallFacts = { operation: null, idempotencyKey: null, attempts: 0 };

/**
 * Why a temporary failure was not retried: the retry budget was empty, the deadline left no time, no attempts were
 * left, or the operation is not idempotent (`idempotencyKey` makes a POST safe).
 */
export type RetryRefusal = 'budget' | 'deadline' | 'exhausted' | 'unsafe';

/**
 * Every failure of this package. `code` says which one. Two copies of the package in one program have classes of their
 * own, so use `SvcError.isInstance(error)`, which recognizes both, instead of `instanceof`.
 */
export class SvcError extends Error {
  static readonly kind: string = 'SvcError';
  readonly code: string;
  declare readonly operation: string | null;
  declare readonly idempotencyKey: string | null;
  declare readonly attempts: number;
  /** Null if a retry would not have helped. */
  readonly retry: RetryRefusal | null = null;

  constructor(code: string, message: string, call: CallFacts = noCall, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    setCall(this, call);
    const kinds: string[] = [];
    for (let kind: typeof SvcError = new.target; 'kind' in kind; kind = Object.getPrototypeOf(kind))
      kinds.push(kind.kind);
    hide(this, 'name', new.target.kind);
    hide(this, brand, kinds);
    // Once more, because the first line of the stack has the name in it.
    Error.captureStackTrace?.(this, new.target);
  }

  /** True if a value is an error of this class or a subclass, also if another copy of the package created it. */
  static isInstance<Class extends abstract new (...values: never[]) => unknown>(
    this: Class & { readonly kind: string },
    value: unknown,
  ): value is InstanceType<Class> {
    const kinds: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, brand) : undefined;
    // biome-ignore lint/complexity/noThisInStatic: the check belongs to the class
    return Array.isArray(kinds) && kinds.includes(this.kind);
  }

  /** For logs in JSON: all that is known, without the stack and the cause. */
  toJSON(): object {
    return Object.assign({ name: this.name, message: this.message }, this);
  }
}

/** Wraps the error of another call, on which this one depends: the same class and code; its cause is that error. */
export function wrapError(error: SvcError, message: string, call: CallFacts): SvcError {
  const copy = new SvcError(error.code, message, call, error);
  Object.setPrototypeOf(copy, Object.getPrototypeOf(error));
  hide(copy, 'name', error.name);
  hide(copy, brand, Reflect.get(error, brand));
  if ('excerpt' in error) hide(copy, 'excerpt', error.excerpt);
  Object.assign(copy, error);
  setCall(copy, call);
  Error.captureStackTrace?.(copy, wrapError);
  return copy;
}

/** Sets the call of an error. */
export function setCall(error: SvcError, { operation, idempotencyKey, attempts }: CallFacts): void {
  Object.assign(error, { operation, idempotencyKey, attempts });
}

/** Notes why there was no further attempt. */
export function refuseRetry(error: SvcError, retry: RetryRefusal): void {
  Object.assign(error, { retry });
}

/** Sets a property that JSON and logs do not show. */
export function hide(target: object, key: string | symbol, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, configurable: true });
}

/** An argument or option is invalid; nothing was sent. */
export class ConfigurationError extends SvcError {
  static override readonly kind: string = 'ConfigurationError';

  constructor(message: string, call?: CallFacts, cause?: unknown) {
    super('invalid_argument', message, call, cause);
  }
}

/** No connection, or one that ended before the response was complete. `cause` is the error of the system. */
export class ConnectionError extends SvcError {
  static override readonly kind: string = 'ConnectionError';

  constructor(message: string, call: CallFacts, cause?: unknown) {
    super('connection_failed', message, call, cause);
  }
}

/** One attempt took longer than `timeout`, from when it was sent. */
export class TimeoutError extends SvcError {
  static override readonly kind: string = 'TimeoutError';

  constructor(milliseconds: number, call: CallFacts) {
    super('timeout', `No complete response within ${milliseconds} ms.`, call);
  }
}

/** The call with all its attempts took longer than `deadline`. `cause` is the error of the previous attempt. */
export class DeadlineError extends SvcError {
  static override readonly kind: string = 'DeadlineError';

  constructor(milliseconds: number, call: CallFacts, cause?: unknown, detail = '') {
    super('deadline', `The call took longer than its deadline of ${milliseconds} ms.${detail}`, call, cause);
    refuseRetry(this, 'deadline');
  }
}

/** The caller's signal ended the call. `cause` is the reason that the signal gives. */
export class AbortError extends SvcError {
  static override readonly kind: string = 'AbortError';

  constructor(call: CallFacts, reason: unknown) {
    super('aborted', 'The call was aborted.', call, reason);
  }
}

/** The server returned a redirect, which is not followed: it could send the key to another server. */
export class RedirectError extends SvcError {
  static override readonly kind: string = 'RedirectError';
  declare readonly status: number;
  /** The origin that it points to, where it can be read. */
  declare readonly location: string | null;

  constructor(status: number, location: string | null, call: CallFacts) {
    const where = location === null ? '' : ` to ${location}`;
    super('redirected', `The server redirects (${status}${where}). Set baseUrl to the API.`, call);
    Object.assign(this, { status, location });
  }
}

/** The response is not one of this API: HTML, invalid JSON, another media type, or too large. */
export class ResponseError extends SvcError {
  static override readonly kind: string = 'ResponseError';
  declare readonly status: number;
  declare readonly contentType: string | null;
  declare readonly requestId: string | null;
  /** The start of a response that is not JSON. It may contain anything, so neither JSON nor logs show it. */
  declare readonly excerpt: string | null;

  constructor(message: string, { status, contentType, requestId, excerpt }: ResponseFacts, call: CallFacts) {
    super('unreadable_response', message, call);
    Object.assign(this, { status, contentType, requestId });
    hide(this, 'excerpt', excerpt);
  }
}

type ResponseFacts = Pick<ResponseError, 'status' | 'contentType' | 'requestId' | 'excerpt'>;

/** The error of a successful response whose content is not what the operation returns. */
export function rejectResponse(message: string, operation: string, response: ResponseDetails): ResponseError {
  const contentType = response.headers['content-type'] ?? null;
  return new ResponseError(message, { ...response, contentType, excerpt: null }, { ...response, operation });
}
