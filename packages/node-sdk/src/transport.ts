/** The options of a call; by default those of the client. */
export interface RequestOptions {
  /** Aborts the call at any point: connecting, sending, reading, or waiting before a retry. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt, from when it is sent to the last byte of the response. */
  readonly timeout?: number | undefined;
  /** Milliseconds for the whole call, with every attempt and every wait, including that for a free connection. */
  readonly deadline?: number | undefined;
  /** Maximum number of retries; 0 for none. */
  readonly retries?: number | undefined;
  /**
   * The Idempotency-Key of a POST: 8 to 128 of the characters A-Z a-z 0-9 _ -. By default the call generates one and
   * keeps it over all its attempts.
   */
  readonly idempotencyKey?: string | undefined;
  /** The tenant to act for, by id or slug, with a key that is allowed to (header `Svc-Tenant`); null for that of the key. */
  readonly tenant?: string | null | undefined;
  /** The dated version of the API (header `Svc-Version`); null leaves it to the tenant. */
  readonly version?: string | null | undefined;
  /** Further headers; null removes one of the client's. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined;
}

/** The options of a change with a precondition. */
export interface ChangeOptions extends RequestOptions {
  /** The `etag` header of what was read (`withResponse()` has it): the change is rejected if another came between. */
  readonly ifMatch?: string | undefined;
}

/** Additional options of a list. */
export interface ListOptions extends RequestOptions {
  /** If true, an iteration fetches the next page while the items of this one are used; default false. */
  readonly prefetch?: boolean | undefined;
}

/** The methods of the API. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * The credential: `key` is the API key or the access token that stands for it, `scim` the SCIM token, `none`
 * nothing, `client` the credentials of the OAuth client itself (HTTP Basic, RFC 6749 section 2.3.1).
 */
export type Credential = 'key' | 'scim' | 'none' | 'client';

/**
 * The response: `data` is the content of the envelope `{ data }`, `bare` the JSON without an envelope, `none` no
 * content, `stream` raw bytes.
 */
export type AnswerForm = 'data' | 'bare' | 'none' | 'stream';

/**
 * The format of a page: `items` is `{ items, nextCursor }`, `data` is `{ data, page: { nextCursor, total } }`, `scim`
 * is `{ Resources, totalResults, startIndex }` (RFC 7644 section 3.4.2).
 */
export type PageForm = 'items' | 'data' | 'scim';

/** The content of a file; text is sent as UTF-8. A Blob (`openAsBlob` of node:fs) and bytes can be retried, a stream not. */
export type FileContent = FileBody | ArrayBuffer;

/** The content of a file as it is sent. */
export type FileBody = Uint8Array | Blob | string | AsyncIterable<Uint8Array>;

/** One operation of the API with the arguments of this call. */
export interface Operation {
  /** The operationId of the OpenAPI document. */
  readonly id: string;
  readonly method: Method;
  /** With its parameters in braces: `/v1/consent/{id}/records`. */
  readonly path: string;
  /** A value for each brace of the path. Empty values and dot segments are rejected, all else is encoded. */
  readonly parameters?: Readonly<Record<string, string | number>> | undefined;
  /** Strings, numbers and booleans; undefined ones are omitted. */
  readonly query?: object | undefined;
  /** Sent as `media` says; undefined sends no body. */
  readonly body?: unknown;
  /** Default: `json`. */
  readonly media?: 'json' | 'scim' | 'form' | undefined;
  /** Sent in place of `body`, with its media type; what `read` throws rejects the call. */
  readonly file?: { readonly mediaType: string; read(): FileBody } | undefined;
  /** The media types of a stream; default: JSON Lines. */
  readonly accept?: '*/*' | undefined;
  /** Default: `key`. */
  readonly credential?: Credential | undefined;
  /** Default: `data`. */
  readonly answer?: AnswerForm | undefined;
  /**
   * True if the operation is idempotent. Default: by the method (RFC 9110 section 9.2.2), so all but POST and PATCH,
   * and every POST that is sent with an Idempotency-Key. Only such calls are retried.
   */
  readonly idempotent?: boolean | undefined;
  /** The `etag` that what is changed must still have. */
  readonly ifMatch?: string | undefined;
  /** Converts the response into the data of the call; if it throws, the call fails with that error. Default: unchanged. */
  readonly read?: ((data: unknown, response: ResponseDetails) => unknown) | undefined;
}

/** An operation whose response is one page of a list. */
export interface ListOperation extends Omit<Operation, 'read'> {
  readonly page: PageForm;
}

/** The metadata of a response. */
export interface ResponseDetails {
  readonly status: number;
  /** By names in lower case, without cookies; repeated ones are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** `Svc-Request-Id`: name it when you report a problem. */
  readonly requestId: string | null;
  /** The Idempotency-Key that was sent. */
  readonly idempotencyKey: string | null;
  /** True if the server had already answered a request with this Idempotency-Key, and returned that response. */
  readonly idempotentReplayed: boolean;
  /** `Svc-Version` of the response: the version that was in effect. */
  readonly version: string | null;
  /** The number of attempts. */
  readonly attempts: number;
}

/** The data of a response with its metadata. */
export interface WithResponse<Data> {
  readonly data: Data;
  readonly response: ResponseDetails;
}

/** A call in progress. Await it for its data. */
export interface ApiPromise<Data> extends Promise<Data> {
  /** The data together with status, headers, request id and the number of attempts. */
  withResponse(): Promise<WithResponse<Data>>;
  /** The response as the `Response` of the Fetch standard, its body not yet read. Rejects as the call does. */
  asResponse(): Promise<Response>;
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The position of the next page; null on the last one. Store it to resume later: pass it as `cursor`. */
  readonly nextCursor: string | null;
  /** How many items the whole list has, where the API says so. */
  readonly total: number | null;
  readonly hasNextPage: boolean;
  readonly response: ResponseDetails;
  /** Fetches the page after this one; null where there is none. */
  nextPage(): Promise<Page<Item> | null>;
}

/**
 * A list. Await it for its first page, or iterate over it for every item of every page. Nothing is sent before one of
 * the two happens.
 */
export interface PagePromise<Item> extends Promise<Page<Item>>, AsyncIterable<Item> {
  /** Every page in turn. */
  pages(): AsyncIterable<Page<Item>>;
  /** The items in one array, at most `limit` of them: a list may be longer than the memory. */
  toArray(options: { readonly limit: number }): Promise<Item[]>;
  /** The first page together with what came along. */
  withResponse(): Promise<WithResponse<Page<Item>>>;
}

/**
 * The bytes of a response as they come, of any length. Read it to its end or cancel it; a stream
 * that is not read ends after `timeout`, and every stream ends when the client is closed.
 */
export interface ByteStream extends AsyncIterable<Uint8Array>, AsyncDisposable {
  readonly response: ResponseDetails;
  /** The same as lines of text in UTF-8, without their ends, each of at most 16 MiB. */
  lines(): AsyncIterable<string>;
  /** Gives the rest up and ends the connection. */
  cancel(): Promise<void>;
}

/** A requested stream. Await it for its bytes and headers, or iterate at once. */
export interface StreamPromise extends Promise<ByteStream>, AsyncIterable<Uint8Array> {
  lines(): AsyncIterable<string>;
}

/** Sends operations to the server and returns the responses. Every resource uses it. */
export interface Transport {
  /** Calls an operation, at once. `Data` is what the server returns, by its schema. */
  request<Data>(operation: Operation, options?: RequestOptions): ApiPromise<Data>;
  /** Lists with an operation; the first page begins at the `cursor` of its query, which SCIM calls `startIndex`. */
  list<Item>(operation: ListOperation, options?: ListOptions): PagePromise<Item>;
  /**
   * Calls an operation whose response may be of any length. `timeout` then bounds the time to the headers and every
   * silence after them, `deadline` the time to the headers.
   */
  stream(operation: Operation, options?: RequestOptions): StreamPromise;
}
