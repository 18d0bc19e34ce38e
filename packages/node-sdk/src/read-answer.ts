import { createApiError, type ErrorContent, type ErrorDetail } from './api-error.ts';
import { type Call, readHeader } from './call.ts';
import {
  AbortError,
  ConnectionError,
  DeadlineError,
  RedirectError,
  ResponseError,
  type SvcError,
  TimeoutError,
} from './errors.ts';
import type { Exchange, FailureKind } from './exchange.ts';
import { decodeText } from './ledger/bytes.ts';
import { readRetryAfter } from './retry.ts';
import type { Limits } from './settings.ts';

/** The data of a response. @throws {ResponseError} for a response that is not one of this API. */
export function readData(exchange: Exchange, call: Call): unknown {
  const data = readAnswer(exchange, call);
  const { read } = call.target;
  return read === undefined ? data : read(data, call.describeResponse());
}

function readAnswer(exchange: Exchange, call: Call): unknown {
  const { answer = 'data' } = call.target;
  if (answer === 'none') return undefined;
  const value = parseJson(exchange, call);
  if (answer === 'bare') return value;
  if (typeof value === 'object' && value !== null && 'data' in value) return value.data;
  throw createResponseError('The response has no data.', exchange, call);
}

const usualType = 'application/json; charset=utf-8';

function parseJson(exchange: Exchange, call: Call): unknown {
  const type = exchange.headers['content-type'];
  if (type !== usualType && !/^application\/(?:[a-z.-]+\+)?json\b/i.test(String(type)))
    throw createResponseError(
      'The response is not JSON. Is baseUrl the address of the API?',
      exchange,
      call,
      // JSON is of the API, and may have a new key in it.
      quoteBody(exchange, call),
    );
  try {
    // Bytes that are no text would become other characters, silently.
    const text = decodeText(exchange.body);
    if (text !== null) return JSON.parse(text);
  } catch {
    // The error of the parser quotes what it read.
  }
  throw createResponseError('The response is invalid JSON.', exchange, call);
}

function createResponseError(
  message: string,
  exchange: Exchange,
  call: Call,
  excerpt: string | null = null,
): ResponseError {
  const { status, headers } = exchange;
  const { 'content-type': contentType = null } = call.describeHeaders();
  const requestId = readHeader(headers, 'svc-request-id');
  return new ResponseError(message, { status, contentType, requestId, excerpt }, call);
}

const longestExcerpt = 500;

/** The start of a response. A credential that the cut divides is redacted, too. */
function quoteBody({ body }: Exchange, call: Call): string | null {
  return body.length === 0 ? null : call.redact(new TextDecoder().decode(body)).slice(0, longestExcerpt);
}

/** Limits and clock of the call. */
interface Bounds extends Limits {
  readonly maxResponseBytes: number;
  readonly wallClock: number;
}

/** The error of a failed attempt. Its stack starts where this is called, so that it still contains the caller. */
export function createAttemptError(exchange: Exchange, call: Call, limits: Bounds): SvcError {
  const error = classifyOutcome(exchange, call, limits);
  Error.captureStackTrace?.(error, createAttemptError);
  return error;
}

function classifyOutcome(exchange: Exchange, call: Call, limits: Bounds): SvcError {
  const { failure, status, headers } = exchange;
  if (failure === 'too_large')
    return createResponseError(`The response is larger than ${limits.maxResponseBytes} bytes.`, exchange, call);
  if (failure !== null) return createTransportError(exchange, failure, exchange.cause, call, limits);
  // Only the origin of the address: the rest may have something secret in it.
  if (status < 400)
    return new RedirectError(status, URL.parse(readHeader(headers, 'location') ?? '')?.origin ?? null, call);
  const words = readErrorBody(status, call.redact(new TextDecoder().decode(exchange.body)));
  const content = {
    ...words,
    excerpt: words.code === 'unreadable_error' ? quoteBody(exchange, call) : null,
    status,
    requestId: readHeader(headers, 'svc-request-id') ?? words.requestId,
    headers: call.describeHeaders(),
    retryAfterMs: readRetryAfter(readHeader(headers, 'retry-after'), readHeader(headers, 'date'), limits.wallClock),
  };
  return createApiError(content, call);
}

/** The error of an attempt without a response, or of an interrupted stream. */
export function createTransportError(
  exchange: Exchange,
  kind: FailureKind,
  cause: unknown,
  call: Call,
  limits: Limits,
): SvcError {
  if (kind === 'undecodable') {
    const coding = call.redact(String(exchange.headers['content-encoding']));
    return createResponseError(`The response cannot be decompressed (${coding}).`, exchange, call);
  }
  if (kind === 'invalid') return createResponseError(String(cause), exchange, call);
  if (kind === 'timeout') return new TimeoutError(limits.timeout, call);
  if (kind === 'deadline') return new DeadlineError(limits.deadline, call, call.lastError);
  if (kind === 'aborted') return new AbortError(call, cause ?? call.options.signal?.reason);
  // The parser's errors keep the bytes that they could not read, which may be personal data.
  if (cause instanceof Error && 'data' in cause) cause.data = undefined;
  return new ConnectionError(`The connection failed${describeCause(cause)}.`, call, cause);
}

function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  const code = Reflect.get(cause, 'code');
  return typeof code === 'string' && code !== '' ? ` (${code})` : `: ${cause.message}`;
}

type Words = Pick<ErrorContent, 'code' | 'message' | 'details' | 'fields' | 'requestId'>;
type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the body of an error in any of the three formats of the server: the envelope `{ error }`, SCIM (RFC 7644
 * section 3.12) and OAuth (RFC 6749 section 5.2). A proxy in front of the server may use none of them; then there is
 * only the status.
 */
function readErrorBody(status: number, text: string): Words {
  const { error, error_description: description, schemas, scimType, detail } = parseFields(text);
  if (isFields(error)) return readWords(status, error);
  if (typeof error === 'string') return readWords(status, { code: error, message: asText(description) ?? error });
  if (Array.isArray(schemas)) {
    const code = asText(scimType);
    return readWords(status, { code: code ?? 'scim_error', message: detail, ...(code && { scimType }) });
  }
  return readWords(`${status} with an unreadable body`, {});
}

function readWords(answer: number | string, { code, message, details, requestId, ...fields }: Fields): Words {
  return {
    code: asText(code) ?? 'unreadable_error',
    message: asText(message) ?? `The server returned ${answer}.`,
    details: Array.isArray(details) ? details.filter(isDetail) : [],
    fields,
    requestId: asText(requestId),
  };
}

function parseFields(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDetail(value: unknown): value is ErrorDetail {
  return isFields(value) && typeof value.path === 'string' && typeof value.issue === 'string';
}

function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
