import { type CallFacts, hide, SvcError } from './errors.ts';

/** An invalid value. */
export interface ErrorDetail {
  /** Its path: `body.purposes.analytics`, `query.limit`. */
  readonly path: string;
  readonly issue: string;
}

/** The content of an error response. */
export type ErrorContent = Pick<
  ApiError,
  'status' | 'code' | 'message' | 'details' | 'fields' | 'requestId' | 'headers' | 'retryAfterMs' | 'excerpt'
>;

/** The server rejected the call or failed. There is a class for each status; `code` has the details. */
export class ApiError extends SvcError {
  static override readonly kind: string = 'ApiError';
  declare readonly status: number;
  /** The invalid values, for `validation_failed`. */
  declare readonly details: readonly ErrorDetail[];
  /** Further fields of the error: `requiredStatus` and `actualStatus`, or `scimType` (RFC 7644 section 3.12). */
  declare readonly fields: Readonly<Record<string, unknown>>;
  declare readonly requestId: string | null;
  /** Without cookies, and without the credentials of the call if a proxy echoes them. */
  declare readonly headers: Readonly<Record<string, string>>;
  /** The time to wait before a retry, from the server; null if it sends none. */
  declare readonly retryAfterMs: number | null;
  /** The start of the response, for `unreadable_error`. It may contain anything, so neither JSON nor logs show it. */
  declare readonly excerpt: string | null;

  constructor({ code, message, excerpt, ...content }: ErrorContent, call: CallFacts) {
    super(code, message, call);
    Object.assign(this, content);
    hide(this, 'excerpt', excerpt);
  }
}

/** 400: the request cannot be read. */
export class BadRequestError extends ApiError {
  static override readonly kind: string = 'BadRequestError';
}

/** 401: the credentials are missing, wrong, expired or revoked. */
export class AuthenticationError extends ApiError {
  static override readonly kind: string = 'AuthenticationError';
}

/** 403: the caller is not allowed to do this. */
export class PermissionError extends ApiError {
  static override readonly kind: string = 'PermissionError';
}

/**
 * 404: the object does not exist, or belongs to another tenant. Any method that names an object, in its arguments or
 * its input, may throw it.
 */
export class NotFoundError extends ApiError {
  static override readonly kind: string = 'NotFoundError';
}

/** 409: the request conflicts with the current state. */
export class ConflictError extends ApiError {
  static override readonly kind: string = 'ConflictError';
}

/**
 * 422: a path, query or body value is invalid; see `details`. Any method with parameters or content may throw it (an id
 * that is not a UUID, too); SCIM answers 400.
 */
export class ValidationError extends ApiError {
  static override readonly kind: string = 'ValidationError';
}

/** 429: too many requests; see `retryAfterMs`. */
export class RateLimitError extends ApiError {
  static override readonly kind: string = 'RateLimitError';
}

/** 500 and above: the server, or a proxy in front of it, failed. */
export class ServerError extends ApiError {
  static override readonly kind: string = 'ServerError';
}

const classes: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  422: ValidationError,
  429: RateLimitError,
};

/** The error of the class that its status has. */
export function createApiError(content: ErrorContent, call: CallFacts): ApiError {
  const Class = content.status >= 500 ? ServerError : (classes[content.status] ?? ApiError);
  return new Class(content, call);
}
