import type { Call } from './call.ts';
import { ConfigurationError } from './errors.ts';
import { checkHeaders, checkValue, type HeaderList, mergeHeaders } from './headers.ts';
import { chooseTenant, chooseVersion, type Settings } from './settings.ts';
import { buildTarget, writeTime } from './target.ts';
import type { FileBody, Operation, RequestOptions } from './transport.ts';

/** The request of every attempt; the Authorization header is added. */
export interface PreparedRequest {
  readonly path: string;
  readonly headers: HeaderList;
  readonly body: FileBody | null;
  /** True if a retry is safe. */
  readonly isIdempotent: boolean;
  /** `Svc-Version` as it is sent. */
  readonly version: string | null;
}

const mediaTypes = {
  json: 'application/json',
  scim: 'application/scim+json',
  form: 'application/x-www-form-urlencoded',
} as const;

/**
 * Makes a request of a call, and gives the call its Idempotency-Key.
 * @throws {ConfigurationError} for what cannot be sent.
 */
export function prepareRequest(call: Call, settings: Settings): PreparedRequest {
  const { target: operation, options } = call;
  const { method, media = 'json', body, file, ifMatch } = operation;
  const path = settings.baseUrl().prefix + buildTarget(operation);
  const isRest = operation.path.startsWith('/v1/');
  const version = isRest ? chooseVersion(options.version, settings.version) : null;
  call.idempotencyKey = chooseKey(operation, options, isRest);
  const headers = ['accept', chooseAccept(operation)];
  if (version !== null) headers.push('svc-version', version);
  const tenant = chooseTenant(options.tenant, settings.tenant);
  if (tenant !== null && isRest && takesKey(operation)) headers.push('svc-tenant', tenant);
  if (call.idempotencyKey !== null) headers.push('idempotency-key', call.idempotencyKey);
  if (ifMatch !== undefined) headers.push('if-match', checkValue('ifMatch', ifMatch));
  if (file !== undefined) headers.push('content-type', file.mediaType);
  else if (body !== undefined) headers.push('content-type', mediaTypes[media]);
  headers.push(...settings.headers);
  return {
    path,
    headers: options.headers === undefined ? headers : mergeHeaders(headers, checkHeaders(options.headers)),
    body: file?.read() ?? (body === undefined ? null : encodeBody(body, media)),
    isIdempotent: operation.idempotent ?? (call.idempotencyKey !== null || (method !== 'POST' && method !== 'PATCH')),
    version,
  };
}

/** True if an operation is called with the API key or an access token. */
export function takesKey({ credential = 'key' }: Operation): boolean {
  return credential === 'key';
}

function chooseAccept({ answer, path, accept }: Operation): string {
  if (answer === 'stream') return accept ?? 'application/jsonl, application/json';
  return path.startsWith('/scim/') ? 'application/scim+json' : 'application/json';
}

/** The server accepts one on every POST under /v1 that takes a bearer key. Elsewhere one would only seem to protect. */
function chooseKey(operation: Operation, { idempotencyKey }: RequestOptions, isRest: boolean): string | null {
  const isTaken = isRest && operation.method === 'POST' && takesKey(operation);
  if (idempotencyKey === undefined) return isTaken ? crypto.randomUUID() : null;
  if (!isTaken) throw new ConfigurationError('Only a POST under /v1 with an API key takes idempotencyKey.');
  if (typeof idempotencyKey !== 'string' || !/^[A-Za-z0-9_-]{8,128}$/.test(idempotencyKey))
    throw new ConfigurationError('idempotencyKey must be 8 to 128 of A-Z a-z 0-9 _ -.');
  return idempotencyKey;
}

function encodeBody(body: unknown, media: keyof typeof mediaTypes): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(body);
  } catch (error) {
    cause = error;
  }
  if (text === undefined) throw new ConfigurationError('The body must be JSON.', undefined, cause);
  // JSON writes an invalid Date as null, which as the expiry of a key would mean: never.
  if (text.includes('null')) checkDates('body', body);
  // Without the fields that are undefined.
  return media === 'form' ? new URLSearchParams(JSON.parse(text)).toString() : text;
}

function checkDates(name: string, value: unknown): void {
  if (value instanceof Date) writeTime(name, value);
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) checkDates(`${name}.${key}`, inner);
}
