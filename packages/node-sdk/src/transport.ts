/** What a call may set for itself; everything left out follows from the client. */
export interface RequestOptions {
  /** Ends the call, wherever it is: connecting, sending, reading, or waiting before the next try. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for one try, from when it is sent to the last byte of the answer. */
  readonly timeout?: number | undefined;
  /** Milliseconds for the whole call, with every try and every wait, also that for a free connection. */
  readonly deadline?: number | undefined;
  /** How many more tries may follow the first; 0 makes it the only one. */
  readonly retries?: number | undefined;
  /**
   * The Idempotency-Key of a POST: 8 to 128 of the characters A-Z a-z 0-9 _ -. Without one the call makes its own and
   * keeps it over all its tries.
   */
  readonly idempotencyKey?: string | undefined;
  /** The tenant to act for, by id or slug, with a key that may (header `Svc-Tenant`); null for that of the key. */
  readonly tenant?: string | null | undefined;
  /** The dated version of the API (header `Svc-Version`); null leaves it to the tenant. */
  readonly version?: string | null | undefined;
  /** Further headers; null takes one of the client's away. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined;
}

/** What a list may set besides. */
export interface ListOptions extends RequestOptions {
  /** Whether an iteration asks for the next page while the items of this one are used; default false. */
  readonly prefetch?: boolean | undefined;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * What proves who calls: `key` is the API key or the access token that stands for it, `scim` the SCIM token, `none`
 * nothing, `client` the credentials of the OAuth client itself (HTTP Basic, RFC 6749 section 2.3.1).
 */
export type Credential = 'key' | 'scim' | 'none' | 'client';

/**
 * What comes back: `data` is the content of the envelope `{ data }`, `bare` the JSON without an envelope, `none` nothing
 * to read, `stream` bytes as they come.
 */
export type AnswerForm = 'data' | 'bare' | 'none' | 'stream';

/**
 * How a list is divided: `items` is `{ items, nextCursor }`, `data` is `{ data, page: { nextCursor, total } }`, `scim` is
 * `{ Resources, totalResults, startIndex }` (RFC 7644 section 3.4.2).
 */
export type PageForm = 'items' | 'data' | 'scim';

/** One operation of the API with what this call hands in. */
export interface Operation {
  /** The operationId of the OpenAPI document. */
  readonly id: string;
  readonly method: Method;
  /** With its parameters in braces: `/v1/consent/{id}/records`. */
  readonly path: string;
  /** A value for each brace of the path. Empty values and dot segments are refused, all else is encoded. */
  readonly parameters?: Readonly<Record<string, string | number>> | undefined;
  /** Texts, numbers and booleans; what is undefined is left out. */
  readonly query?: object | undefined;
  /** Sent as `media` says; undefined sends no body. */
  readonly body?: unknown;
  /** Default: `json`. */
  readonly media?: 'json' | 'scim' | 'form' | undefined;
  /** Default: `key`. */
  readonly credential?: Credential | undefined;
  /** Default: `data`. */
  readonly answer?: AnswerForm | undefined;
  /**
   * Whether a second run changes no more than the first did. Default: what the method says (RFC 9110 section 9.2.2), so
   * all but POST and PATCH, and every POST that is sent with an Idempotency-Key. Only such calls are tried again.
   */
  readonly idempotent?: boolean | undefined;
  /** Makes the data of the call of what came; what it throws is how the call fails. Default: the data as it came. */
  readonly read?: ((data: unknown, response: ResponseDetails) => unknown) | undefined;
}

/** An operation whose answer is one page of a list. */
export interface ListOperation extends Omit<Operation, 'read'> {
  readonly page: PageForm;
}

/** What is known about an answer besides its content. */
export interface ResponseDetails {
  readonly status: number;
  /** By names in lower case, without cookies; what came more than once is joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** `Svc-Request-Id`: name it when you report a problem. */
  readonly requestId: string | null;
  /** The Idempotency-Key that was sent. */
  readonly idempotencyKey: string | null;
  /** Whether the server had answered a request with this Idempotency-Key before, and this is that answer. */
  readonly idempotentReplayed: boolean;
  /** `Svc-Version` of the answer: the version that was in effect. */
  readonly version: string | null;
  /** How many tries it took. */
  readonly attempts: number;
}

/** An answer with what came along. */
export interface WithResponse<Data> {
  readonly data: Data;
  readonly response: ResponseDetails;
}

/** A call that is under way. Await it for its data. */
export interface ApiPromise<Data> extends Promise<Data> {
  /** The data together with status, headers, request id and the number of tries. */
  withResponse(): Promise<WithResponse<Data>>;
  /** The answer as the `Response` of the Fetch standard, its body not yet read. Rejects as the call does. */
  asResponse(): Promise<Response>;
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; null on the last one. Keep it to resume later: hand it in as `cursor`. */
  readonly nextCursor: string | null;
  /** How many items the whole list has, where the API says so. */
  readonly total: number | null;
  readonly hasNextPage: boolean;
  readonly response: ResponseDetails;
  /**
   * Asks for the page after this one.
   * @returns null where there is none.
   */
  nextPage(): Promise<Page<Item> | null>;
}

/**
 * A list. Await it for its first page, or iterate over it for every item of every page. Nothing is sent before one of the
 * two happens.
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
 * The bytes of an answer as they come, of any length. Read it to its end or cancel it; a stream
 * that is not read ends after `timeout`, and every stream ends when the client is closed.
 */
export interface ByteStream extends AsyncIterable<Uint8Array>, AsyncDisposable {
  readonly response: ResponseDetails;
  /** The same as lines of text in UTF-8, without their ends, each of at most 16 MiB. */
  lines(): AsyncIterable<string>;
  /** Gives the rest up and ends the connection. */
  cancel(): Promise<void>;
}

/** A stream that is asked for. Await it for its bytes and headers, or iterate at once. */
export interface StreamPromise extends Promise<ByteStream>, AsyncIterable<Uint8Array> {
  lines(): AsyncIterable<string>;
}

/** Brings operations to the server and their answers back: what every resource is made of. */
export interface Transport {
  /**
   * Calls an operation. It is sent at once.
   * @template Data what the server answers, as its schema has it.
   */
  request<Data>(operation: Operation, options?: RequestOptions): ApiPromise<Data>;
  /**
   * Lists with an operation; the `cursor` in its query is where the first page begins, also for SCIM, which calls it
   * `startIndex`.
   */
  list<Item>(operation: ListOperation, options?: ListOptions): PagePromise<Item>;
  /**
   * Calls an operation whose answer may be of any length. `timeout` then bounds the time to the headers and every silence
   * after them, `deadline` the time to the headers.
   */
  stream(operation: Operation, options?: RequestOptions): StreamPromise;
}
