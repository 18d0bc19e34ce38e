import { namesTag } from './entity-tag.ts';

/** Every error code of the API. The reference documentation and the OpenAPI document are made from this list. */
export const problemKinds = {
  invalid_json: { status: 400, meaning: 'The body is not well-formed JSON in UTF-8, or repeats a name in one object.' },
  invalid_header: {
    status: 400,
    meaning: 'The request line or a header is malformed, or a single-value header is repeated.',
  },
  invalid_cursor: { status: 400, meaning: 'The cursor is invalid, or belongs to other filters.' },
  idempotency_key_required: { status: 400, meaning: 'The operation needs an Idempotency-Key header.' },
  idempotency_key_invalid: { status: 400, meaning: 'The Idempotency-Key does not match ^[A-Za-z0-9_-]{8,128}$.' },
  unsupported_version: { status: 400, meaning: 'The Svc-Version header names an unknown version.' },
  unauthenticated: { status: 401, meaning: 'No valid credentials were given.' },
  invalid_credentials: { status: 401, meaning: 'The e-mail address or the password is incorrect.' },
  invalid_challenge: { status: 401, meaning: 'The challenge is unknown, used or expired; sign in again.' },
  insufficient_scope: { status: 403, meaning: 'The credentials lack the scope of the operation.' },
  forbidden: { status: 403, meaning: 'The caller is not allowed to do this.' },
  password_incorrect: { status: 403, meaning: 'The current password is incorrect.' },
  code_incorrect: { status: 403, meaning: 'The code is incorrect, expired, or was used before.' },
  second_factor_required: { status: 403, meaning: 'The tenant requires a second factor; enroll one first.' },
  tenant_not_allowed: { status: 403, meaning: 'The key is not allowed to act for the tenant in Svc-Tenant.' },
  consent_origin_not_allowed: { status: 403, meaning: 'The Origin of the request is not the site of the notice.' },
  not_found: { status: 404, meaning: 'The object does not exist, or belongs to another tenant.' },
  method_not_allowed: { status: 405, meaning: 'The path exists, but not with this method; see the Allow header.' },
  conflict: { status: 409, meaning: 'The request conflicts with the current state.' },
  consent_notice_not_published: { status: 409, meaning: 'Records can only be captured against a published notice.' },
  consent_notice_changed: { status: 409, meaning: 'The content of the notice is not the one that If-Match names.' },
  trust_center_changed: { status: 409, meaning: 'The trust center is not the one that If-Match names.' },
  consent_notice_versioned: { status: 409, meaning: 'The notice was published: its versions stay.' },
  consent_already_withdrawn: { status: 409, meaning: 'None of the named purposes is still granted.' },
  record_erased: { status: 409, meaning: 'The values of the record that identify a person were erased.' },
  dsr_open: { status: 409, meaning: 'A request of the data subject is open; complete it first.' },
  dsr_already_completed: {
    status: 409,
    meaning: 'The request of the data subject was completed, with another outcome or reason.',
  },
  dsr_extension_not_allowed: {
    status: 409,
    meaning: 'The period was already extended, has passed, or is the longest.',
  },
  breach_transition_not_allowed: {
    status: 409,
    meaning: 'The incident cannot change from its status to the requested one.',
  },
  breach_open: { status: 409, meaning: 'The breach is not closed; close it first.' },
  evidence_erased: { status: 410, meaning: 'The file of the item of evidence was erased.' },
  breach_erased: { status: 409, meaning: 'The texts of the breach were erased: it stays closed.' },
  control_transition_not_allowed: {
    status: 409,
    meaning: 'The control cannot change from its status to the requested one.',
  },
  control_evidence_missing: { status: 409, meaning: 'The control lacks the evidence that the status requires.' },
  control_test_failing: { status: 409, meaning: 'The latest result of a test of the control is fail.' },
  evidence_quota_exceeded: { status: 409, meaning: 'The files of the tenant would take more space than allowed.' },
  webhook_not_enabled: { status: 409, meaning: 'The webhook is paused or disabled: nothing is sent to it.' },
  webhook_deleted: { status: 409, meaning: 'The webhook was deleted: nothing can be sent to it again.' },
  webhook_delivery_pending: { status: 409, meaning: 'An attempt at the delivery is in progress.' },
  webhook_redelivery_running: { status: 409, meaning: 'Another redelivery order is in progress.' },
  idempotency_in_progress: { status: 409, meaning: 'A request with the same Idempotency-Key is still running.' },
  checkpoint_missing: { status: 409, meaning: 'No signed checkpoint covers the entry yet; create one first.' },
  request_timeout: { status: 408, meaning: 'The request took too long to arrive.' },
  payload_too_large: { status: 413, meaning: 'The body is larger than the limit.' },
  uri_too_long: { status: 414, meaning: 'The address of the request is too long.' },
  unsupported_media_type: { status: 415, meaning: 'The body must be uncompressed application/json.' },
  expectation_failed: { status: 417, meaning: 'The Expect header asks for something other than 100-continue.' },
  validation_failed: { status: 422, meaning: 'A path, query or body value is invalid; details lists each one.' },
  idempotency_key_reused: { status: 422, meaning: 'The Idempotency-Key was used before with another request.' },
  rate_limited: { status: 429, meaning: 'Too many requests; Retry-After says when to retry.' },
  headers_too_large: { status: 431, meaning: 'The request line and the headers together are too large.' },
  internal_error: {
    status: 500,
    meaning: 'An unexpected error occurred; the log of the server has its cause under the request id.',
  },
  unavailable: {
    status: 503,
    meaning: 'The database is unavailable or the server is overloaded; Retry-After says when to retry.',
  },
  invalidFilter: {
    status: 400,
    meaning: 'SCIM: the filter is not a single `eq` on an attribute that can be filtered.',
  },
  invalidPath: { status: 400, meaning: 'SCIM: the operation or path of a PATCH is not supported.' },
  invalidSyntax: { status: 400, meaning: 'SCIM: the body is malformed or does not match the schema of the message.' },
  invalidValue: { status: 400, meaning: 'SCIM: a value is missing or invalid.' },
  mutability: { status: 400, meaning: 'SCIM: the attribute cannot be changed.' },
  noTarget: { status: 400, meaning: 'SCIM: a remove needs a path.' },
  uniqueness: { status: 409, meaning: 'SCIM: the user is already a member.' },
  not_implemented: { status: 501, meaning: 'SCIM: the operation is not supported.' },
  invalid_request: { status: 400, meaning: 'OAuth: the request is malformed.' },
  invalid_client: { status: 401, meaning: 'OAuth: the client id or the client secret is incorrect.' },
  invalid_scope: { status: 400, meaning: 'OAuth: the scope is unknown or more than the key has.' },
  unsupported_grant_type: { status: 400, meaning: 'OAuth: the grant type must be client_credentials.' },
} as const satisfies Record<string, { readonly status: number; readonly meaning: string }>;

