import type { Dispatcher } from 'undici';
import type { Hooks } from './hooks.ts';
import type { RetryBudgetOptions } from './retry.ts';
import type { Runtime } from './runtime.ts';

/** OAuth 2.0 client credentials (RFC 6749 section 4.4): the client is an API key, named by its id. */
export interface OauthOptions {
  /** The id of the API key. */
  readonly clientId: string;
  /** The API key itself. */
  readonly clientSecret: string;
  /** Fewer scopes than the key has, separated by spaces. */
  readonly scope?: string | undefined;
}

/** The program that uses the client, named in the User-Agent. */
export interface AppInfo {
  readonly name: string;
  readonly version?: string | undefined;
}

/** The options of a client, also for `withOptions`. */
export interface ClientOptions {
  /** `svc_live_…` or `svc_test_…`, or an access token `svc_at_…`. Default: the environment variable SVC_API_KEY. */
  readonly apiKey?: string | undefined;
  /** Fetches access tokens for the API key instead of sending the key with each request. Excludes `apiKey`. */
  readonly oauth?: OauthOptions | undefined;
  /** `scim_…`, for the methods under `svc.scim`. */
  readonly scimToken?: string | undefined;
  /** Where the server is: `https://svc.example.com`. Default: the environment variable SVC_BASE_URL. */
  readonly baseUrl?: string | undefined;
  /** Allows http:// to another machine, which sends keys unencrypted over the network. Default: false. */
  readonly allowInsecure?: boolean | undefined;
  /** The tenant to act for, by id or slug, with a key that is allowed to. Default, and null: that of the key. */
  readonly tenant?: string | null | undefined;
  /** The dated version of the API. Default: the one that the types describe; null leaves it to the tenant. */
  readonly version?: string | null | undefined;
  /** Milliseconds for one attempt, from when it is sent to the last byte of its response. Default: 30,000. */
  readonly timeout?: number | undefined;
  /** Milliseconds for a call with all its attempts and waits, including the wait for a free connection. Default: 100,000. */
  readonly deadline?: number | undefined;
  /** Maximum number of retries after a temporary failure. Default: 2. */
  readonly retries?: number | undefined;
  /** Limits the retries of all calls; null for no limit. Default: 20 in a row, then one in ten. */
  readonly retryBudget?: RetryBudgetOptions | null | undefined;
  /** Maximum bytes of a response; streams have no limit. Default: 16 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /**
   * Maximum number of concurrent requests, each over its own connection; a further call waits until one is free, at
   * most until its `deadline`. Default: 100.
   */
  readonly connections?: number | undefined;
  /** Sent with every request; null removes one. Headers that have their own option cannot be set here. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined;
  /** Functions that are called for each request, response, retry and error. */
  readonly hooks?: Hooks | undefined;
  /** A dispatcher of undici 7 or later in place of the built-in one: an agent with a proxy, a certificate authority, a mock. */
  readonly dispatcher?: Dispatcher | undefined;
  readonly appInfo?: AppInfo | undefined;
  /** Clock, timers and random numbers, for tests. */
  readonly runtime?: Runtime | undefined;
}
