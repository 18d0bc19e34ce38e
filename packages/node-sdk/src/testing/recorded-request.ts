import type { IncomingMessage } from 'node:http';

/** A request that the server got. */
export interface RecordedRequest {
  /** The operationId; null where no operation has the method and path. */
  readonly operation: string | null;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** By names in small letters. The credentials are not among them. */
  readonly headers: IncomingMessage['headers'];
  /** What the JSON of the body says; undefined where there is none. */
  readonly body: unknown;
  readonly idempotencyKey: string | null;
  /** What it was answered with; null while it is not, and after a reset. */
  readonly status: number | null;
  /** Whether it got the answer of an earlier request with the same Idempotency-Key. */
  readonly isReplay: boolean;
}

/** A record while the request is being answered. */
export type OpenRecord = { -readonly [Name in keyof RecordedRequest]: RecordedRequest[Name] };

/** A request with what was read of it. */
export interface Incoming {
  readonly request: IncomingMessage;
  readonly recorded: OpenRecord;
  readonly url: URL;
  readonly bytes: Buffer;
}

/** Where a request leads to: an operation, or only what a test told. */
interface Found {
  readonly operation?: readonly [id: string, ...unknown[]];
  readonly params: Readonly<Record<string, string>>;
}

/** Records a request. */
export function recordRequest(
  request: IncomingMessage,
  method: string,
  url: URL,
  found: Found | undefined,
  bytes: Buffer,
): OpenRecord {
  const { authorization: _, ...headers } = request.headers;
  return {
    operation: found?.operation?.[0] ?? null,
    method,
    path: url.pathname,
    params: found?.params ?? {},
    query: url.searchParams,
    headers,
    body: readJson(bytes.toString()),
    idempotencyKey: readHeader(request, 'idempotency-key') ?? null,
    status: null,
    isReplay: false,
  };
}

/** A header that is to come once; what came more often is joined. */
export function readHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
