import type { ResponseDetails } from './transport.ts';

const brand = Symbol.for('@svc/node-sdk/error');

/** What an error knows of the call that failed. */
export interface CallFacts {
  /** The operationId; null where no call was made yet. */
  readonly operation: string | null;
  /** The Idempotency-Key that was sent: hand it in again to go on without doing anything twice. */
  readonly idempotencyKey: string | null;
  /** How many tries were made. */
  readonly attempts: number;
}

/** Before any call. */
export const noCall: CallFacts = { operation: null, idempotencyKey: null, attempts: 0 };

/**
 * Why a failure that may pass was not answered with another try: the retry budget was empty, the deadline left no time,
 * the tries were used up, or a second run could do more than the first (`idempotencyKey` makes a POST safe).
 */
export type RetryRefusal = 'budget' | 'deadline' | 'exhausted' | 'unsafe';

/**
 * Every failure of this package. `code` says which one. Two copies of the package in one program have classes of their
 * own, so use `SvcError.isInstance(error)`, which recognises both, instead of `instanceof`.
 */
export class SvcError extends Error {
  static readonly kind: string = 'SvcError';
  readonly code: string;
  readonly operation: string | null;
  readonly idempotencyKey: string | null;
  readonly attempts: number;
  /** Null where another try would not have helped. */
  readonly retry: RetryRefusal | null = null;

  constructor(code: string, message: string, call: CallFacts = noCall, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.operation = call.operation;
    this.idempotencyKey = call.idempotencyKey;
    this.attempts = call.attempts;
    const kinds: string[] = [];
    for (let kind: typeof SvcError = new.target; 'kind' in kind; kind = Object.getPrototypeOf(kind))
      kinds.push(kind.kind);
    hide(this, 'name', new.target.kind);
    hide(this, brand, kinds);
    // Once more, because the first line of the stack has the name in it.
    Error.captureStackTrace?.(this, new.target);
  }

  /** Whether a value is an error of this class, or one below it, also from another copy of the package. */
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

/** The same failure as that of another call, for a call that needed that one. */
export function retellFailure(error: SvcError, message: string, call: CallFacts): SvcError {
  const copy = new SvcError(error.code, message, call, error);
  Object.setPrototypeOf(copy, Object.getPrototypeOf(error));
  hide(copy, 'name', error.name);
  hide(copy, brand, Reflect.get(error, brand));
  if ('excerpt' in error) hide(copy, 'excerpt', error.excerpt);
  Object.assign(copy, error);
  setCall(copy, call);
  Error.captureStackTrace(copy, retellFailure);
  return copy;
}

/** Gives an error that was made before its call was known what is known of that. */
export function completeError(error: SvcError, call: CallFacts): void {
  if (error.operation === null) setCall(error, call);
}

function setCall(error: SvcError, { operation, idempotencyKey, attempts }: CallFacts): void {
  Object.assign(error, { operation, idempotencyKey, attempts });
}

/** Notes why no further try was made. */
export function refuseRetry(error: SvcError, retry: RetryRefusal): void {
  Object.assign(error, { retry });
}

/** Sets a property that JSON and logs do not show. */
export function hide(target: object, key: string | symbol, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, configurable: true });
}

/** What was handed in cannot be used; nothing was sent. */
export class ConfigurationError extends SvcError {
  static override readonly kind: string = 'ConfigurationError';

  constructor(message: string, call?: CallFacts, cause?: unknown) {
    super('invalid_argument', message, call, cause);
  }
}

/** No connection, or one that ended before the whole answer was there. `cause` is what the system said. */
export class ConnectionError extends SvcError {
  static override readonly kind: string = 'ConnectionError';

  constructor(message: string, call: CallFacts, cause?: unknown) {
    super('connection_failed', message, call, cause);
  }
}

/** One try took longer than `timeout`, from when it was sent. */
export class TimeoutError extends SvcError {
  static override readonly kind: string = 'TimeoutError';

  constructor(milliseconds: number, call: CallFacts) {
    super('timeout', `No complete response within ${milliseconds} ms.`, call);
  }
}

/** The call with all its tries took longer than `deadline`. `cause` is why the try before the last failed. */
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

/** The server answered with a redirect, which is not followed: it could send the key to another server. */
export class RedirectError extends SvcError {
  static override readonly kind: string = 'RedirectError';
  readonly status: number;
  /** The origin that it points to, where it can be read. */
  readonly location: string | null;

  constructor(status: number, location: string | null, call: CallFacts) {
    const where = location === null ? '' : ` to ${location}`;
    super('redirected', `The server redirects (${status}${where}). Set baseUrl to the API.`, call);
    this.status = status;
    this.location = location;
  }
}

/** The answer is no answer of this API: HTML, JSON that breaks off, another media type, or too much of it. */
export class ResponseError extends SvcError {
  static override readonly kind: string = 'ResponseError';
  readonly status: number;
  readonly contentType: string | null;
  readonly requestId: string | null;
  /** How an answer begins that is no JSON. It may hold anything, so neither JSON nor logs show it. */
  declare readonly excerpt: string | null;

  constructor(
    message: string,
    answer: Pick<ResponseError, 'status' | 'contentType' | 'requestId' | 'excerpt'>,
    call: CallFacts,
  ) {
    super('unreadable_response', message, call);
    this.status = answer.status;
    this.contentType = answer.contentType;
    this.requestId = answer.requestId;
    hide(this, 'excerpt', answer.excerpt);
  }
}

/** The error of a successful response whose content is not what the operation returns. */
export function rejectResponse(message: string, operation: string, response: ResponseDetails): ResponseError {
  const contentType = response.headers['content-type'] ?? null;
  return new ResponseError(message, { ...response, contentType, excerpt: null }, { ...response, operation });
}