export type ProblemCode = keyof typeof problemKinds;

/** An invalid value: its path (`body.purposes.analytics`) and the problem. */
export interface ProblemDetail {
  readonly path: string;
  readonly issue: string;
}

interface ProblemOptions {
  readonly details?: readonly ProblemDetail[];
  /** Further fields inside `error`, such as `requiredStatus`. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An expected failure. Thrown anywhere, it becomes the error envelope of spec.md "Errors" at one place. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly options: ProblemOptions;

  constructor(code: ProblemCode, message: string, options: ProblemOptions = {}) {
    super(message);
    this.code = code;
    this.options = options;
  }

  get status(): number {
    return problemKinds[this.code].status;
  }
}

/** More would make the response larger than the request, and are not read. */
const mostDetails = 100;

/** A 422 about values of the request; the message repeats the first detail, so that it is enough to fix the request. */
export function invalidValues(details: readonly ProblemDetail[]): Problem {
  const [first] = details;
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  return new Problem('validation_failed', `${first?.path}: ${first?.issue}${more}`, {
    details: details.slice(0, mostDetails),
  });
}

/** The 404 of every object that is missing or belongs to another tenant: both look alike. */
export function notFound(what: string): Problem {
  return new Problem('not_found', `There is no such ${what}.`);
}

/** The 405 of a path. @param methods that it has. */
export function refuseMethod(methods: readonly string[]): Problem {
  const allow = methods.join(', ');
  return new Problem('method_not_allowed', `This path accepts ${allow}.`, { headers: { Allow: allow } });
}

/** @throws {Problem} `method_not_allowed` for a request of a page or a file that does not only read. */
export function requireGetOrHead({ method }: { readonly method: string }): void {
  if (method !== 'GET' && method !== 'HEAD') throw refuseMethod(['GET', 'HEAD']);
}

/** Passes on what was found. @throws {Problem} `not_found` if it is undefined. */
export function requireFound<Found>(found: Found | undefined, what: string): Found {
  if (found === undefined) throw notFound(what);
  return found;
}

/**
 * Requires that the stored state is the one that the caller has seen (RFC 9110 section 13.1.1).
 * @param ifMatch a list of entity tags, or `*`; undefined for none.
 * @param tag the entity tag of the stored state.
 * @throws {Problem} of the code, with the tag.
 */
export function requireMatch(ifMatch: string | undefined, tag: string, code: ProblemCode): void {
  if (ifMatch === undefined || namesTag(ifMatch, tag)) return;
  throw new Problem(code, 'It was changed meanwhile. Read it again, then retry.', { headers: { ETag: tag } });
}
